// Tests a step that keeps running after its deadline in a plain program, where it cannot be stopped: no point is
// measured beside it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";

const QUICK = { warmupSteps: 1, windows: 2, windowMs: 5, show: false } as const;
const folder = mkdtempSync(path.join(tmpdir(), "left-"));
const journal = path.join(folder, "a.jsonl");
afterAll(() => rmSync(folder, { recursive: true }));

it("the points after it are left out, and measured when it has ended", async () => {
  const work = { goesOn: true };
  const step = async () => {
    while (work.goesOn) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const setup = ({ batch }: lab.Point) => (batch === 2 ? step : () => torch.ones([2]));
  const sweep = () =>
    lab.sweep({ ...QUICK, journal, deadlineMs: 3_000, batch: [1, 2, 4], grid: { run: [1, 2] }, setup });
  const first = await sweep();
  const last = first.points.at(-1)!;
  expect(last).toMatchObject({
    point: { batch: 2 },
    status: "deadline",
    notes: ["The step runs on after its deadline."],
  });
  expect(first.points.length).toBeLessThan(6);
  expect(first.ends).toEqual([
    expect.stringContaining(
      `The step of batch 2, run ${last.point["run"]} runs on after its deadline, and beside it no time would be right`,
    ),
  ]);
  for (const batch of [1, 2, 4])
    for (const run of [1, 2])
      expect(
        first.ends[0]!.includes(`batch ${batch}, run ${run}`) ||
          first.points.some(({ point }) => point.batch === batch && point["run"] === run),
      ).toBe(true);
  await expect(sweep()).rejects.toThrow("a step of an earlier sweep runs on after its deadline");
  work.goesOn = false;
  const second = await sweep();
  expect(second.resumedPoints).toBe(first.points.length);
  expect(second.points).toHaveLength(6);
  expect(second.ends).toEqual([]);
});
