// Writes the TypeScript signatures of one operator from its overloads.
import { parameterName } from "./names.ts";
import type { Argument, Operator, Result } from "./schema.ts";
import type { ShapeRule } from "./shape_rules.ts";
import { readSpread, spreadArgument, type SpreadForm } from "./spread_lists.ts";
import { type Parameter, type Signature, writeForms, type Written } from "./forms.ts";

export interface CallShape extends SpreadForm {
  /** The rules of its shapes; empty or undefined if it has none. */
  readonly rules?: readonly ShapeRule[];
  /** What an argument does, by the schema's names. */
  sentenceOf?(argument: Pick<Argument, "name" | "keywordOnly">): string | undefined;
}

/**
 * Returns texts that begin with the parameter list, each with its defaults. Arguments may also be given by name in the
 * last object: `softmax(dim, dtype?)`, `softmax(options: { dim, dtype? })`, `softmax(dim, options: { dtype? })`.
 */
export function writeSignatures(overloads: readonly Operator[], shape: CallShape): Written[] {
  const outs = overloads.filter((operator) => operator.arguments.some(isOut));
  const drawing = overloads.filter((operator) => operator.arguments.some(isNeededGenerator));
  const plain = overloads.filter(
    (operator) =>
      !operator.arguments.some((argument) => isOut(argument) || isNeededGenerator(argument)) &&
      isWritable(operator),
  );
  const merged: Signature[] = [];
  for (const operator of plain) {
    const signature = readSignature(operator, shape);
    if (!shape.method) addOut(signature, operator, outs, shape);
    if (drawing.some((twin) => placesOf(twin) === placesOf(operator)))
      signature.keywords.unshift({
        ...GENERATOR,
        sentence: shape.sentenceOf?.({ name: "generator", keywordOnly: true }),
      });
    // With a rule, a number in place of the tensor has a signature of its own.
    const twin = merged.find(
      (other) =>
        differsInOne(other, signature) &&
        (!shape.rules?.length || startsWithNumber(other) === startsWithNumber(signature)),
    );
    if (twin === undefined) merged.push(signature);
    else widen(twin, signature);
  }
  // If no overload fits, the compiler explains the last one. So the overload whose rule gives the reason comes last.
  const ruled = merged.map((signature) => withRule(signature, shape));
  const reasons = (signature: Signature) =>
    signature.generics === undefined ? 0 : startsWithNumber(signature) ? 1 : 2;
  const inOrder = [...ruled].sort((a, b) => reasons(a) - reasons(b));
  return writeForms(inOrder, readSpread(plain, shape));
}

/** The most arguments that any overload takes, including the final options object. */
export function arity(overloads: readonly Operator[], shape: CallShape): number {
  const counts = overloads.map((operator) => {
    const positional = operator.arguments.filter(
      (argument) => !argument.keywordOnly && !(shape.method && argument.name === "self"),
    );
    return positional.length + 1;
  });
  return Math.max(...counts);
}

/** Whether it makes a tensor: it takes dtype, layout, device and pin_memory by name. */
export function isFactory(operator: Operator): boolean {
  return operator.arguments.some((argument) => argument.keywordOnly && argument.name === "pin_memory");
}

const isOut = (argument: Argument) => argument.keywordOnly && argument.written;

/** `rand.generator` is `rand` with a required generator. Both become one signature. */
const isNeededGenerator = (argument: Argument) =>
  argument.type === "Generator?" && argument.default === undefined;

const GENERATOR: Parameter = { name: "generator", type: "Generator | null", default: "", isByName: true };

/** Whether a number stands in place of the tensor: `pow(2, x)`. With a rule its type is a type parameter's. */
const startsWithNumber = ({ positional, generics = [] }: Signature) =>
  generics[0]?.startsWith("A extends Scalar") === true ||
  positional.some(({ name, type }) => name === "input" && type === "Scalar");

/** A text of the positional arguments, which the variants of an overload have in common. */
const placesOf = (operator: Operator) =>
  operator.arguments
    .filter((argument) => !argument.keywordOnly)
    .map((argument) => `${argument.type} ${argument.name}`)
    .join();

/**
 * Whether JavaScript has values for all arguments. Other overloads can be called through `torch.ops` only, if at all.
 */
function isWritable(operator: Operator): boolean {
  return operator.arguments.every((argument) => !/^(Storage|Stream|QScheme)/.test(argument.type));
}

