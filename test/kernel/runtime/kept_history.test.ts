// How much `In` and `Out` keep: a session of a day holds no more than one of an hour.
import { describe, expect, it } from "vitest";
import { CellHistory, KEPT_ENTRIES } from "../../../kernel/runtime/history.ts";

function filled(cells: number): CellHistory {
  const history = new CellHistory();
  for (let count = 1; count <= cells; count++) {
    history.addInput(count, `cell ${count}`);
    history.addOutput(count, count, String(count));
  }
  return history;
}

describe("In and Out", () => {
  it("keep the latest cells", () => {
    const history = filled(KEPT_ENTRIES + 5);
    for (const entries of [history.inputs, history.outputs]) {
      const counts = Object.keys(entries).map(Number);
      expect(counts).toHaveLength(KEPT_ENTRIES);
      expect([counts[0], counts.at(-1)]).toEqual([6, KEPT_ENTRIES + 5]);
    }
    expect(history.last).toBe(KEPT_ENTRIES + 5);
  });

  it("count a cell that runs again under its number once", () => {
    const history = filled(KEPT_ENTRIES);
    for (let again = 0; again < 10; again++) history.addInput(3, "again");
    expect(Object.keys(history.inputs)).toHaveLength(KEPT_ENTRIES);
  });

  it("begin anew when they are emptied", () => {
    const history = filled(KEPT_ENTRIES);
    history.clear();
    history.addInput(1, "first");
    expect(history.inputs).toEqual({ 1: "first" });
    expect(history.outputs).toEqual({});
  });
});
