// Nanoseconds for one call of 25 operators at 4, 1 k and 1 M elements, through the whole way from JavaScript. With
// the argument `disposed` each result is disposed, as Python's reference counts do it; without, they are the
// collector's.
import { torch, type Tensor } from "mpslab";
import { summarize } from "../rounds.ts";

/** A figure is the median of such stretches: what else the machine does strikes one or two of them. */
const STRETCHES = 9;
/** About this long each: enough calls for several collections. */
const STRETCH_MS = 8;
/** Calls until the memory that results take turns in was touched once: a machine may take milliseconds for a new page. */
const FIRST_CALLS = 16;
torch.setNumThreads(1);

const disposed = process.argv[2] === "disposed";

function nanosecondsPerCall(call: () => Tensor): number {
  const timed = (calls: number) => {
    const start = process.hrtime.bigint();
    if (disposed) for (let i = 0; i < calls; i++) call().dispose();
    else for (let i = 0; i < calls; i++) call();
    return Number(process.hrtime.bigint() - start);
  };
  timed(FIRST_CALLS);
  // The calls that warm up say how many there is time for.
  let calls = 1;
  let ns = timed(calls);
  while (ns < STRETCH_MS * 1e6) ns = timed((calls *= 2));
  calls = Math.max(1, Math.round((calls * STRETCH_MS * 1e6) / ns));
  return summarize(Array.from({ length: STRETCHES }, () => timed(calls) / calls)).median;
}

const { ops } = torch;

/** Square matrices of `side`. */
function calls(side: number): Record<string, () => Tensor> {
  const x: Tensor = torch.rand([side, side]).add(0.5);
  const y: Tensor = torch.rand([side, side]).add(0.5);
  const vector = torch.rand([side]);
  const condition = x.gt(y);
  const rows = torch.arange(side);
  const layerNorm = ops.aten.layer_norm.default;
  return {
    add: () => x.add(y),
    sub: () => x.sub(y),
    mul: () => x.mul(y),
    div: () => x.div(y),
    "add 1": () => x.add(1),
    pow: () => x.pow(2),
    neg: () => x.neg(),
    exp: () => x.exp(),
    log: () => x.log(),
    sqrt: () => x.sqrt(),
    tanh: () => x.tanh(),
    sigmoid: () => x.sigmoid(),
    relu: () => x.relu(),
    clamp: () => x.clamp(0.6, 1.2),
    where: () => torch.where(condition, x, y),
    sum: () => x.sum(),
    "sum of a dim": () => x.sum(1),
    mean: () => x.mean(),
    argmax: () => x.argmax(1),
    softmax: () => x.softmax(-1),
    "layer norm": () => layerNorm(x, [side], vector, vector, 1e-5),
    cat: () => torch.cat([x, y]),
    "transposed copy": () => x.t().contiguous(),
    "index select": () => x.indexSelect(0, rows),
    matmul: () => x.matmul(y),
  };
}

const figures: Record<string, number> = {};
for (const [size, side] of [
  ["4", 2],
  ["1k", 32],
  ["1M", 1024],
] as const) {
  for (const [name, call] of Object.entries(calls(side)))
    figures[`${name}, ${size}`] = nanosecondsPerCall(call);
}
console.log(JSON.stringify(figures));
