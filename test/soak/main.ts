// `npm run soak [-- --hours H] [--cells N] [--seed N] [--faults LIST] [--kinds LIST]`: runs mixed cells in a real kernel over
// its Jupyter sockets, with faults at random, and keeps the report beside the benchmarks. A kind that grows is found by
// naming it alone, with `--faults none`. Needs /proc, as Linux has it.
import path from "node:path";
import { thisMachine } from "../bench/machine.ts";
import { keepResult } from "../bench/results.ts";
import { EVERY_KIND } from "./cells.ts";
import { type SoakOptions, readOptions, USAGE } from "./options.ts";
import { HOW, isMet, reportOf } from "./report.ts";
import { FAULTS } from "./schedule.ts";
import { soak } from "./soak.ts";

const RESULTS = path.resolve(import.meta.dirname, "../../../test/bench/results");
const SCALE = { pauseMs: 4_000, printedMegabytes: 500 };
const FIGURES_EVERY = 100;

let options: SoakOptions;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(1);
}
// Ctrl-C in the twentieth hour does not lose the hours before it. The kernel does not see it.
const interrupt = new AbortController();
process.once("SIGINT", () => interrupt.abort());
const settings = { scale: SCALE, figuresEvery: FIGURES_EVERY, told: console.log, signal: interrupt.signal };
const result = await soak(options, settings);
const report = reportOf(result);
// A soak of some kinds or faults alone is a search, and replaces no report; one that was interrupted does not either.
const isWhole =
  options.faults.length === FAULTS.length &&
  options.kinds.length === EVERY_KIND.length &&
  !interrupt.signal.aborted;
if (isWhole && result.libtorch !== "")
  console.log(keepResult(RESULTS, "soak", thisMachine(result.libtorch, null), report, HOW));
else console.log(report);
process.exitCode = isMet(result) ? 0 : 1;
