// Claims: what a title says where a measurement holds it, and what a cell says where it does not.
import { afterEach, beforeEach, expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";
import { type MimeBundle, outputSink, installOutputSink } from "../../../../lib/display.ts";
import { causesOf } from "../../../../lib/lab/teaching/claim.ts";

const plain = outputSink();
let shown: MimeBundle[] = [];
beforeEach(() => {
  shown = [];
  installOutputSink({ ...plain, display: (data) => void shown.push(data) });
});
afterEach(() => installOutputSink(plain));

it("is the sentence where it holds, and shows nothing", () => {
  expect(lab.claim("A larger batch takes longer", true, { device: "cpu", repeats: 3 })).toBe(
    "A larger batch takes longer",
  );
  expect(shown).toEqual([]);
});

it("says that it does not hold here, what may be the cause, and where a run stands in which it held", () => {
  const title = lab.claim("A larger batch takes longer", false, {
    device: "cpu",
    repeats: 3,
    stored: "batch.png",
  });
  expect(title).toBe("Not so here: A larger batch takes longer");
  expect(shown).toHaveLength(1);
  const text = String(shown[0]!["text/plain"]);
  expect(text).toMatch(
    /^Not so here: A larger batch takes longer\nWhat may be the cause:\n- No GPU takes part: /,
  );
  expect(text).toMatch(/- Each value was measured 3 times, .*\nIn the stored run it holds: batch\.png$/);
  expect(String(shown[0]!["text/markdown"])).toContain("\n\nIn the stored run it holds:\n\n![](batch.png)");
});

const quiet = { label: null, loadPerCore: 0.1, repeats: undefined };

it.each([
  ["a CPU", { label: "cpu" }, "No GPU takes part: this machine's processor computes what is on cpu."],
  [
    "a simulated GPU",
    { label: "mps (simulated)" },
    "No GPU takes part: this machine's processor computes what is on mps (simulated).",
  ],
  [
    "a busy machine",
    { loadPerCore: 4.1 },
    "The machine is busy: in the last minute 4.1 programs a core wanted to run. Close others, and run the cell again.",
  ],
  ["few repetitions", { repeats: 7 }, "Each value was measured 7 times, which is few: raise repeats."],
])("%s may be the cause", (_, condition, cause) => {
  expect(causesOf({ ...quiet, ...condition })).toEqual([cause]);
});

it.each([
  ["a GPU on a quiet machine", { label: "mps" }],
  ["many repetitions", { repeats: 20 }],
  ["a system that counts no load", { loadPerCore: null }],
])("%s is no cause, and the reader measures again", (_, condition) => {
  expect(causesOf({ ...quiet, ...condition })).toEqual(["Nothing that the lab can see: run the cell again."]);
});

it.each([
  [["A", 1], "lab.claim: holds must be true or false, got 1."],
  [["A", true, { repeats: 0 }], "lab.claim: repeats must be"],
  [[2, true], "lab.claim: sentence must be a string, got 2."],
])("refuses %j", (given, message) => {
  expect(() => lab.claim(...(given as unknown as Parameters<typeof lab.claim>))).toThrow(message);
});
