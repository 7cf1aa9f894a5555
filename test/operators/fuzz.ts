// `npm run test:operators -- fuzz [CALLS] [SEED]`: calls with drawn arguments in child processes, MPSLAB_FUZZ_JOBS at a
// time. A call that ends its process, or that does not end, is printed with its number, its line of Python and what
// PyTorch does with that (MPSLAB_FUZZ_PYTHON, else `.venv-bench`). `-- fuzz 1 NUMBER` makes one call again. What is found
// belongs into native/call/refusals/refusals.cc.
import { availableParallelism } from "node:os";
import path from "node:path";
import { overloadCount } from "./fuzz_arguments.ts";
import { behaviourInPython } from "./fuzz_python.ts";
import { failuresOf, type Found } from "./fuzz_range.ts";

/** So that each process begins anew now and then: what calls before have left is not what a call is to meet. */
const CALLS_OF_PROCESS = 2_500;
const TOLD_EVERY = 20;
const program = path.join(import.meta.dirname, "fuzz_process.js");

const [calls = 500_000, seed = Date.now() % 2 ** 31] = process.argv.slice(3).map(Number);
const jobs = Number(process.env["MPSLAB_FUZZ_JOBS"] ?? availableParallelism());
const end = seed + calls;
console.log(`${calls} calls of ${overloadCount} overloads from number ${seed}, ${jobs} at a time.`);

const times = new Map<string, number>();
let next = seed;
let parts = 0;
await Promise.all(Array.from({ length: jobs }, runParts));
const found = [...times.values()].reduce((sum, count) => sum + count, 0);
console.log(`${found} of ${calls} calls ended their process or did not end.`);
for (const [key, count] of times) console.log(`${count} times ${key}`);
process.exitCode = found === 0 ? 0 : 1;

async function runParts(): Promise<void> {
  while (next < end) {
    const from = next;
    next = Math.min(end, from + CALLS_OF_PROCESS);
    for await (const one of failuresOf(program, { from, end: next })) await tell(one, from);
    if (++parts % TOLD_EVERY === 0) console.log(`... ${parts * CALLS_OF_PROCESS} calls made`);
  }
}

/** Each overload's first failure in full. */
async function tell(
  { number, text, python, failure, crashStderrFilter }: Found,
  from: number,
): Promise<void> {
  const key = `${text}: ${failure}`;
  const before = times.get(key) ?? 0;
  times.set(key, before + 1);
  if (before > 0) return console.log(`${number} ${key} (again)`);
  const [beside, alone] = await Promise.all([behaviourInPython(python), failsAlone(number)]);
  const where = alone ? "" : `; not alone, but after the calls from ${from} on`;
  console.log(
    `${number} ${key}; ${beside}${where}\n  ${python}${failure === "SIGABRT" ? `\n  ${crashStderrFilter}` : ""}`,
  );
}

async function failsAlone(number: number): Promise<boolean> {
  for await (const _ of failuresOf(program, { from: number, end: number + 1 })) return true;
  return false;
}
