// Tests the journal of a sweep through cells: which sweep resumes after an interrupt, and which is refused.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { lab, nn } from "../../../../lib/index.ts";

const QUICK = { warmupSteps: 1, windows: 2, windowMs: 5, show: false } as const;
const folder = mkdtempSync(path.join(tmpdir(), "sweep-"));
let journal: string;
let journals = 0;

beforeEach(() => {
  journal = path.join(folder, `${++journals}.jsonl`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the journal", () => {
  it("lets the same sweep go on after an interrupt, with the points that it had", async () => {
    const interruption = Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
    let stopAt: number | null = 8;
    const measured: number[] = [];
    const options: lab.SweepOptions = {
      ...QUICK,
      journal,
      batch: { from: 2, to: 16 },
      setup({ batch }) {
        if (batch === stopAt) throw interruption;
        measured.push(batch);
        return () => {};
      },
    };
    await expect(lab.sweep(options)).rejects.toThrow(interruption);
    stopAt = null;
    const result = await lab.sweep(options);
    expect(measured).toEqual([2, 4, 8, 16]);
    expect(result).toMatchObject({ resumedPoints: 2, journal });
    expect(result.notes).toContain(`2 points come from the journal ${journal}.`);
    expect(readFileSync(journal, "utf8").trim().split("\n").at(-1)).toMatch(/^\{"type":"end"/);
  });

  it.each<[string, unknown, string]>([
    ["batch", [1, 2], "[1] and is [1,2]"],
    ["grid", { dtype: ["float16"] }, '{} and is {"dtype":["float16"]}'],
    ["samples", 7, "null and is 7"],
    ["capture", true, "false and is true"],
    ["warmupSteps", 9, "1 and is 9"],
    ["windows", 9, "2 and is 9"],
    ["windowMs", 9, "5 and is 9"],
    ["deadlineMs", 9000, "60000 and is 9000"],
    ["memoryShare", 0.5, "0.9 and is 0.5"],
    ["seed", 9, "0 and is 9"],
  ])("of an unfinished sweep with another %s is refused, saying so", async (name, value, change) => {
    const setup = () => {
      throw Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
    };
    const options = { ...QUICK, journal, batch: [1], setup };
    await expect(lab.sweep(options)).rejects.toThrow("stop");
    await expect(lab.sweep({ ...options, [name]: value })).rejects.toThrow(
      `${journal} holds an unfinished sweep that differs: ${name} was ${change}. Give restart: true to leave it, or another name.`,
    );
  });

  it("is written by one sweep at a time: a second one is refused, and begins when the first has ended", async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const options = { ...QUICK, journal, batch: [1], setup: () => () => gate };
    const first = lab.sweep(options);
    await expect(lab.sweep(options)).rejects.toThrow(
      `${journal} is being written by a sweep that runs: give this one another name, or wait for that one.`,
    );
    await expect(lab.sweep({ ...options, journal: path.relative(".", journal) })).rejects.toThrow("written");
    go();
    expect((await first).resumedPoints).toBe(0);
    expect(await lab.sweep(options)).toMatchObject({ resumedPoints: 0, cutOffPoints: [] });
  });

  it("of another model is refused", async () => {
    const options = { ...QUICK, journal, batch: [1], setup: () => () => {} };
    const stop = Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
    const stopping = {
      ...options,
      model: new nn.Linear(2, 3),
      setup: () => {
        throw stop;
      },
    };
    await expect(lab.sweep(stopping)).rejects.toThrow(stop);
    await expect(lab.sweep({ ...stopping, model: new nn.Linear(2, 4) })).rejects.toThrow(
      /holds an unfinished sweep that differs: model was "Linear with 2 parameters, \w+" and is "Linear with 2 parameters, \w+"/,
    );
  });
});
