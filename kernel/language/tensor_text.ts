// What users read of tensors' types, which carry shapes, dtypes and devices (`lib/torch/types/`). Text in, text out;
// knows how those types are spelt and nothing of what they mean.

/**
 * A tensor's type is a union (`lib/torch/types/known.ts`), of whose parts a user need not know:
 *
 *     TensorMembers | OtherTensor | KnownTensor<[2], "float32"> | KnownTensor<[3], "float32">
 *     Tensor<[2], "float32"> | Tensor<[3], "float32">
 */
export function asTensors(text: string): string {
  return withoutLines(text, ABOUT_PART)
    .replace(PART_BEFORE, "")
    .replace(PART_BEHIND, "")
    .replace(PART, "Tensor")
    .replace(HOLDER, "Tensor.");
}

const PLACE = String.raw`(?:import\("[^"]*"\)\.)?`;
/** Below what is said of a tensor, the compiler says it again of one part, or that a part has no such member. */
const ABOUT_PART = new RegExp(
  String.raw`^ +(?:Property '[^']*' does not exist on type '${PLACE}TensorMembers'\.$|Type '${PLACE}(?:KnownTensor<.*>|OtherTensor|TensorMembers)' is not assignable to )`,
);
const PART_BEFORE = new RegExp(String.raw`${PLACE}\b(?:OtherTensor|TensorMembers) \| `, "g");
const PART_BEHIND = new RegExp(String.raw` \| ${PLACE}(?:OtherTensor|TensorMembers)\b`, "g");
const PART = /\b(?:KnownTensor|OtherTensor|SomeTensor|TensorMembers)\b/g;
/** Interfaces that its members come from. */
const HOLDER = /\b(?:TensorOperators|ComposedMethods|(?:Autograd|Plain)Members)\./g;

/** What stands below such a line moves up in its place. */
function withoutLines(text: string, unwanted: RegExp): string {
  const kept: string[] = [];
  const above: number[] = [];
  for (const line of text.split("\n")) {
    const depth = line.length - line.trimStart().length;
    while (above.length > 0 && above.at(-1)! >= depth) above.pop();
    if (unwanted.test(line)) above.push(depth);
    else kept.push(line.slice(Math.min(2 * above.length, depth)));
  }
  return kept.join("\n");
}

/**
 * A method of a union, as a tensor's type is one, is a property to the compiler:
 *
 *     (property) Tensor.add: (other: Tensor) => Tensor   ->   (method) Tensor.add(other: Tensor): Tensor
 *     (property) Tensor.max: {\n    (): Tensor;\n    (dim: number): Tensor;\n}   ->   a line for each
 */
