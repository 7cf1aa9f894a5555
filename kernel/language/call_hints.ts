// Says how a call of the library is written whose arguments were given in another form: options one by one, as in Python,
// a number in quotes, a model where its parameters are asked for.
import type { Node } from "oxc-parser";
import {
  type Call,
  callAround,
  calledWith,
  type Complaint,
  nameOf,
  type Teller,
  type Written,
} from "./teller.ts";

export const CALL_TELLERS: readonly Teller[] = [
  // "Type '"float32"' has no properties in common with type 'TensorOptions<...>'."
  {
    codes: [2559, 2769],
    about: /has no properties in common with type '\w*Options\b|'Partial</,
    tell: tellOption,
  },
  // "Expected 0-1 arguments, but got 2."
  { codes: [2554], about: /^Expected [\d-]+ arguments?, but got \d+\.$/, tell: tellCount },
  // "Argument of type '[]' is not assignable to parameter of type '[stop: number | null] | [start: ...'."
  { codes: [2345], about: /of type '\[stop: number \| null\] \|/, tell: tellSlice },
  // "Argument of type '":"' is not assignable to parameter of type 'Index'."
  { codes: [2345], about: /^Argument of type '"[^"]*"' .* type 'Index'\.$/, tell: tellIndex },
  // "... 'dim' does not exist in type 'number[] | readonly number[]'."
  { codes: [2769], about: /'(?:dim|axis)' does not exist in type 'number\[\]/, tell: tellDimension },
  // "Argument of type '"3"' is not assignable to parameter of type 'Scalar'."
  {
    codes: [2345, 2769],
    about: /Argument of type '(?:"[^"]*"|string)' .* type '(?:number|Scalar|readonly number)/,
    tell: tellQuoted,
  },
  // "Argument of type 'string' is not assignable to parameter of type 'NestedValues'."
  { codes: [2345], about: /^Argument of type '(?:"[^"]*"|string)' .* type 'NestedValues'/, tell: tellValues },
  // "Value of type 'typeof Linear' is not callable. Did you mean to include 'new'?"
  { codes: [2348], about: /^Value of type 'typeof \w+' is not callable/, tell: tellNew },
  // "Argument of type 'Linear<2, 3>' is not assignable to parameter of type 'Iterable<Tensor> | ...'."
  { codes: [2345], about: /type 'Iterable<Tensor> \| Iterable<GroupInput/, tell: tellParameters },
  // "Argument of type 'Tensor' is not assignable to parameter of type 'readonly Tensor[]'."
  {
    codes: [2345, 2769],
    about: /Argument of type 'Tensor\b.*' .* parameter of type 'readonly Tensor(?:<.*>)?\[\]'/,
    tell: tellOneTensor,
  },
  // "Sequential: each layer must be a module ...", of a list of layers.
  { codes: [2345, 2769], about: /Sequential: each layer must be a module/, tell: tellLayers },
  // "Object literal may only specify known properties, and 'batchSize' does not exist in type 'Source<any>'."
  { codes: [2353], about: /does not exist in type 'Source</, tell: tellDataset },
  // "Argument of type 'Tensor' is not assignable to parameter of type 'number'."
  {
    codes: [2345],
    about: /^Argument of type 'Tensor\b.*' .* parameter of type '(?:number|string)'\.$/,
    tell: tellPlain,
  },
  // "This expression is not callable. Type 'number[]' has no call signatures."
  { codes: [2349], about: /has no call signatures/, tell: tellProperty },
  // "Type '"float"' is not assignable to type 'DType'."
  { codes: [2322, 2820], about: /^Type '"[^"]*"' is not assignable to type 'DType\b/, tell: tellDType },
  // "Property 'cuda' does not exist on type 'Torch'."
  { codes: [2339, 2551], about: /on type 'Torch'/, tell: tellTorch },
  // "'x.grad' is possibly 'null'."
  { codes: [18047, 18049], about: /\.grad' is possibly 'null'/, tell: tellGradient },
];

const DTYPES: Readonly<Record<string, string>> = {
  float: "float32",
  double: "float64",
  half: "float16",
  int: "int32",
  long: "int64",
  short: "int16",
  byte: "uint8",
};
const IS_DTYPE = /^["'](?:float|int|uint|bool|bfloat|complex)\d*["']$/;
const IS_DEVICE = /^["'](?:cpu|mps|cuda)(?::\d+)?["']$/;

/** The option that a bare value is meant for, by the type of the options. */
function optionFor(type: string, value: string): string | null {
  if (/^(?:Tensor|Value|Like)Options/.test(type))
    return IS_DTYPE.test(value)
      ? "dtype"
      : IS_DEVICE.test(value)
        ? "device"
        : /^(?:true|false)$/.test(value)
          ? "requiresGrad"
          : null;
  if (type === "ButtonOptions" || type === "SliderOptions") return /^["'`]/.test(value) ? "label" : null;
  if (type.startsWith("LoaderOptions")) return /^[\w.]+$/.test(value) ? "batchSize" : null;
  return /^\w*(?:SGD|Adam|Adagrad|RMSprop|Adadelta|LBFGS|Rprop)\w*Options/.test(type) ? "lr" : null;
}

/** `torch.ones([2], "float32")` -> `torch.ones([2], { dtype: "float32" })` */
function tellOption(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  if (call === null) return null;
  const at = call.arguments.findIndex(({ start }) => start === complaint.start);
  const argument = call.arguments[at];
  const type = /has no properties in common with type '(?:Partial<)?(\w+)/.exec(complaint.message)?.[1];
  if (argument === undefined || type === undefined) return null;
  const value = written(argument);
  if (type === "ToOptions" && argument.type === "Literal")
    return `${value} is no device and no dtype: devices are "cpu", "mps" and "cuda", and dtypes such as "float32".`;
  const option = optionFor(type, value);
  if (option === null) return null;
  const given = call.arguments.map((each) => (each === argument ? `{ ${option}: ${value} }` : written(each)));
  return `${nameOf(call)} takes its options in one object: write ${calledWith(call, given, written)}.`;
}

/** `slider(0, 10)`, `new nn.Linear({ inFeatures: 2, outFeatures: 3 })` */
function tellCount(node: Node, { start, end }: Complaint, written: Written): string | null {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return null;
  if (start < node.start || end > node.end) return null;
  const name = nameOf(node);
  const given = node.arguments.map(written);
  if (name === "slider" && given.length > 1 && node.arguments.every(({ type }) => type === "Literal")) {
    const keys = given.length > 2 ? ["min", "max", "step"] : ["min", "max"];
    const options = keys.map((key, index) => `${key}: ${given[index]}`).join(", ");
    return `slider takes its options in one object: write slider({ ${options} }).`;
  }
  const [only] = node.arguments;
  if (node.type !== "NewExpression" || node.arguments.length !== 1 || only?.type !== "ObjectExpression")
    return null;
  if (!/^(?:Linear|Conv\d|Embedding|Bilinear|LayerNorm|BatchNorm|LSTM|GRU|RNN)/.test(name)) return null;
  const values = only.properties.flatMap((each) => (each.type === "Property" ? [written(each.value)] : []));
  return `${name} takes its sizes one by one: write ${calledWith(node, values, written)}.`;
}

function tellSlice(node: Node, { start, end }: Complaint, written: Written): string | null {
  if (node.type !== "CallExpression" || nameOf(node) !== "slice" || start < node.start || end > node.end)
    return null;
  const callee = written(node.callee);
  return `slice needs where it stops: write ${callee}(null) for all, ${callee}(3) up to the third, ${callee}(1, 3) from the second to the third.`;
}

/** `x.at(":", 0)` -> `x.at(torch.slice(null), 0)` */
function tellIndex(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const argument = call?.arguments.find(({ start }) => start === complaint.start);
  if (call === null || argument?.type !== "Literal" || typeof argument.value !== "string") return null;
  const slice = sliceOf(argument.value);
  if (slice === null)
    return `An index is a number, a torch.slice(...), a list or a mask, not ${written(argument)}.`;
  const given = call.arguments.map((each) => (each === argument ? slice : written(each)));
  return `A slice is no text: write ${calledWith(call, given, written)}.`;
}

/** `1:3`  ->  `torch.slice(1, 3)` */
function sliceOf(text: string): string | null {
  if (text.trim() === "...") return '"..."';
  const parts = /^\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?$/.exec(text);
  if (parts === null) return null;
  const [, start = "", stop = "", step = ""] = parts;
  if (start === "" && step === "") return `torch.slice(${stop || "null"})`;
  return `torch.slice(${[start || "null", stop || "null", ...(step === "" ? [] : [step])].join(", ")})`;
}

/** `x.sum({ dim: 1, keepdim: true })` -> `x.sum(1, { keepdim: true })` */
function tellDimension(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const options = call?.arguments.find(({ start, end }) => start <= complaint.start && complaint.end <= end);
  if (call === null || options?.type !== "ObjectExpression") return null;
  const isDimension = (each: Node) =>
    each.type === "Property" && each.key.type === "Identifier" && /^(?:dim|axis)$/.test(each.key.name);
  const dimension = options.properties.find(isDimension);
  if (dimension?.type !== "Property") return null;
  const rest = options.properties.filter((each) => each !== dimension).map(written);
  const given = [written(dimension.value), ...(rest.length === 0 ? [] : [`{ ${rest.join(", ")} }`])];
  const before = call.arguments.slice(0, call.arguments.indexOf(options)).map(written);
  return `The dimension comes before the options: write ${calledWith(call, [...before, ...given], written)}.`;
}

/** `torch.arange("3")` -> `torch.arange(3)`, `x.reshape("2,3")` -> `x.reshape([2, 3])` */
function tellQuoted(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const argument = call?.arguments.find(({ start }) => start === complaint.start);
  if (call === null || argument?.type !== "Literal" || typeof argument.value !== "string") return null;
  const numbers = argument.value
    .replace(/^\s*[[(]|[\])]\s*$/g, "")
    .split(",")
    .map((part) => part.trim());
  if (!numbers.every((part) => /^-?\d+(?:\.\d+)?$/.test(part))) return null;
  const isList = numbers.length > 1 || /type '(?:number\[\]|readonly number)/.test(complaint.message);
  const instead = isList ? `[${numbers.join(", ")}]` : numbers[0]!;
  const given = call.arguments.map((each) => (each === argument ? instead : written(each)));
  return `${written(argument)} is text, and ${nameOf(call)} takes ${isList ? "a list of numbers" : "a number"}: write ${calledWith(call, given, written)}.`;
}

function tellValues(node: Node, complaint: Complaint): string | null {
  if (callAround(node, complaint) === null) return null;
  return "A tensor is made of numbers, booleans and lists of them: write torch.tensor([1, 2]).";
}

function tellNew(node: Node, { start, end }: Complaint, written: Written): string | null {
  if (node.type !== "CallExpression" || start < node.start || end > node.end) return null;
  return `${nameOf(node)} is a class: write new ${written(node)}.`;
}

/** `new optim.Adam(model)` -> `new optim.Adam(model.parameters())` */
function tellParameters(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const [model, ...rest] = call?.arguments ?? [];
  if (call === null || model === undefined || model.start !== complaint.start) return null;
  const isModel = ["Identifier", "MemberExpression", "NewExpression"].includes(model.type);
  if (!isModel || complaint.message.startsWith("Argument of type 'Tensor")) return null;
  const given = [`${written(model)}.parameters()`, ...rest.map(written)];
  return `An optimizer takes the parameters of a model: write ${calledWith(call, given, written)}.`;
}

/** `torch.stack(x)`; several tensors are another sentence. */
function tellOneTensor(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const [tensor] = call?.arguments ?? [];
  if (call === null || tensor === undefined || tensor.start !== complaint.start) return null;
  return `${nameOf(call)} takes a list of tensors: write ${calledWith(call, [`[${written(tensor)}]`, ...call.arguments.slice(1).map(written)], written)} of one, [a, b] of several.`;
}

function tellLayers(node: Node, complaint: Complaint, written: Written): string | null {
  const call: Call | null = callAround(node, complaint);
  const [list] = call?.arguments ?? [];
  if (call === null || nameOf(call) !== "Sequential" || list?.type !== "ArrayExpression") return null;
  const layers = list.elements.flatMap((each) => (each === null ? [] : [written(each)]));
  return `Sequential takes its layers one by one: write ${calledWith(call, layers, written)}.`;
}

function tellDataset(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  if (call === null || call.arguments.length !== 1) return null;
  return `${nameOf(call)} takes the data first: write ${calledWith(call, ["dataset", ...call.arguments.map(written)], written)}.`;
}

/** `Math.max(x)`, `Number(x)`, `parseFloat(x)` */
function tellPlain(node: Node, complaint: Complaint, written: Written): string | null {
  const call = callAround(node, complaint);
  const argument = call?.arguments.find(({ start }) => start === complaint.start);
  if (call === null || argument === undefined) return null;
  const value = written(argument);
  if (complaint.message.endsWith("'string'."))
    return `A tensor is no text: write String(${value}), or ${value}.tolist() for its numbers.`;
  const isMath = call.callee.type === "MemberExpression" && written(call.callee.object) === "Math";
  const method = isMath ? `${value}.${nameOf(call)}() for a tensor, or ` : "";
  return `A tensor is no number: write ${method}${value}.item() for the value of a single one.`;
}

const PROPERTIES = new Set(
  "shape length dtype device ndim itemsize nbytes requiresGrad isLeaf grad T mT".split(" "),
);

/** `x.shape()` -> `x.shape` */
function tellProperty(node: Node, { start, end }: Complaint, written: Written): string | null {
  if (node.type !== "CallExpression" || node.arguments.length > 0 || start < node.start || end > node.end)
    return null;
  return PROPERTIES.has(nameOf(node)) ? `${nameOf(node)} is no method: write ${written(node.callee)}.` : null;
}

function tellDType(_: Node, { message }: Complaint): string | null {
  const given = /^Type '"([^"]*)"'/.exec(message)?.[1] ?? "";
  const name = given.replace(/^torch\./, "");
  const instead = DTYPES[name] ?? (IS_DTYPE.test(`"${name}"`) ? name : null);
  return instead === null ? null : `"${given}" is no dtype here: write "${instead}".`;
}

/** Namespaces of Python's torch that are names of the library. */
const NAMESPACES = new Set("nn optim cuda mps cpu autograd amp accelerator Tensor".split(" "));
const FUNCTIONAL =
  /^(?:\w*_loss|cross_entropy|binary_cross_entropy\w*|gelu|silu|leaky_relu|one_hot|layer_norm|batch_norm|scaled_dot_product_attention|interpolate|pad|normalize)$/;

function tellTorch(node: Node, { start, message }: Complaint): string | null {
  if (
    node.type !== "MemberExpression" ||
    node.property.start !== start ||
    node.property.type !== "Identifier"
  )
    return null;
  const { name } = node.property;
  if (NAMESPACES.has(name)) return `torch has no ${name} inside: write import { ${name} } from "mpslab".`;
  if (name === "utils")
    return 'torch has no utils inside: write import { data } from "mpslab", which has DataLoader.';
  if (name === "functional" || FUNCTIONAL.test(name)) {
    const called = name === "functional" ? "" : ` It is functional.${camelCase(name)}.`;
    return `Functions of torch.nn.functional are in functional: write import { functional } from "mpslab".${called}`;
  }
  return !message.includes("Did you mean") && /[a-z]_[a-z]/.test(name)
    ? `${message} Names are written as torch.${camelCase(name)} here.`
    : null;
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z\d])_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

function tellGradient(_: Node, { message }: Complaint): string | null {
  const place = /'(.*)' is possibly/.exec(message)?.[1];
  return place === undefined
    ? null
    : `${place} is null until backward() has run: write ${place}! where it has.`;
}
