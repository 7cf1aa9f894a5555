// Mends uses of the library: indices in brackets, classes without `new`, members from PyTorch or NumPy.
import type { Node } from "oxc-parser";
import { isIdentifier } from "../../../lib/typescript/identifiers.ts";
import type { Candidate } from "./advice.ts";
import { dimension, listed, optioned } from "./call_arguments.ts";
import { assigned } from "./operators.ts";
import {
  memberAt,
  type Call,
  callAround,
  calledWith,
  camelCase,
  isCall,
  nameOf,
  type Place,
  receiver,
  replacing,
  type Rule,
  written,
} from "./place.ts";

const REFUSED = new Set([2345, 2769, 2684]);

/**
 * For errors in which an operator refuses its arguments. The message itself says what to do, for example "add: one
 * tensor is on mps, the other on cpu; .to("mps") moves it." Other rules are not tried: another form of the call only
 * hides sizes or dtypes from the checker, and would fail when it runs.
 */
export const REFUSAL_RULES: readonly Rule[] = [
  { codes: REFUSED, offer: moved },
  { codes: REFUSED, offer: parameters },
];

export const TENSOR_RULES: readonly Rule[] = [
  // "... can't be used to index type 'Tensor'.", "Type 'Tensor' cannot be used as an index type."
  { codes: new Set([7053, 2538]), offer: indexed },
  // "Element implicitly has an 'any' type because index expression is not of type 'number'."
  { codes: new Set([7015]), offer: column },
  // "Argument of type '":"' is not assignable to parameter of type 'Index'."
  { codes: new Set([2345, 2769]), offer: slicedByText },
  // "Expected 1 arguments, but got 2.", "... has no properties in common with type ...", "No overload matches this call."
  { codes: new Set([2554, 2559, 2345, 2740, 2769]), offer: listed },
  { codes: new Set([2559, 2345, 2769, 2554, 2353]), offer: optioned },
  { codes: new Set([2769, 2353]), offer: dimension },
  // "Value of type 'typeof Linear' is not callable. Did you mean to include 'new'?"
  { codes: new Set([2348]), offer: newed },
  { codes: new Set([2345, 2769, 2559]), offer: parameters },
  { codes: new Set([2322, 2741]), offer: parameter },
  { codes: new Set([2339, 2551]), offer: member },
  { codes: new Set([2339, 2551]), offer: hyperparameter },
  { codes: new Set([2339, 2551]), offer: ofLayer },
  { codes: new Set([2339, 2551, 2554]), offer: withoutGradients },
  { codes: new Set([2339, 2551]), offer: elsewhere },
  { codes: new Set([2305, 2724]), offer: importedFromElsewhere },
  { codes: new Set([2365, 2362, 2363]), offer: assignedWithOperator },
];

const NAMESPACES = ["torch", "functional", "nn", "optim", "data", "lab", "cuda", "mps", "amp", "autograd"];

/** `torch.cross_entropy(x, y)` -> `functional.crossEntropy(x, y)` */
function* elsewhere(place: Place): Iterable<Candidate> {
  const { around } = place;
  const node = memberAt(place);
  if (node?.object.type !== "Identifier" || node.property.type !== "Identifier") return;
  const { name: space } = node.object;
  const { name } = node.property;
  if (!NAMESPACES.includes(space) && space !== "F") return;
  if (NAMESPACES.includes(name)) {
    const chain = chainOf(place, node);
    const rest = place.text
      .slice(node.end, chain.end)
      .replace(/(?<=\.)[a-z]+(?:_[a-z\d]+)+(?=\W|$)/g, camelCase);
    yield replacing(
      chain,
      `${place.text.slice(chain.start, node.start)}${name}${rest}`,
      `${name} is a name of its own`,
    );
  }
  const parent = around[around.indexOf(node) + 1];
  const isCallee = isCall(parent) && parent.callee === node;
  for (const other of new Set([space, ...NAMESPACES]))
    for (const own of new Set([camelCase(name), name])) {
      if (other === space && own === name) continue;
      const whole = isCallee ? parent : node;
      const text = `${place.text.slice(whole.start, node.start)}${other}.${own}${place.text.slice(node.end, whole.end)}`;
      const sentence =
        other === space ? "Names are written so here" : `${space} does not have it, and ${other} does`;
      yield replacing(whole, text, sentence);
    }
}

/** `optimizer.lr = 0.1` */
function* hyperparameter(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node?.property.type !== "Identifier") return;
  const object = receiver(place, node.object);
  const rest = `.paramGroups[0]!.${camelCase(node.property.name)}`;
  yield {
    ...replacing(node, `${object}${rest}`, "An optimizer has it in each group of parameters"),
    tried: `(${object} satisfies { readonly paramGroups: unknown })${rest}`,
  };
}

