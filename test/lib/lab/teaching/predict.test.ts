// Predictions: what the form asks, and how a measurement is set beside what the learner expected.
import { inspect } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { deliverComms } from "../../../../lib/comms/comms.ts";
import { lab } from "../../../../lib/index.ts";
import { ScriptedPage } from "../../comms/scripted_page.ts";

let page: ScriptedPage;
beforeEach(() => {
  page = new ScriptedPage();
});

function answers(given: readonly unknown[]): void {
  const comm = page.sent.findLast(({ action }) => action === "open")!.comm;
  page.say({
    action: "message",
    comm,
    data: { method: "update", state: { answers: given }, buffer_paths: [] },
  });
  deliverComms();
}

const times = () => lab.predict("Ten products are queued.", { returned: "ms", finished: "ms" });

it("numbers are set beside the measured ones, with how far off they were", () => {
  const guess = times();
  answers([3, 20]);
  expect(guess.of("finished")).toBe(20);
  const compared = guess.compare({ returned: 0.412_345, finished: 61 });
  expect(compared[1]).toEqual({ name: "finished", unit: "ms", predicted: 20, measured: 61 });
  expect(inspect(compared)).toBe(
    [
      "Your prediction beside the measurement",
      "            predicted  measured  you were",
      "  returned       3 ms  0.412 ms  7.3 times too high",
      "  finished      20 ms     61 ms  3 times too low",
    ].join("\n"),
  );
});

it.each([
  [10, 10, "exact"],
  [10, 10.5, "within 10%"],
  [0, 5, "too low"],
  [5, 0, "too high"],
  [-1, 5, "too low"],
])("a prediction of %s where %s was measured is %s", (predicted, measured, distance) => {
  const guess = lab.predict("How many?", { copies: "" });
  answers([predicted]);
  expect(inspect(guess.compare({ copies: measured }))).toMatch(new RegExp(`${distance}$`));
});

it("what the measurement did not find is none, beside which no prediction is too high or too low", () => {
  const guess = lab.predict("Where is the knee?", { knee: "reports" });
  answers([32]);
  expect(
    inspect(guess.compare({ knee: Number.NaN }))
      .split("\n")
      .at(-1)!
      .trimEnd(),
  ).toBe("  knee  32 reports      none");
});

it.each([
  [0.412_345, "0.412 MiB"],
  [12.345, "12.3 MiB"],
  [1024, "1,024 MiB"],
  [-1024.4, "-1,024 MiB"],
])("%s is shown as %s", (measured, shown) => {
  const guess = lab.predict("How much?", { memory: "MiB" });
  expect(inspect(guess.compare({ memory: measured }))).toContain(`  ${shown}`);
});

it("without a prediction the measurement stands alone, and the way back is told", () => {
  expect(inspect(times().compare({ returned: 1, finished: 2 }))).toMatch(
    /\n {2}returned {10}– {6}1 ms\n.*\nYou predicted nothing\. Answer the question above, then run this cell again/,
  );
});

it("an outcome is set beside what happened", () => {
  const guess = lab.predict("Which loop is faster?", ["the silent one", "the logging one", "neither"]);
  expect(guess.choice).toBe(null);
  answers(["neither"]);
  expect(guess.compare("the silent one")).toEqual({
    question: "Which loop is faster?",
    predicted: "neither",
    happened: "the silent one",
  });
  expect(inspect(guess.compare("the silent one"))).toBe(
    "Which loop is faster? the silent one.\nYou predicted: neither.",
  );
  expect(inspect(guess.compare("neither"))).toBe("Which loop is faster? neither.\nYou predicted that.");
});

it("reads as its question where no page shows it", () => {
  expect(inspect(times())).toBe(
    "Your prediction: Ten products are queued.\n  returned ____ ms\n  finished ____ ms",
  );
});

it("an answer of another kind is not taken", () => {
  const guess = times();
  answers(["fast", 1]);
  expect(guess.of("finished")).toBe(null);
});

it.each([
  ["one outcome", ["yes"]],
  ["an outcome twice", ["yes", "yes"]],
  ["outcomes that are no texts", [1, 2]],
  ["no numbers", {}],
  ["a unit that is no text", { finished: 1 }],
  ["a number", 3],
])("%s is refused", (_, asked) => {
  expect(() => lab.predict("How long?", asked as never)).toThrow(
    /^lab\.predict: the second argument must be numbers with their units, such as \{ finished: "ms" \}, or a list of two or more outcomes, got /,
  );
});

it("a measurement that is missing is named", () => {
  expect(() => times().compare({ returned: 1 } as never)).toThrow(
    "prediction.compare: finished must be the measured number, got undefined.",
  );
  const guess = lab.predict("Which?", ["a", "b"]);
  expect(() => guess.compare("c" as never)).toThrow(
    'prediction.compare: "c" is none of the choices "a", "b".',
  );
});
