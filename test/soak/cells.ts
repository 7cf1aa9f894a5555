// The cells of a soak: what users write, in a seeded order, with a bounded set of names, so that nothing grows because a
// name was added.
import type { Value } from "./model/variables.ts";

/** Runs first, and again in a new session. */
export const PREPARATION = [
  'import { torch, nn, optim, lab, comms, type Tensor } from "mpslab";',
  "const model = new nn.Sequential(new nn.Linear(8, 16), new nn.ReLU(), new nn.Linear(16, 1)); const sgd = new optim.SGD(model.parameters(), { lr: 0.01 });",
  "const x = torch.randn([32, 8]); const y = torch.randn([32, 1]);",
] as const;

const NAMES = 8;

/** The expected end of a cell. */
export interface SoakCell {
  readonly kind: string;
  readonly code: string;
  readonly status: "ok" | "error";
  /** What its variables hold afterwards, as the soak's model of the session must know it. */
  readonly assigns: Readonly<Record<string, Value>>;
}

/** Makes cells, one kind each. `name` is one of a bounded set, `value` a small integer. */
const KINDS: Readonly<Record<string, (name: string, value: number) => string>> = {
  declaration: (name, value) => `const number_${name} = ${value}; let text_${name} = "text ${value}";`,
  typed: (name, value) =>
    `interface Point_${name} { x: number } const point_${name}: Point_${name} = { x: ${value} };`,
  import: () => 'import path from "node:path"; import { readFileSync } from "node:fs"; path.join("a", "b");',
  print: (_, value) => `console.log("step", ${value}, { loss: ${value} / 7 });`,
  display: (_, value) => `display({ "text/html": "<b>${value}</b>" });`,
  expression: (_, value) => `[${value}, ${value + 1}, ${value + 2}].map((item) => item * 2)`,
  tensor: (name, value) =>
    `const tensor_${name} = torch.randn([64, ${value % 16} + 1]); tensor_${name}.sum().item()`,
  tensorResult: (_, value) => `torch.arange(${value % 10} + 2).reshape([-1, 1])`,
  training: () =>
    "for (let step = 0; step < 3; step++) { sgd.zeroGrad(); const loss = model(x).sub(y).pow(2).mean(); loss.backward(); sgd.step(); }",
  typeError: (_, value) => `const wrong: string = ${value};`,
  syntaxError: (_, value) => `const = ${value};`,
  thrown: (name, value) =>
    `function fail_${name}(): never { throw new RangeError("value ${value}"); }\nfail_${name}();`,
  rejected: (_, value) => `await Promise.reject(new Error("rejected ${value}"));`,
  tensorError: () => "torch.zeros([2, 3]).matmul(torch.zeros([2, 3]));",
  awaited: (_, value) => `await new Promise((resolve) => setTimeout(resolve, ${value % 3})); ${value}`,
  timer: (_, value) => `setTimeout(() => console.log("late", ${value}), 1);`,
  function: (name, value) =>
    `function scale_${name}(input: number): number { return input * ${value}; }\nscale_${name}(3)`,
  class: (name, value) =>
    `class Layer_${name} extends nn.Module { width = ${value}; override forward(input: Tensor): Tensor { return input; } }\nnew Layer_${name}().width`,
  comm: () => 'const channel = comms.open("soak", { total: 3 }); channel.send({ done: 1 }); channel.close();',
  shell: () => "%sh true",
  time: (_, value) => `%time ${value} + 1`,
  who: () => "%who",
  chart: () => "for (let epoch = 0; epoch < 2; epoch++) { const loss = model(x).mean(); loss.item(); }",
};

const ERRORS: ReadonlySet<string> = new Set([
  "typeError",
  "syntaxError",
  "thrown",
  "rejected",
  "tensorError",
]);

/** Starting a process takes as long as twenty cells: kinds that do so come more rarely. */
const RARE: ReadonlySet<string> = new Set(["shell", "chart", "who"]);
const RARE_SHARE = 0.1;

export const EVERY_KIND = Object.keys(KINDS);

export function nextCell(random: () => number, kinds: readonly string[] = EVERY_KIND): SoakCell {
  const kind = kinds[Math.floor(random() * kinds.length)]!;
  const name = "abcdefgh"[Math.floor(random() * NAMES)]!;
  const value = Math.floor(random() * 1000);
  if (kinds.length > 1 && RARE.has(kind) && random() > RARE_SHARE) return nextCell(random, kinds);
  const assigns =
    kind === "declaration" ? { [`number_${name}`]: value, [`text_${name}`]: `text ${value}` } : {};
  return { kind, code: KINDS[kind]!(name, value), status: ERRORS.has(kind) ? "error" : "ok", assigns };
}
