// Programs of many kinds over tensors, as people write them in TypeScript.
import { expect, it } from "vitest";
import { check } from "./type_check.ts";

const PREAMBLE = `
import { data, functional as F, nn, optim, torch, Tensor } from "mpslab";
declare const open: Tensor, rows: number, cond: boolean;
const x = torch.zeros([2, 3]), y = torch.zeros([3, 4]);
const table: Record<string, Tensor> = { x, y }, list: Tensor[] = [x, y];
async function load(): Promise<Tensor> { return x; }
`;

const PROGRAMS: Record<string, string> = {
  "classes with tensors in their fields": `
class Base {
  weight: Tensor = x;
  protected cache: Tensor[] = [];
  get shape() {
    return this.weight.shape;
  }
}
class Derived extends Base {
  override weight = torch.zeros([7]);
  push(t: Tensor) {
    this.cache.push(t);
    return this;
  }
}
`,
  "generic functions": `
function firstOf<T>(xs: readonly T[]): T {
  return xs[0]!;
}
firstOf([x, y]).relu();
firstOf([x]).matmul(y);
const pick = <T extends Tensor | number>(v: T) => v;
pick(x);
pick(3);
pick(open);
function mapAll<K extends string>(o: Record<K, Tensor>): Record<K, Tensor> {
  return o;
}
mapAll({ a: x, b: y }).a.add(1);
`,
  containers: `
const m = new Map<string, Tensor>([
  ["a", x],
  ["b", y],
]);
m.get("a")?.add(1);
const s = new Set<Tensor>([x, y]);
for (const t of s) t.relu();
Object.values(table)
  .map((t) => t.sum())
  .reduce((a, b) => a.add(b));
const arr: Tensor[] = [];
arr.push(x);
arr.push(y);
arr[0] = y;
const [p0, ...rest] = arr;
p0!.add(1);
rest.map((t) => t.shape);
const tup: [Tensor, number] = [x, 1];
const ro: readonly Tensor[] = [x, y];
const nested: Tensor[][] = [[x], [y]];
const wm = new WeakMap<Tensor, number>();
wm.set(x, 1);
`,
  "promises and generators": `
const got = load().then((t) => t.add(1));
Promise.all([load(), load()]).then(([a, b]) => a.add(b));
async function loop() {
  for await (const t of (async function* () {
    yield x;
    yield y;
  })())
    t.relu();
  const v = await x;
  v.relu();
}
`,
  "unions, and what narrows them": `
function isT(v: unknown): v is Tensor {
  return v instanceof Tensor;
}
const u: Tensor | number[] = cond ? x : [1];
if (Array.isArray(u)) u.push(1);
else u.add(1);
const u2: Tensor | number = cond ? x : 1;
if (typeof u2 === "number") u2.toFixed();
else u2.relu();
const u3: Tensor | { loss: Tensor } = cond ? x : { loss: x };
if ("loss" in u3) u3.loss.relu();
else u3.relu();
const u4: Tensor | Tensor[] = cond ? x : [x];
const l4 = Array.isArray(u4) ? u4 : [u4];
l4.map((t) => t.relu());
const u5: Tensor | string = cond ? x : "a";
if (typeof u5 === "object") u5.relu();
if (isT(u5)) u5.relu();
const u6: Tensor | undefined = table["q"];
u6?.relu();
const d6 = u6 ?? y;
d6.relu();
const u7: nn.Parameter | null = cond ? new nn.Parameter(x) : null;
u7?.grad?.add(1);
if (x.grad !== null) {
  x.grad.add(1);
  const g = x.grad;
  g.add(1);
}
switch (x.dtype) {
  case "float32":
    x.matmul(y);
    break;
  default:
    x.relu();
}
`,
  "functions and callbacks": `
const fs: ((t: Tensor) => Tensor)[] = [(t) => t.relu(), F.relu, torch.sigmoid, (t: Tensor) => t.add(1)];
fs.reduce((t, f) => f(t), x as Tensor);
const compose =
  (...f: ((t: Tensor) => Tensor)[]) =>
  (t: Tensor) =>
    f.reduce((v, g) => g(v), t);
compose(torch.tanh, (t) => t.mul(2))(x);
const handler: (e: { loss: Tensor; step: number }) => void = ({ loss }) => loss.item();
handler({ loss: x.sum(), step: 1 });
[x, x].map((t) => t.add(1)).map((t) => t.matmul(y));
[x, y].forEach((t, i) => t.add(i));
[1, 2].map((n) => x.mul(n));
const sorted = [x, y].toSorted((a, b) => a.sum().item() - b.sum().item());
const total = [x, x].reduce((a, b) => a.add(b));
total.matmul(y);
const total2 = [1, 2].reduce((a, n) => a.add(n), torch.zeros([2, 3]));
total2.matmul(y);
const total3 = [x, x].reduce((a, b) => a.add(b.sum()), torch.zeros([]));
`,
  modules: `
class Net extends nn.Module {
  a = new nn.Linear(3, 4);
  b = new nn.Parameter(torch.zeros([4]));
  c: Tensor | null = null;
  layers = [new nn.Linear(4, 4), new nn.Linear(4, 4)];
  forward(t: Tensor): Tensor {
    let h = this.a(t).relu();
    for (const l of this.layers) h = l(h);
    const z = h.add(this.b);
    this.c = z.detach();
    return z;
  }
}
const net = new Net();
net(x).sum().backward();
const opt = new optim.Adam(net.parameters());
opt.step();
net.b.grad = null;
net.b.copy_(torch.zeros([4]));
class Rnn extends nn.Module {
  cell = new nn.GRUCell(3, 5);
  forward(seq: Tensor): [Tensor, Tensor] {
    let h: Tensor = torch.zeros([1, 5]);
    const outs: Tensor[] = [];
    for (const t of seq) {
      h = this.cell(t.unsqueeze(0), h);
      outs.push(h);
    }
    return [torch.stack(outs), h];
  }
}
const [o, h] = new Rnn()(torch.zeros([4, 3]));
o.add(1);
h.add(1);
`,
  "loops that assign": `
let w = torch.zeros([3]).requiresGrad_();
for (let i = 0; i < 3; i++) {
  const loss = x.matmul(w).pow(2).mean();
  loss.backward();
  w = torch.noGrad(() => w.sub(w.grad!.mul(0.1))).requiresGrad_();
  w.grad = null;
}
let a1: Tensor = x,
  b1: Tensor = y;
[a1, b1] = [b1, a1];
({ a: a1, b: b1 } = { a: x, b: y });
let best: { loss: number; state: Tensor } | undefined;
for (const t of [x, y]) {
  const loss = t.sum().item();
  if (!best || loss < best.loss) best = { loss, state: t };
}
let acc: Tensor | undefined;
for (const t of [x, x]) acc = acc ? acc.add(t) : t;
acc?.relu();
let acc2;
for (const t of [x, x]) {
  acc2 = acc2 === undefined ? t : acc2.add(t);
}
let cur = x;
do {
  cur = cur.mul(0.5);
} while (cur.sum().item() > 1);
let k1: Tensor = torch.zeros([2]);
if (cond) k1 = torch.zeros([3]);
k1.add(1);
let prev = open,
  next2 = prev.add(1);
while (next2.sub(prev).abs().max().item() > 1e-3) {
  prev = next2;
  next2 = prev.mul(0.5).add(1);
}
for (let t = x, i = 0; i < 3; t = t.add(1), i++) {
  const q = t.mul(2);
  t = q;
}
let st: [Tensor, Tensor] = [x, y];
for (let i = 0; i < 2; i++) {
  const [hh, cc] = st;
  const nh = hh.add(1);
  st = [nh, cc];
}
function fib(n: number): Tensor {
  let a = torch.zeros([1]),
    b = torch.ones([1]);
  for (let i = 0; i < n; i++) {
    const c = a.add(b);
    a = b;
    b = c;
  }
  return a;
}
const recur = (t: Tensor, n: number): Tensor => (n === 0 ? t : recur(t.mul(2), n - 1));
`,
  "types, spreads, parameters": `
type Params = { [K in "a" | "b"]: Tensor };
const ps: Params = { a: x, b: y };
const ps2 = { ...ps, a: y };
type KT = keyof Params;
type Opt = Partial<Params>;
const po: Opt = {};
po.a?.add(1);
type Ret = Awaited<ReturnType<typeof load>>;
const rr: Ret = x;
type El = (typeof list)[number];
const el: El = x;
type IsT<T> = T extends Tensor ? "yes" : "no";
const yes: IsT<typeof x> = "yes";
const no: IsT<number> = "no";
const yes2: IsT<nn.Parameter> = "yes";
const yes3: IsT<Tensor> = "yes";
type Deep<T> = T extends Tensor ? number[] : T extends object ? { [K in keyof T]: Deep<T[K]> } : T;
const dp: Deep<{ a: Tensor; b: { c: number } }> = { a: [1], b: { c: 2 } };
type NonT<T> = Exclude<T, Tensor>;
const nt: NonT<Tensor | string> = "a";
type OnlyT = Extract<Tensor | string, Tensor>;
const ot: OnlyT = x;
ot.relu();
interface Result {
  readonly loss: Tensor;
  metrics?: Record<string, Tensor>;
}
const res: Result = { loss: x.mean(), metrics: { acc: x.sum() } };
res.metrics?.["acc"]?.item();
const sat = { a: x, b: y } satisfies Record<string, Tensor>;
sat.a.matmul(sat.b);
const frozen = Object.freeze({ x });
frozen.x.matmul(y);
const asC = { x, y } as const;
asC.x.matmul(asC.y);
const { x: xx, ...others } = { x, y, n: 1 };
xx.matmul(others.y);
const t0 = x as Tensor;
const t1 = x as unknown as Tensor<[9, 9]>;
const t2 = <Tensor>x;
const t3: Tensor<[2, 3]> = open as Tensor<[2, 3]>;
t3.matmul(y);
const eq = open === y,
  eq2 = x == null,
  ne = x !== open;
const tt = \`\${x}\`,
  str = String(x),
  js = JSON.stringify({ a: x.tolist() });
const opt1 = x?.add(1),
  nn1 = x!.add(1);
void x;
typeof x;
x instanceof Tensor;
const sym = x[Symbol.iterator]();
const arr2 = [...x];
arr2[0]!.relu();
const arr3 = Array.from(x);
arr3[0]!.relu();
const arr4 = Array.from(x, (r) => r.sum());
const [r0, r1] = x;
r0!.add(r1!);
const ds = new data.TensorDataset(x, torch.zeros([2]).long());
for (const [bx, by] of new data.DataLoader(ds, { batchSize: 2 })) {
  bx!.add(1);
  by!.add(1);
}
const sc = torch.where(x.gt(0), x, 0),
  sc2 = torch.where(x.gt(0), x, y.sum());
const cl = x.clamp(0, 1);
const ei = torch.einsum("ij,jk->ik", [x, y]);
function overload(t: Tensor): Tensor;
function overload(n: number): number;
function overload(v: any): any {
  return v;
}
overload(x).relu();
overload(3).toFixed();
function opts({ t, n = 1 }: { t: Tensor; n?: number }) {
  return t.mul(n);
}
opts({ t: x }).add(1);
function rest2(...ts: Tensor[]) {
  return torch.stack(ts);
}
rest2(x, x).sum();
function def(t: Tensor = torch.zeros([2, 3]), q: Tensor | null = null) {
  return q ? t.add(q) : t;
}
def().relu();
def(x, y);
const memo =
  <A extends unknown[], R>(f: (...a: A) => R) =>
  (...a: A): R =>
    f(...a);
memo((t: Tensor) => t.relu())(x).add(1);
const curry = (f: (a: Tensor, b: Tensor) => Tensor) => (a: Tensor) => (b: Tensor) => f(a, b);
curry(torch.matmul)(x)(y);
curry((a, b) => a.add(b))(x)(x);
const gen = function* (): Generator<Tensor> {
  yield x;
  yield* [y];
};
for (const t of gen()) t.relu();
const cb: Parameters<typeof torch.tidy>[0] = () => x;
torch.tidy(() => x.add(1)).matmul(y);
torch.tidy(() => ({ a: x, b: [y] })).b[0]!.add(1);
torch.noGrad(() => [x, y] as const)[0].matmul(y);
const ck = x.registerHook((g) => g.mul(2));
const grads = torch.autograd.grad(x.sum(), [x]);
grads[0]!.add(1);
const cmp = x.lt(0).any().item() || x.isnan().any().item();
const bool = !!x.grad;
const num = +x.sum().item();
const z8: Tensor<[number, 3]> = x;
const z9: Tensor<[any, 3]> = x;
const z10: Tensor<[2, 3], "float32"> = z9;
const z11: Tensor<number[], "float32"> = x;
const z12: Tensor<[2, 3], "float32", "cpu"> = x.cpu();
function typed(t: Tensor<[number, 3], "float32">): Tensor<[number, 4], "float32"> {
  return t.matmul(torch.zeros([3, 4]));
}
typed(x).add(1);
typed(torch.zeros([rows, 3]));
function batch<N extends number>(t: Tensor<[N, 3]>): Tensor<[N, 4]> {
  return t.matmul(torch.zeros([3, 4]));
}
batch(x).matmul(torch.zeros([4, 5]));
function gen1<S extends number[]>(t: Tensor<S>): Tensor<S> {
  return t.relu();
}
gen1(x).matmul(y);
function gen2<T extends Tensor>(t: T): T {
  return t;
}
gen2(x).matmul(y);
const gen3 = <T extends Tensor>(t: T) => t.add(1);
gen3(x).add(x);
class Holder<T extends Tensor = Tensor> {
  constructor(public value: T) {}
  map<U extends Tensor>(f: (t: T) => U): Holder<U> {
    return new Holder(f(this.value));
  }
}
new Holder(x).map((t) => t.matmul(y)).value.add(1);
const hd: Holder = new Holder(x);
class Box<T> {
  constructor(public value: T) {}
}
const bx2: Box<Tensor> = new Box(x);
const bx3 = new Box(x);
bx3.value.matmul(y);
const lst: Box<Tensor>[] = [new Box(x), new Box(y)];
const fnT: (t: Tensor<[2, 3]>) => Tensor = (t) => t;
const fnO: (t: Tensor) => Tensor = fnT;
const fnK: (t: Tensor<[2, 3]>) => Tensor<[2, 3]> = (t: Tensor) => t;
export {};
`,
};

it.each(Object.entries(PROGRAMS))("%s", (_, program) => {
  expect(check(PREAMBLE + program)).toEqual([]);
});
