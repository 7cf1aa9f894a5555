// One process of the fuzzer: makes the calls of a range of numbers, and says each before it is made.
// `node fuzz_process.js FROM TO`
import { execFileSync } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { torch } from "../../lib/index.ts";
import { fuzzCall } from "./fuzz_arguments.ts";
import { HEADROOM_BYTES } from "./fuzz_limits.ts";

const [from, to] = process.argv.slice(2).map(Number) as [number, number];
torch.setNumThreads(1);
limitMemory();
for (let number = from; number < to; number++) {
  writeSync(1, `${number}\n`);
  try {
    const { text, python, run } = fuzzCall(number);
    writeSync(1, `${number} ${text} ${python}\n`);
    run();
  } catch {
    // A refusal is what a wrong argument is to get.
  }
}

/**
 * Refuses requests for more memory at once. Without a limit they are granted, and take as long as a loop without end.
 */
function limitMemory(): void {
  if (process.platform !== "linux") return;
  const size = Number(/^VmSize:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))![1]) * 1024;
  execFileSync("prlimit", ["--pid", String(process.pid), `--as=${size + HEADROOM_BYTES}`]);
}
