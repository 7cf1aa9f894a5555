// What the converter knows of a value. Python's types are not known before it runs, so this is a guess from where the
// value comes, and "" is no guess.

/**
 * `tensor`, `tensor float` where its dtype is known to be one of fractions, `int`, `float`, `number` where it may be
 * either, `complex`, `text`, `boolean`, `none`, `dict`, `set`, `file`, `error`, `device`, `dtype`; `list`, or with its
 * elements `list tensor`, and `iterator tensor`, which is read once; `object :Module` for an instance of the library's classes, `object Net` for one of the cell's;
 * `group` for an optimizer's group of parameters, `map` for its state and `state` for that of one parameter; `class Net`, `function f`; `path torch.nn` for what an import names; `transform` for a function that torch.func made; `limits` for what
 * finfo tells of a dtype.
 */
export type Kind = string;

export const isTensor = (kind: Kind): boolean => kind === "tensor" || kind === "tensor float";
export const isNumber = (kind: Kind): boolean => kind === "number" || kind === "int" || kind === "float";

/** The kind of a dictionary may say of what kind its values are: `dict tensor` */
export const isDict = (kind: Kind): boolean => /^dict( |$)/.test(kind);
export const valueKind = (kind: Kind): Kind => (kind.startsWith("dict ") ? kind.slice(5) : "");

/** Whether a function of the library gives a function, of which the results have the structure of arguments. */
export const isTransform = (name: string): boolean =>
  /^torch\.(vmap|func\.(vmap|grad|gradAndValue|jacrev|jacfwd|hessian))$/.test(name);

export const isList = (kind: Kind): boolean => /^(list|tuple)( |$)/.test(kind);

/** A tuple knows its parts: `tuple text,number`. */
export const tupleOf = (parts: readonly Kind[]): Kind =>
  parts.some((part) => part.includes(",")) ? "list" : `tuple ${parts.join(",")}`;

/** What one part of a value is that is taken apart. */
export function partOf(kind: Kind, at: number): Kind {
  return kind.startsWith("tuple ") ? (kind.slice(6).split(",")[at] ?? "") : elementOf(kind);
}

export const listOf = (element: Kind): Kind => (element === "" ? "list" : `list ${element}`);

/** Whether it is a float, or a list of them: `list list float` */
export const holdsFloat = (kind: Kind): boolean =>
  /^(list )*float$/.test(kind) || (kind.startsWith("tuple ") && kind.slice(6).split(",").some(holdsFloat));
/** Whether it may be a float without being known as one. */
export const mayHoldFloat = (kind: Kind): boolean =>
  /^(list )*(number)?$/.test(kind) || /^(list )*list$/.test(kind);

/** What a loop over a value gives. */
export function elementOf(kind: Kind): Kind {
  if (isDict(kind) || kind === "file") return "text";
  if (kind.startsWith("list ")) return kind.slice(5);
  if (kind.startsWith("iterator ")) return kind.slice(9);
  if (kind.startsWith("tuple ")) {
    const kinds = new Set(kind.slice(6).split(","));
    return kinds.size === 1 ? [...kinds][0]! : "";
  }
  if (isTensor(kind) || kind === "text") return kind;
  if (/^object (:|nn\.)Sequential$|^object :ModuleList$/.test(kind)) return "object :Module";
  return "";
}

/** The kind of what is one or the other; null is no other kind. */
export function either(a: Kind, b: Kind): Kind {
  if (a === b || b === "none") return a;
  if (a === "none") return b;
  if (isNumber(a) && isNumber(b)) return "number";
  if ([a, b].includes("complex") && [a, b].some(isNumber)) return "complex";
  if (isTensor(a) && isTensor(b)) return "tensor";
  if (isDict(a) && isDict(b)) return "dict";
  if (a.startsWith("tuple ") && b.startsWith("tuple ")) {
    const [left, right] = [a.slice(6).split(","), b.slice(6).split(",")];
    return left.length === right.length ? tupleOf(left.map((part, at) => either(part, right[at]!))) : "list";
  }
  if (isList(a) && isList(b))
    return listOf(a === "list" || b === "list" ? "" : either(elementOf(a), elementOf(b)));
  return "";
}

/** Is `Tensor` or another type that TypeScript's declaration names; `any` where there is no guess. */
export function typeText(kind: Kind): string {
  if (isTensor(kind)) return "Tensor";
  if (isNumber(kind)) return "number";
  if (kind === "boolean") return kind;
  if (kind === "complex") return "{ re: number; im: number }";
  if (kind === "text") return "string";
  if (isDict(kind)) return "Record<string, any>";
  if (kind === "device") return "DeviceName";
  if (kind.startsWith("tuple ")) return `[${kind.slice(6).split(",").map(typeText).join(", ")}]`;
  if (kind.startsWith("list ")) return `${typeText(kind.slice(5))}[]`;
  return "any";
}
