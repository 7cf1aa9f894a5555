// `npm run test:operators`: every operator against every sample of PyTorch's own tests that fits float32 and int64 on
// the CPU. What fails must be what `listed.json` lists, to the sample. `npm run test:operators -- simulated` makes the
// tensors on simulated Metal: what PyTorch computed on the CPU must come out of the queue.
import { isDeepStrictEqual } from "node:util";
import { mps, torch } from "../../lib/index.ts";
import { everySample } from "./every_sample.ts";
import { listed, Tally } from "./tally.ts";

const LEAST_PASSING = 0.99;
const device = process.argv.includes("simulated") ? "mps" : "cpu";

// Sums are then added up in the same order on both sides.
torch.setNumThreads(1);
if (device === "mps") {
  mps.simulate();
  torch.setDefaultDevice("mps");
}
const tally = new Tally(device);
for await (const line of everySample()) tally.add(line);

const total = tally.passed + tally.failed;
for (const [operator, problems] of tally.failing) {
  console.log(`${operator}: ${problems.length} fail`);
  for (const problem of new Set(problems.slice(0, 3))) console.log(`  ${problem}`);
}
console.log("\nNot among the samples:", Object.fromEntries(tally.unwritable));
console.log(
  `Not public here: ${[...tally.absent].map(([name, samples]) => `${name} (${samples})`).join(", ")}`,
);
if (device === "mps") {
  console.log("Refused on Metal:", Object.fromEntries(tally.lacking));
  const drains = Object.entries(mps.simulation()!.drains).toSorted(([, a], [, b]) => b - a);
  console.log(`The queue was drained for: ${drains.map(([name, times]) => `${name} ${times}`).join(", ")}`);
}
const rate = tally.passed / total;
console.log(
  `\n${tally.passed} of ${total} samples of ${tally.operators.size} operators pass: ${(100 * rate).toFixed(2)}%.`,
);

const expected: Record<string, number> = {};
for (const list of device === "mps" ? [listed.failing, listed.simulatedMetal] : [listed.failing])
  for (const [name, { samples }] of Object.entries(list)) expected[name] = (expected[name] ?? 0) + samples;
const complaints = [
  rate >= LEAST_PASSING ? null : `Fewer than ${100 * LEAST_PASSING}% pass.`,
  isDeepStrictEqual(tally.failures, expected)
    ? null
    : `Failing samples differ from listed.json: ${JSON.stringify(tally.failures)}`,
  isDeepStrictEqual([...tally.absent.keys()].sort(), [...listed.absent].sort())
    ? null
    : "Names that are not public differ from listed.json.",
].filter((complaint) => complaint !== null);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