function readSignature(operator: Operator, shape: CallShape): Signature {
  const factory = isFactory(operator);
  const read = (argument: Argument): Parameter => ({
    name: argument.name === "self" ? "input" : parameterName(argument.name),
    type:
      factory && argument === operator.arguments[0] && argument.name === "size"
        ? "Size"
        : // PyTorch takes None for a list that is empty if it is not given: the stride of a pooling.
          typeOf(argument.default === "[]" ? `${argument.type}?` : argument.type).replace(
            "string",
            choicesOf(operator, argument) ?? "string",
          ),
    default: argument.default === undefined ? undefined : writeDefault(argument.default),
    isSpread: argument === spreadArgument(operator, shape),
    // A number in place of the first tensor, as in `pow(2, x)`, has no form by name either.
    isNeededTensor:
      argument.default === undefined && (argument.type.startsWith("Tensor") || argument.name === "self"),
    isByName: argument.keywordOnly,
    sentence: shape.sentenceOf?.(argument),
  });
  const shown = operator.arguments.filter(
    (argument) =>
      !(shape.method && argument.name === "self") &&
      !(
        factory &&
        argument.keywordOnly &&
        ["dtype", "layout", "device", "pin_memory"].includes(argument.name)
      ),
  );
  const keywords = shown.filter((argument) => argument.keywordOnly).map(read);
  return {
    positional: shown.filter((argument) => !argument.keywordOnly).map(read),
    keywords: factory ? [...keywords, { name: "...", type: "TensorOptions", default: "" }] : keywords,
    result: writeResults(operator.results),
  };
}

/**
 * Turns an `out=` variant with the same arguments into an option of the plain overload. If it has several outputs, the
 * option is a list of them, named as the results: `{ out: [values, indices] }`.
 */
function addOut(
  signature: Signature,
  operator: Operator,
  outs: readonly Operator[],
  { sentenceOf }: CallShape,
): void {
  const variant = outs.find((out) => placesOf(out) === placesOf(operator));
  const written = variant?.arguments.filter(isOut) ?? [];
  const keyword = (name: string, type: string) => ({
    name: parameterName(name),
    type,
    default: "",
    isByName: true,
    sentence: sentenceOf?.({ name: "out", keywordOnly: true }),
  });
  if (written.length > 1) {
    const names = written.map(({ name }, at) => parameterName(operator.results[at]?.name || name));
    const list = written.map(({ type }, at) => `${names[at]}: ${typeOf(type)}`);
    signature.keywords.push(keyword("out", `readonly [${list.join(", ")}]`));
  } else signature.keywords.push(...written.map(({ name, type }) => keyword(name, typeOf(type))));
}

/**
 * Whether two signatures have the same names and results, and differ in only one parameter, which is a Tensor in one
 * and a Scalar in the other. Then one signature can say both.
 */
function differsInOne(a: Signature, b: Signature): boolean {
  const left = [...a.positional, ...a.keywords.filter((keyword) => keyword.name !== "out")];
  const right = [...b.positional, ...b.keywords.filter((keyword) => keyword.name !== "out")];
  if (a.result !== b.result || left.length !== right.length) return false;
  let different = 0;
  for (const [at, parameter] of left.entries()) {
    const other = right[at];
    if (other === undefined || other.name !== parameter.name) return false;
    if (other.type === parameter.type) continue;
    if (!/^(Tensor|Scalar|number)$/.test(parameter.type) || !/^(Tensor|Scalar|number)$/.test(other.type))
      return false;
    different++;
  }
  return different === 1;
}

function widen(into: Signature, from: Signature): void {
  const others = [...from.positional, ...from.keywords];
  for (const parameter of [...into.positional, ...into.keywords]) {
    const other = others.find(({ name }) => name === parameter.name);
    if (other === undefined || other.type === parameter.type) continue;
    const types = [parameter.type, other.type].filter(
      (type) => type !== "number" || ![parameter.type, other.type].includes("Scalar"),
    );
    parameter.type = types.join(" | ");
    // `quantile(q)` takes a count or a share first of all, and a tensor of them too.
    if (types.includes("number")) parameter.isNeededTensor = false;
  }
}

/**
 * The first rule whose parameters this overload has:
 * `mm(mat2: Tensor): Tensor`  ->  `mm<const A, const B extends SomeTensor, Problem = ...>(this: A, mat2: B & Unless<Problem>): TensorOf<...>`
 */
