// Evidence that lacks what is read of it is refused, and not taken for a finding.
import { expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";

it.each<[string, object, string]>([
  [
    "an operator without a name",
    { operators: [{ ms: 9 }, { name: "mm", ms: 1 }] },
    "operators[0].name must be a text, got undefined.",
  ],
  [
    "an operator without a time",
    { operators: [{ name: "mm" }] },
    "operators[0].ms must be a number of at least 0, got undefined.",
  ],
  [
    "a time that is no number",
    { operators: [{ name: "mm", ms: NaN }] },
    "operators[0].ms must be a number of at least 0, got NaN.",
  ],
  ["an operator that is a text", { operators: ["mm"] }, "operators[0].name must be a text, got undefined."],
  [
    "a process without a name",
    { processes: [{ pid: 3 }] },
    "processes[0].name must be a text, got undefined.",
  ],
  [
    "epochs that are losses",
    { epochs: [0.5, 0.4] },
    "epochs[0].loop must be a number of at least 0, got undefined.",
  ],
  ["a parity of nothing", { parity: {} }, "parity.device must be a text, got undefined."],
  ["a trace of nothing", { trace: {} }, "trace.switches must be a list, got undefined."],
  ["a sweep of nothing", { sweep: {} }, "sweep.points must be a list, got undefined."],
  ["a comparison of nothing", { comparison: {} }, "comparison.results must be a list, got undefined."],
])("takes %s for a mistake", (_, evidence, message) => {
  expect(() => lab.diagnose(evidence as never)).toThrow(new TypeError(`lab.diagnose: ${message}`));
});

it("takes misspelt evidence for a mistake", () => {
  expect(() => lab.diagnose({ sync: {} } as never)).toThrow(/unknown option "sync"/);
});
