// Shortens signatures of operators and layers for display: removes the type parameters that compute shapes
// (`lib/torch/types/`). Works on the printed text of the signature.

/**
 * Shows an operator whose result depends on shapes as its documentation does: without the types that compute shapes,
 * and for a call with its result.
 *
 *     matmul<A, B extends Tensor>(this: A, other: B & Unless<MatmulProblem<...>>): TensorOf<MatmulShape<A, B>, ...>
 *     matmul(other: Tensor): Tensor
 *
 *     matmul<Tensor<[2, 3]>, Tensor<[3, 4]>>(this: Tensor<[2, 3]>, other: Tensor<[3, 4]>): Tensor<[2, 4]>
 *     matmul(other: Tensor<[3, 4]>): Tensor<[2, 4]>
 */
export function withoutAlgebra(code: string): string {
  return withoutArguments(withRest(withoutGenerics(asClass(code.replace(DECIDED, ">")))));
}

/**
 * Shows the arguments of a rest parameter as one list, as in the declaration:
 *
 *     TensorDataset(tensors_0: Tensor<[64, 784]>, tensors_1: Tensor<[64]>): TensorDataset
 *     TensorDataset(...tensors: [Tensor<[64, 784]>, Tensor<[64]>]): TensorDataset
 */
function withRest(code: string): string {
  const [, before = "", name = ""] = /^(.*?[(,] ?)(\w+)_0\??: /s.exec(code) ?? [];
  if (name === "") return code;
  let end = before.length;
  const types: string[] = [];
  const isNext = () => code.startsWith(`${name}_${types.length}`, end) && /^\w+\??: /.test(code.slice(end));
  for (; isNext(); end += code.startsWith(", ", end) ? 2 : 0) {
    const start = code.indexOf(": ", end) + 2;
    for (end = start; end < code.length && !",)".includes(code.charAt(end)); end++)
      if ("<([{".includes(code.charAt(end))) end = closing(code, end);
    types.push(code.slice(start, end));
  }
  const behind = code.slice(end).replace(/^(?=\w)/, ", ");
  // A list that may also stand one by one is one list: `view(size: [3, 2])`.
  if (types.length === 1 && /^\[[\d, ]*\]$/.test(types[0]!)) return `${before}${name}: ${types[0]}${behind}`;
  return `${before}...${name}: [${types.join(", ")}]${behind}`;
}

/** Whether a signature was printed with the call's arguments in place of a rest parameter. */
export function hidesRest(label: string): boolean {
  return /^\w+\(\)|[(,] ?\w+_0: /.test(label);
}

/**
 * The last type parameter of a layer's call. It is empty if the layer accepts its input: `<Tensor<[4, 2]>, "">(input:
 * ...)`; see `refusal.ts`.
 */
const DECIDED = /, "">(?=\(input: )/;

/**
 * Shows a class that is declared by its constructor's type. The last type parameter only says that the arguments are
 * right:
 *
 *     const Sequential: new <[nn.ReLU], unknown>(layers_0: nn.ReLU) => nn.Sequential<[nn.ReLU]>
 *     constructor Sequential<[nn.ReLU]>(layers_0: nn.ReLU): nn.Sequential<[nn.ReLU]>
 */
function asClass(code: string): string {
  return code
    .replace(/^const (\w+): new (<.*), unknown>(\(.*\)) => ((?:\w+\.)*\1\b.*)$/s, "constructor $1$2>$3: $4")
    .replace(/^const (\w+): \1Constructor$/, "class $1");
}

function withoutGenerics(code: string): string {
  const opening = code.indexOf("<");
  const end = closing(code, opening);
  const isGeneric = opening >= 0 && opening < code.indexOf("(", METHOD.exec(code)?.[0].length ?? 0);
  if (!isGeneric || code[end + 1] !== "(") return code;
  if (!OF_OPERATORS.test(code)) return code;
  let text =
    code.slice(0, opening) + plainTypes(code.slice(end + 1)).replace(/\[\.\.\.(\w+)\](?=[,)])/g, "$1");
  for (const generic of split(code.slice(opening + 1, end))) {
    const [, name, constraint = "Tensor"] = GENERIC.exec(generic) ?? [];
    if (name !== undefined)
      text = text.replace(
        new RegExp(String.raw`\b${name}\b(?!\??:|<)`, "g"),
        constraint.replace(WRITABLE_TOO, ""),
      );
  }
  const receiver = text.indexOf("(this: ");
  if (receiver < 0) return text;
  const rest = text.slice(receiver + 1);
  return (
    text.slice(0, receiver + 1) +
    rest.slice((split(rest.slice(0, closing(`(${rest}`, 0) - 1))[0] ?? "").length).replace(/^, /, "")
  );
}

const METHOD = /^\((?:method|property)\) /;
const OF_OPERATORS =
  /\b(?:Unless|TensorOf|Like|DTypeOf|DeviceOf)<|^\(method\) (?:Tensor|torch|nn|linalg|fft|special)\.|\(this: A\b/;
const GENERIC = /^(?:const )?([A-Z]\w*)(?: extends ([^=]+?))?(?: = .*)?$/;

/**
 * Constraints also name writable lists, which makes TypeScript infer `[2, 3]` as a tuple: `number[] | readonly
 * number[]`
 */
const WRITABLE_TOO = /\bnumber\[\] \| (?=readonly number\[\])|(?<=\bSize) \| number\[\]/;

/** `B & Unless<...>`  ->  `B`; `TensorOf<...>`  ->  `Tensor` */
function plainTypes(code: string): string {
  let text = code;
  for (const [start, plain] of [
    [" & Unless<", ""],
    [" & UnlessAt<", ""],
    ["UnlessAny<", "ValuesAndIndices"],
    ["ValuesAndIndicesOf<", "ValuesAndIndices"],
    ["TensorOf<", "Tensor"],
    ["Like<", "Tensor"],
    ["ListOf<", "any"],
  ] as const) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at)) {
      text = text.slice(0, at) + plain + text.slice(closing(text, at + start.length - 1) + 1);
    }
  }
  return text;
}