/** Layers, with the most usual ones first. */
const LAYERS = ["Linear", "Conv2d", "Embedding", "BatchNorm2d", "LSTM"];

/** `model[0].weight` of a Sequential, whose layers are of any kind */
function* ofLayer(place: Place): Iterable<Candidate> {
  const node = memberAt(place);
  if (node === null || !/ does not exist on type '(?:Layer|Module)'/.test(place.message)) return;
  const object = receiver(place, node.object);
  for (const layer of LAYERS)
    yield replacing(
      node,
      `(${object} as nn.${layer}).${camelCase(written(place, node.property))}`,
      `Where it is a ${layer}`,
    );
}

/** `torch.no_grad()`, which is no context here */
function* withoutGradients(place: Place): Iterable<Candidate> {
  const call = place.around.find((node) => node.type === "CallExpression") as Call | undefined;
  const mode = call === undefined ? "" : camelCase(nameOf(call));
  if (call?.callee.type !== "MemberExpression" || call.arguments.length > 0) return;
  if (!/^(?:noGrad|inferenceMode|enableGrad)$/.test(mode)) return;
  const code = `${written(place, call.callee.object)}.${mode}`;
  yield {
    ...replacing(call, `${code}(() => {})`, "The mode is that of a function, and ends with it", true),
    shown: `${code}(() => { ... })`,
  };
}

/** `torch.nn.Linear(2, 3)` for its `torch.nn` */
function chainOf({ around }: Place, node: Node): Node {
  let chain = node;
  for (const next of around.slice(around.indexOf(node) + 1)) {
    if (!/^(?:Member|Call|New)Expression$/.test(next.type)) break;
    const inner = next.type === "MemberExpression" ? next.object : isCall(next) ? next.callee : null;
    if (inner !== chain) break;
    chain = next;
  }
  return chain;
}

/** `import { DataLoader } from "mpslab"` */
function* importedFromElsewhere(place: Place): Iterable<Candidate> {
  const { around, start, text } = place;
  const statement = around.find((node) => node.type === "ImportDeclaration");
  if (statement?.type !== "ImportDeclaration" || statement.source.value !== "mpslab") return;
  const specifier = statement.specifiers.find((one) => one.start <= start && start < one.end);
  if (specifier === undefined) return;
  const { name } = specifier.local;
  const others = statement.specifiers.filter((one) => one !== specifier).map((one) => written(place, one));
  for (const space of NAMESPACES) {
    const names = [...new Set([...others, space])].join(", ");
    const end = text[statement.end - 1] === ";" ? ";" : "";
    const line = `import { ${names} } from "mpslab";\nconst { ${name} } = ${space}${end}`;
    yield { ...replacing(statement, line, `${space} has it`), shown: line.replace("\n", " ") };
  }
}

/** `x += 1` for a tensor, which TypeScript refuses by itself */
function* assignedWithOperator(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "AssignmentExpression");
  if (node?.type === "AssignmentExpression") yield* assigned(node, place);
}

function* indexed(place: Place): Iterable<Candidate> {
  const { around, start, end } = place;
  for (const node of around) {
    if (node.type !== "MemberExpression" || !node.computed) continue;
    if (node.property.start !== start && (node.start !== start || node.end !== end)) continue;
    const { object, property } = node;
    const indices = (property.type === "SequenceExpression" ? property.expressions : [property]).map((one) =>
      written(place, one),
    );
    const tensor = receiver(place, object);
    const parent = around[around.indexOf(node) + 1];
    const isSet = parent?.type === "AssignmentExpression" && parent.operator === "=" && parent.left === node;
    const sentence = "A tensor is not indexed by brackets";
    if (isSet) {
      const value = written(place, parent.right);
      yield replacing(parent, `${tensor}.setAt(${[...indices, value].join(", ")})`, sentence, true);
    } else yield replacing(node, `${tensor}.at(${indices.join(", ")})`, sentence, true);
    yield replacing(property, `${receiver(place, property)}.item()`, "A tensor is no index", true);
  }
}

/** `flats["rent"]`, as for a column of a table */
function* column(place: Place): Iterable<Candidate> {
  const node = place.around.find((one) => one.type === "MemberExpression" && one.computed);
  if (node?.type !== "MemberExpression" || node.property.type !== "Literal") return;
  const { value } = node.property;
  if (typeof value !== "string" || !isIdentifier(value)) return;
  const list = receiver(place, node.object);
  yield replacing(
    node,
    `${list}.map((one) => one.${value})`,
    "A list has elements, and each of them its fields",
    true,
  );
}

