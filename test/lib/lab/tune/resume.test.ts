// Tests the journal of `lab.tune`: a run that was interrupted, or whose process was killed, goes on where it was.
import { spawnSync } from "node:child_process";
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

it("a run goes on after its process was killed in a step, and says which measurement was cut off", () => {
  const library = path.resolve(import.meta.dirname, "../../../../dist/bundle/lib/index.js");
  const journal = path.join(folder, "killed.jsonl");
  const program = `
    import { lab, nn, torch } from ${JSON.stringify(library)};
    let steps = 0;
    const make = () => {
      const model = new nn.Linear(4, 1);
      return {
        model,
        step() {
          if (++steps === Number(process.env.KILLED_IN_STEP)) process.kill(process.pid, "SIGKILL");
          const loss = model(torch.ones([8, 4])).mean();
          loss.backward();
          return loss;
        },
      };
    };
    const { resumedPoints, cutOffPoints } = await lab.tune(make, ${JSON.stringify({
      ...{ ...QUICK, rounds: 2, only: ["threads"], threads: [1], journal },
    })});
    console.log(JSON.stringify({ resumedPoints, cutOffPoints }));`;
  const run = (environment: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      env: { ...process.env, OMP_NUM_THREADS: "2", ...environment },
    });
  // One step is observed; then each measurement takes three.
  expect(run({ KILLED_IN_STEP: "6" }).signal).toBe("SIGKILL");
  const { stdout, stderr } = run({});
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    resumedPoints: 1,
    cutOffPoints: [expect.objectContaining({ trial: "threads 1", turn: 0 })],
  });
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
