// One process of the fuzzer: makes the calls of a range of numbers, and says each before it is made.
// `node fuzz_process.js FROM TO`
import { writeSync } from "node:fs";
import { torch } from "../../lib/index.ts";
import { fuzzCall } from "./fuzz_arguments.ts";

const [from, to] = process.argv.slice(2).map(Number) as [number, number];
torch.setNumThreads(1);
for (let number = from; number < to; number++) {
  writeSync(1, `${number}\n`);
  try {
    const { text, run } = fuzzCall(number);
    writeSync(1, `${number} ${text}\n`);
    run();
  } catch {
    // A refusal is what a wrong argument is to get.
  }
}