function* moved(place: Place): Iterable<Candidate> {
  const move = /; (\.\w+\([^()]*\)) (?:moves it|converts them)\.$/.exec(place.message);
  const call = callAround(place);
  const argument = call?.arguments.find(({ start }) => start === place.start);
  if (!move || !argument) return;
  const sentence = place.message.slice(0, move.index);
  yield replacing(argument, `${receiver(place, argument)}${move[1]}`, sentence, true);
}

/** `x.at(":", 0)` -> `x.at(torch.slice(null), 0)` */
function* slicedByText(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const argument = call?.arguments.find(({ start }) => start === place.start);
  if (!call || argument?.type !== "Literal" || typeof argument.value !== "string") return;
  const slice = sliceOf(argument.value);
  if (slice === null) return;
  const given = call.arguments.map((each) => (each === argument ? slice : written(place, each)));
  yield calledWith(place, call, given, "A slice is no text");
}

/** `1:3`  ->  `torch.slice(1, 3)` */
function sliceOf(text: string): string | null {
  const parts = /^\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?$/.exec(text);
  if (parts === null) return null;
  const [, start = "", stop = "", step = ""] = parts;
  if (start === "" && step === "") return `torch.slice(${stop || "null"})`;
  return `torch.slice(${[start || "null", stop || "null", ...(step === "" ? [] : [step])].join(", ")})`;
}

function* newed(place: Place): Iterable<Candidate> {
  const call = place.around.find((node) => node.type === "CallExpression") as Call | undefined;
  if (!call) return;
  const text = written(place, call);
  const sentence = `${nameOf(call)} is a class`;
  // Capitalized calls among the arguments are mostly classes, too.
  yield replacing(
    call,
    `new ${text.replace(/(?<!new )(?<=[(,]\s*)(?:\w+\.)+[A-Z]\w*(?=\()/g, "new $&")}`,
    sentence,
    true,
  );
  yield replacing(call, `new ${text}`, sentence, true);
}

/** `new optim.Adam(model)` -> `new optim.Adam(model.parameters())` */
function* parameters(place: Place): Iterable<Candidate> {
  const call = callAround(place);
  const [model, ...rest] = call?.arguments ?? [];
  if (!call || model === undefined) return;
  const others = rest.map((each) => written(place, each));
  const text = receiver(place, model);
  if (call.type === "NewExpression") {
    const sentence = "An optimizer takes the parameters of a model";
    yield calledWith(place, call, [`${text}.parameters()`, ...others], sentence);
    yield calledWith(place, call, [`${text}()`, ...others], sentence);
  }
  if (nameOf(call) === "Sequential" && model.type === "ArrayExpression") {
    const layers = model.elements.flatMap((each) => (each === null ? [] : [written(place, each)]));
    yield calledWith(place, call, layers, "Sequential takes its layers one by one");
  }
  if (/^(?:max|min|hypot|push|of)$/.test(nameOf(call)) && rest.length === 0)
    yield calledWith(place, call, [`...${written(place, model)}`], "It takes its values one by one");
}

/** `layer.weight = torch.ones([2, 3])`, which would leave the layer without a parameter to train. */
function* parameter(place: Place): Iterable<Candidate> {
  const node = place.around.find(
    (one) => one.type === "AssignmentExpression" && one.left.start === place.start,
  );
  if (node?.type !== "AssignmentExpression") return;
  const value = `new nn.Parameter(${written(place, node.right)})`;
  yield {
    ...replacing(node.right, value, "A layer trains Parameters", true),
    shown: `${written(place, node.left)} = ${value}`,
  };
}

/** `loss.toFixed(2)`, `x.numpy()`, `param.data.float()` */
function* member(place: Place): Iterable<Candidate> {
  const node = place.around.find(
    (one) => one.type === "MemberExpression" && one.property.start === place.start,
  );
  if (node?.type !== "MemberExpression" || node.property.type !== "Identifier") return;
  const object = receiver(place, node.object);
  const { name } = node.property;
  if (name === "numpy") {
    const call = place.around[place.around.indexOf(node) + 1];
    yield replacing(
      isCall(call) ? call : node,
      `${object}.data()`,
      "data() is a typed array over the same memory, as numpy() was",
      true,
    );
  }
  if (name === "map" || name === "forEach" || name === "reduce" || name === "filter")
    yield replacing(
      node,
      `${object}.tolist().${name}`,
      "tolist() gives the numbers of a tensor as lists",
      true,
    );
  const of = node.object;
  if (of.type === "MemberExpression" && of.property.type === "Identifier" && of.property.name === "data")
    yield replacing(
      node,
      `${receiver(place, of.object)}.detach().${name}`,
      "data() is a method, which gives a typed array",
      true,
    );
}
