// Tests the journal of `lab.tune`: a run that was interrupted goes on where it was.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { useScriptedClock } from "../scripted_device.ts";
import { QUICK, training } from "./scripted_training.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tune-"));
beforeEach(() => {
  useScriptedClock();
  torch.setNumThreads(2);
});
afterEach(() => vi.useRealTimers());
afterAll(() => rmSync(folder, { recursive: true }));

it("a run goes on after an interrupt, with the measurements that it had, to the same answer", async () => {
  const interruption = Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
  let stopAt = 20;
  let steps = 0;
  const make = training(({ threads, casts }) => {
    if (++steps === stopAt) throw interruption;
    return 10 - (threads === 1 ? 4 : 0) - (casts ? 2 : 0);
  });
  const journal = path.join(folder, "a.jsonl");
  const options = { ...QUICK, rounds: 2, only: ["threads", "autocast"], threads: [1], journal } as const;
  await expect(lab.tune(make, options)).rejects.toThrow(interruption);
  const measuredBefore = readFileSync(journal, "utf8").match(/"type":"point"/g)!.length;
  stopAt = Infinity;
  const resumed = await lab.tune(make, options);
  expect(resumed.resumedPoints).toBe(measuredBefore);
  expect(measuredBefore).toBeGreaterThan(0);
  expect(resumed.notes).toContain(`${measuredBefore} measurements come from the journal ${journal}.`);
  expect(readFileSync(journal, "utf8").trim().split("\n").at(-1)).toMatch(/^\{"type":"end"/);

  const whole = await lab.tune(make, { ...options, journal: null });
  expect(resumed.settings).toEqual(whole.settings);
  expect(resumed.knobs).toEqual(whole.knobs);
});

it("the journal of an unfinished run with other options is refused, saying so", async () => {
  const stop = Object.assign(new Error("stop"), { name: "KeyboardInterrupt" });
  let steps = 0;
  const make = training(() => {
    if (++steps > 1) throw stop;
    return 1;
  });
  const journal = path.join(folder, "b.jsonl");
  const options = { ...QUICK, only: ["threads"], threads: [1], journal } as const;
  await expect(lab.tune(make, options)).rejects.toThrow(stop);
  await expect(lab.tune(make, { ...options, windows: 9 })).rejects.toThrow(
    `${journal} holds an unfinished sweep that differs: windows was 2 and is 9. Give restart: true to leave it, or another name.`,
  );
});