/**
 * Replaces the call's arguments in a signature by their types, because a single number or option does not show which
 * values are allowed:
 *
 *     add(other: 1, options?: { alpha?: Scalar } | undefined): Tensor<[ 2, 3 ]>
 *     add(other: number, options?: { alpha?: Scalar }): Tensor<[2, 3]>
 */
function withoutArguments(code: string): string {
  if (!/: (?:readonly )?\[?.*\b(?:Tensor|ValuesAndIndices)\b[^()]*$/.test(code)) return code;
  return code
    .replace(/\bnumber\[\] \| (?=readonly number\[\])/g, "")
    .replace(
      /(\b\w+\??: )-?\d[\d.]*(?:e[+-]?\d+)?(n?)(?=[,)])/g,
      (_, name: string, big: string) => `${name}${big === "" ? "number" : "bigint"}`,
    )
    .replace(/(\b\w+\??: )(?:true|false)(?=[,) ])/g, "$1boolean")
    .replace(/(\?: [^;,(){}]*) \| undefined(?=[ ;]+\})/g, "$1")
    .replace(/(\?: (?:[^;,(){}<>]*(?:<[^<>]*>)?(?:\{[^{}]*\})?|\([^()]*\))) \| undefined(?=[,) ;])/g, "$1")
    .replace(/\[ +(?=\S)/g, "[")
    .replace(/(?<=\S) +\]/g, "]");
}

/** A page of a notebook, and the box of Shift-Tab, show about so many characters on a line. */
const WIDEST_CALL = 80;

/** Writes a signature of several parameters that is too wide for a line with a line for each of them. */
export function inLines(signature: string): string {
  if (signature.length <= WIDEST_CALL || signature.includes("\n")) return signature;
  let opening = METHOD.exec(signature)?.[0].length ?? 0;
  for (; opening < signature.length && signature[opening] !== "("; opening++)
    if ("<{[".includes(signature.charAt(opening))) opening = closing(signature, opening);
  const end = closing(signature, opening);
  const parameters = split(signature.slice(opening + 1, end));
  if (parameters.length < 2) return signature;
  return `${signature.slice(0, opening)}(\n  ${parameters.join(",\n  ")}\n${signature.slice(end)}`;
}

/** The offset of the bracket that closes the one at the given offset. The `>` of `=>` closes nothing. */
export function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at >= 0 && at < text.length; at++) {
    const character = text.charAt(at);
    if ("<([{".includes(character)) depth += 1;
    else if (")]}".includes(character) || (character === ">" && text.charAt(at - 1) !== "=")) depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Splits a list at commas that no bracket encloses. */
function split(list: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    if ("<([{".includes(list.charAt(at)) && at < list.length) at = closing(list, at);
    else if (at === list.length || list[at] === ",") {
      parts.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts;
}
