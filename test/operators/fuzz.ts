// `npm run test:operators -- fuzz [CALLS] [SEED]`: calls with drawn arguments in child processes. A call that ends its
// process, or that does not end, is printed with its number, and the run goes on behind it. `-- fuzz 1 NUMBER` makes
// one call again. What is found belongs into native/refusals.cc.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const SILENCE_MS = 30_000;
const MEMORY_KIB = 8_000_000;
const program = path.join(import.meta.dirname, "fuzz_process.js");

const [calls = 500_000, seed = Date.now() % 2 ** 31] = process.argv.slice(3).map(Number);
const end = seed + calls;
console.log(`${calls} calls from number ${seed}.`);

interface Ending {
  readonly number: number;
  readonly text: string;
  /** Undefined where every call ended. */
  readonly failure: string | undefined;
}

/** Makes the calls from this number on, until one ends the process. */
async function runFrom(from: number): Promise<Ending> {
  const limited = `ulimit -v ${MEMORY_KIB} 2>/dev/null; exec "$@"`;
  const command = ["-c", limited, "sh", process.execPath, program, String(from), String(end)];
  const child = spawn("sh", command, { stdio: ["ignore", "pipe", "ignore"] });
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  let last = { number: from, text: "(not yet known)" };
  let hangs = false;
  const watch = setTimeout(() => {
    hangs = true;
    child.kill("SIGKILL");
  }, SILENCE_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    watch.refresh();
    const [number, text] = line.split(" ");
    last = { number: Number(number), text: text ?? "(not yet known)" };
  }
  const [status, signal] = await closed;
  clearTimeout(watch);
  const failure = hangs ? "does not end" : (signal ?? (status === 0 ? undefined : `status ${status}`));
  return { ...last, failure };
}

let found = 0;
for (let next = seed; next < end;) {
  const { number, text, failure } = await runFrom(next);
  if (failure === undefined) break;
  found++;
  console.log(`${number} ${text}: ${failure}`);
  next = number + 1;
}
console.log(`${found} of ${calls} calls ended their process or did not end.`);
process.exitCode = found === 0 ? 0 : 1;