function withRule(signature: Signature, { method, rules = [] }: CallShape): Signature {
  const all = [...signature.positional, ...signature.keywords];
  const has = (name: string) => all.some((parameter) => parameter.name === name);
  const rule = rules.find(
    ({ parameters, isNumberFirst = false }) =>
      Object.keys(parameters).every(has) && isNumberFirst === startsWithNumber(signature),
  );
  if (rule === undefined || !/Tensor|ValuesAndIndices/.test(signature.result)) return signature;
  const ruled = (parameter: Parameter) => ({
    ...parameter,
    type: rule.parameters[parameter.name] ?? parameter.type,
  });
  const texts = [rule.generics ?? "", ...Object.values(rule.parameters), rule.result];
  const isOwn = !rule.isNumberFirst && texts.some((text) => /\bA\b/.test(text));
  const self = { name: method ? "this" : "input", type: "A", default: undefined, isNeededTensor: true };
  const others = signature.positional.map((one) => (isOwn && one.name === "input" ? self : ruled(one)));
  return {
    generics: [
      ...(isOwn ? [method ? "const A" : "const A extends SomeTensor"] : []),
      ...(rule.generics ? [rule.generics] : []),
    ],
    positional: isOwn && method ? [self, ...others] : others,
    keywords: signature.keywords.map(ruled),
    result: rule.result,
  };
}

/** The words that an argument takes; schemas say only `str`. */
const CHOICES: readonly (readonly [which: RegExp, words: readonly string[]])[] = [
  [/^fft_\w+ norm$/, ["backward", "ortho", "forward"]],
  [/^(div|divide)_? rounding_mode$/, ["trunc", "floor"]],
  [/^linalg_qr mode$/, ["reduced", "complete", "r"]],
  [/^linalg_eigv?a?l?s?h UPLO$/, ["L", "U"]],
  [/^linalg_lstsq driver$/, ["gels", "gelsy", "gelsd", "gelss"]],
  [/^linalg_svd(vals)? driver$/, ["gesvd", "gesvdj", "gesvda"]],
  [/^meshgrid indexing$/, ["ij", "xy"]],
  [/^(nan)?quantile interpolation$/, ["linear", "lower", "higher", "midpoint", "nearest"]],
  [/^gelu_? approximate$/, ["none", "tanh"]],
  [/^scatter_reduce_? reduce$/, ["sum", "prod", "mean", "amax", "amin"]],
  [/^index_reduce_? reduce$/, ["prod", "mean", "amax", "amin"]],
  [/^searchsorted side$/, ["left", "right"]],
];

function choicesOf(operator: Operator, argument: Argument): string | undefined {
  const words = CHOICES.find(([which]) => which.test(`${operator.name} ${argument.name}`))?.[1];
  return words?.map((word) => `"${word}"`).join(" | ");
}

const TYPES: Record<string, string> = {
  Tensor: "Tensor",
  Scalar: "Scalar",
  int: "number",
  SymInt: "number",
  float: "number",
  bool: "boolean",
  SymBool: "boolean",
  str: "string",
  Generator: "Generator",
  ScalarType: "DType",
  Device: "DeviceText",
  Layout: "Layout",
  MemoryFormat: "MemoryFormat",
  DeviceIndex: "number",
  "": "void",
};

/** `int[1]?` -> `number | readonly number[] | null` */
function typeOf(schemaType: string): string {
  if (schemaType.endsWith("?")) return `${typeOf(schemaType.slice(0, -1))} | null`;
  const list = /^(.*)\[(\d*)\]$/.exec(schemaType);
  if (list !== null) {
    const element = typeOf(list[1] ?? "");
    const array = `readonly ${element.includes("|") ? `(${element})` : element}[]`;
    return list[2] !== "" && element === "number" ? `number | ${array}` : array;
  }
  const type = TYPES[schemaType];
  if (type === undefined)
    throw new TypeError(`No TypeScript type is known for the schema type ${schemaType}`);
  return type;
}

/**
 * Several that have names are a list and have them, as PyTorch's named tuples:
 * `(Tensor sign, Tensor logabsdet)` -> `[sign: Tensor, logabsdet: Tensor] & { readonly sign: Tensor; ... }`
 */
function writeResults(results: readonly Result[]): string {
  const types = results.map(({ type }) => typeOf(type).replace(/^readonly /, ""));
  if (types.length === 0) return "void";
  if (types.length === 1) return types[0] ?? "void";
  if (results.some(({ name }) => name === "")) return `[${types.join(", ")}]`;
  const named = types.map((type, at) => `${parameterName(results[at]?.name ?? "")}: ${type}`);
  // A result named `values` hides a method of lists, so this pair has an interface of its own.
  if (named.join() === "values: Tensor,indices: Tensor") return "ValuesAndIndices";
  return `[${named.join(", ")}] & { ${named.map((one) => `readonly ${one}`).join("; ")} }`;
}

const DEFAULTS: Record<string, string> = {
  False: "false",
  True: "true",
  None: "null",
  Mean: "1 (mean)",
  long: "int64",
};

function writeDefault(text: string): string {
  return DEFAULTS[text] ?? text;
}