export function asMethods(code: string): string {
  const [, name, type = ""] = METHOD_AS_PROPERTY.exec(code) ?? [];
  if (name === undefined) return code;
  const signatures = type.startsWith("{")
    ? type
        .slice(1, -1)
        .replace(/^ {4}/gm, "")
        .trim()
        .split(/;(?:\n(?=[<(])|$)/)
        .filter(Boolean)
    : [asSignature(type)];
  return signatures.map((signature) => `(method) ${name}${signature}`).join("\n");
}

const METHOD_AS_PROPERTY = /^\(property\) (Tensor\.\w+): ((?:[<(]|\{\n {4}[<(])[^]*)$/;

/** `<T>(x: T) => T`  ->  `<T>(x: T): T` */
function asSignature(type: string): string {
  const parameters = type.startsWith("<") ? closing(type, 0) + 1 : 0;
  const end = closing(type, parameters) + 1;
  return type.slice(0, end) + type.slice(end).replace(/^ => /, ": ");
}

/** What is not known is left out: `Tensor<[2, 3], "float32", DeviceName>`  ->  `Tensor<[2, 3], "float32">` */
export function withoutUnknowns(text: string): string {
  return text.replace(UNKNOWN_TAIL, ">").replace(UNKNOWN_SHAPE, "$1");
}

/** Of results that a list has by name: `ValuesAndIndices<number[]>`. */
const UNKNOWN_SHAPE = /(?<![.\w])(Tensor|ValuesAndIndices)<number\[\]>/g;

const UNKNOWN_TAIL = /(?:, (?:import\("[^"]*"\)\.)?DType)?, (?:import\("[^"]*"\)\.)?DeviceName>/g;

/**
 * An operator that cannot run is refused by a type that is a sentence, which is what is to be read:
 * `Argument of type 'Tensor<[5, 4]>' is not assignable to parameter of type 'Tensor<[5, 4]> & "matmul: ..."'.`  ->
 * `matmul: [2, 3] and [5, 4] do not fit: 3 columns meet 5 rows.`
 */
export function refusal(message: string): string | null {
  const sentence = REFUSED.exec(message)?.[1] ?? NO_METHOD.exec(message)?.[1];
  return sentence === undefined ? null : `${JSON.parse(`"${sentence}"`)}.`;
}

/**
 * In a function over any sizes, dtypes or devices, what an operator would say is not decided, and the compiler refuses
 * to be safe: `... is not assignable to parameter of type 'Tensor & Unless<KindProblem<"add", Kind<D>, "cpu">>'.`
 */
export function isUndecided(message: string): boolean {
  return UNDECIDED.test(message);
}

const UNDECIDED = /is not assignable to [^]* & Unless(?:At)?</;

/** `x.max(1).values()`: the method of lists gives way to a result of its name, and its `this` is a sentence. */
const NO_METHOD =
  /^The 'this' context [^]* is not assignable to method's 'this' of type '"((?:[^"\\]|\\.)+)"'/;

const REFUSED =
  /^(?:Argument of type '|No overload matches)[^]* is not assignable to [^]*'[^']* & (?:Refused<)?"(\w+(?:\([^()"]*\))?: (?:[^"\\]|\\.)+)">?'/;

/**
 * An operator whose result depends on shapes, as its documentation: without the algebra, or, of a call, with its result.
 *
 *     matmul<A, B extends Tensor>(this: A, other: B & Unless<MatmulProblem<...>>): TensorOf<MatmulShape<A, B>, ...>
 *     matmul(other: Tensor): Tensor
 *
 *     matmul<Tensor<[2, 3]>, Tensor<[3, 4]>>(this: Tensor<[2, 3]>, other: Tensor<[3, 4]>): Tensor<[2, 4]>
 *     matmul(other: Tensor<[3, 4]>): Tensor<[2, 4]>
 */
export function withoutAlgebra(code: string): string {
  return withoutArguments(withoutGenerics(asClass(code.replace(DECIDED, ">"))));
}

/** The last type parameter of a layer's call, when nothing is wrong: `<Tensor<[4, 2]>, "">(input: ...)`; see `refusal.ts`. */
const DECIDED = /, "">(?=\(input: )/;

/**
 * A class that is declared by its constructor, whose last type parameter says that nothing is wrong:
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
  let text = code.slice(0, opening) + plainTypes(code.slice(end + 1));
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

const METHOD = /^\(method\) /;
const OF_OPERATORS =
  /\b(?:Unless|TupleOf|DTypeOf|DeviceOf)<|^\(method\) (?:Tensor|torch[\w.]*)\.|\(this: A\b/;
const GENERIC = /^(?:const )?([A-Z]\w*)(?: extends ([^=]+?))?(?: = .*)?$/;

/** Constraints name writable lists beside others, so that `[2, 3]` is inferred as one: `number[] | readonly number[]` */
const WRITABLE_TOO = /\bnumber\[\] \| (?=readonly number\[\])|(?<=\bSize) \| number\[\]/;

/** `B & Unless<...>`  ->  `B`; `Tensor<TupleOf<...>, ...>`  ->  `Tensor` */
function plainTypes(code: string): string {
  let text = code;
  for (const [start, plain] of [
    [" & Unless<", ""],
    [" & UnlessAt<", ""],
    ["ValuesAndIndices<", "ValuesAndIndices"],
    ["ListOf<", "NestedList"],
  ] as const) {
    for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at)) {
      text = text.slice(0, at) + plain + text.slice(closing(text, at + start.length - 1) + 1);
    }
  }
  for (let at = text.indexOf("Tensor<"); at >= 0; at = text.indexOf("Tensor<", at + 1)) {
    const end = closing(text, at + "Tensor".length) + 1;
    if (/\w+Of</.test(text.slice(at, end))) text = `${text.slice(0, at)}Tensor${text.slice(end)}`;
  }
  return text;
}

/**
 * What was given for a number, or for an option, says nothing of what may be given:
 *
 *     add(other: 1, options?: { alpha?: Scalar } | undefined): Tensor<[ 2, 3 ]>
 *     add(other: number, options?: { alpha?: Scalar }): Tensor<[2, 3]>
 */
function withoutArguments(code: string): string {
  if (!/: (?:readonly )?\[?.*\b(?:Tensor|ValuesAndIndices)\b[^()]*$/.test(code)) return code;
  return code
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

/** Offset of the bracket that closes the one at the offset; `=>` closes nothing. */
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

/** At commas that no bracket encloses. */
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

/**
 * A printed type as later cells are to have it. A `const` tensor stays what it is; what can be assigned anew, to a `let`
 * or into an array, an object or a map, may become another tensor, of which nothing is known.
 *
 *     let x: import(".../types").TensorOf<[2], "float32">   ->   let x: import(".../types").Tensor
 */
export function openedTensors(type: string, isAssignable: boolean): string {
  if (!isAssignable && (WHOLE.test(type) || /^[<(].*=>/s.test(type))) return type;
  return type
    .replace(KNOWN_RESULTS, "$1")
    .replace(KNOWN_TENSOR, `import("$1types").Tensor`)
    .replace(REPEATED, "$1");
}

const KNOWN_TENSOR =
  /import\("([^"]*\/)(?:types(?:\/\w+)?"\)\.(?:(?:Tensor|TensorOf|KnownTensor)<[^<>]*>|OtherTensor)|members"\)\.TensorMembers)/g;
const KNOWN_RESULTS = /(import\("[^"]*\/types"\)\.ValuesAndIndices)<[^<>]*>/g;
const WHOLE = new RegExp(`^(?:${KNOWN_TENSOR.source}|${KNOWN_RESULTS.source})$`);
/** `Tensor | Tensor`  ->  `Tensor` */
const REPEATED = /(import\("[^"]*types"\)\.Tensor)(?: \| \1)+(?![\w<.])/g;
