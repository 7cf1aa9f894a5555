// `lab.search` with Optuna itself, which is installed into an environment of this test's own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { lab, torch } from "../../../../lib/index.ts";
import { distributionsOf } from "../../../../lib/lab/search/space.ts";
import { pythonEnvironment } from "../../../helpers/python_environment.ts";

const optuna = pythonEnvironment("optuna", "optuna==5.0.0");
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-search-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a space", () => {
  const read = (space: unknown) => distributionsOf("lab.search", space, ["value"]);
  it("holds ranges and choices by name", () => {
    expect(
      read({
        rate: { low: 1e-4, high: 1, log: true },
        layers: { low: 1, high: 4, integer: true },
        kind: ["a", null],
      }),
    ).toEqual({
      rate: { low: 1e-4, high: 1, log: true, step: null, integer: false },
      layers: { low: 1, high: 4, log: false, step: null, integer: true },
      kind: { choices: ["a", null] },
    });
  });
  it.each<[string, unknown, string | RegExp]>([
    ["nothing", {}, /^lab\.search takes parameters by name, as \{ rate: /],
    [
      "no range",
      { rate: 0.1 },
      "lab.search: rate must be a range, as { low: 0, high: 1 }, or a list of choices, got 0.1.",
    ],
    [
      "another word",
      { rate: { min: 0, max: 1 } },
      'lab.search: rate: unknown option "min"; it takes low, high, log, step, integer.',
    ],
    ["no upper end", { rate: { low: 0 } }, "lab.search: rate.high must be a number, got undefined."],
    ["turned ends", { rate: { low: 2, high: 1 } }, "lab.search: rate.low, 2, must not be above high, 1."],
    [
      "a fraction",
      { n: { low: 0.5, high: 1, integer: true } },
      "lab.search: n.low must be a whole number, got 0.5.",
    ],
    [
      "no end",
      { n: { low: 0, high: Infinity } },
      "lab.search: n.high must be a finite number, got Infinity.",
    ],
    [
      "the logarithm of 0",
      { rate: { low: 0, high: 1, log: true } },
      "lab.search: rate.low must be positive on a logarithmic scale, got 0.",
    ],
    ["no choice", { kind: [] }, "lab.search: kind has no choices: give one at least."],
    ["an object", { kind: [{}] }, /^lab\.search: choices of kind must be numbers, texts, booleans or null/],
    [
      "a column's name",
      { value: [1] },
      "lab.search: a parameter cannot be called value, which is a column of the trials.",
    ],
  ])("of %s is refused", (_, space, message) => expect(() => read(space)).toThrow(message));
});

describe.skipIf(optuna.missing !== null)(
  `a search${optuna.missing === null ? "" : `: ${optuna.missing}`}`,
  () => {
    beforeAll(() => {
      vi.stubEnv("MPSLAB_OPTUNA_PYTHON", optuna.missing === null ? optuna.program("python") : "");
    });
    afterAll(() => vi.unstubAllEnvs());
    const valley = ({ x }: { readonly x: number }) => (x - 3) ** 2;
    const quiet = { show: false } as const;

    it("finds the lowest value, or the highest, and the same again", async () => {
      const space = { x: { low: -10, high: 10 } };
      const found = await lab.search(space, valley, { ...quiet, trials: 40 });
      expect(found.trials.length).toBe(40);
      expect(found.best!.value).toBe(found.trials.column("value").min());
      // Forty points at random come as close as 0.5 in nine of ten searches only; TPE looks near the best ones.
      expect(Math.abs(found.best!.parameters.x - 3)).toBeLessThan(0.5);
      expect(found.library).toBe("Optuna 5.0.0, TPE");
      const again = await lab.search(space, valley, { ...quiet, trials: 40 });
      expect(again.trials.column("x").values()).toEqual(found.trials.column("x").values());
      const highest = await lab.search(space, valley, {
        ...quiet,
        trials: 5,
        direction: "maximize",
        sampler: "random",
      });
      expect(highest.best!.value).toBe(highest.trials.column("value").max());
      expect(inspect(highest)).toMatch(/^search: 5 trials, highest .* in trial \d; Optuna 5\.0\.0, random\n/);
    });

    it("gives choices as they are, and whole numbers where they are asked for", async () => {
      const found = await lab.search(
        { kind: ["a", 1, null, true], layers: { low: 1, high: 3, integer: true } },
        ({ kind, layers }) => {
          expect(["a", 1, null, true]).toContain(kind);
          expect([1, 2, 3]).toContain(layers);
          return torch.tensor(layers);
        },
        { ...quiet, trials: 12 },
      );
      expect(new Set(found.trials.column("layers").values())).toEqual(new Set([1, 2, 3]));
    });

    it("ends hopeless trials early, and none without a pruner", async () => {
      const losing = async (_: unknown, trial: lab.Trial) => {
        // Each trial is worse than those before it.
        for (let step = 0; step < 10; step++) if (await trial.report(trial.number * 10 + step)) break;
        return trial.number * 10 + 9;
      };
      const space = { x: { low: 0, high: 1 } };
      const { trials, best } = await lab.search(space, losing, { ...quiet, trials: 8 });
      expect(trials.column("state").values()).toEqual([
        ...Array.from({ length: 5 }, () => "complete"),
        ...Array.from({ length: 3 }, () => "pruned"),
      ]);
      expect(trials.column("steps").values().slice(5)).toEqual([1, 1, 1]);
      expect(best!.trial).toBe(0);
      const whole = await lab.search(space, losing, { ...quiet, trials: 8, pruner: "none" });
      expect(new Set(whole.trials.column("steps").values())).toEqual(new Set([10]));
    });

    it("goes on after a loss that is lost, and ends with what the objective throws", async () => {
      const space = { x: { low: 0, high: 1 } };
      const found = await lab.search(space, (_, { number }) => (number === 0 ? NaN : 1 / number), {
        ...quiet,
        trials: 3,
      });
      expect(found.trials.column("state").values()).toEqual(["fail", "complete", "complete"]);
      const failing = lab.search(space, () => Promise.reject(new Error("no memory")), quiet);
      await expect(failing).rejects.toThrow("no memory");
      await expect(lab.search(space, () => "1" as never, quiet)).rejects.toThrow(
        'lab.search: what the objective returns must be a number, got "1".',
      );
    });

    it("goes on from a journal", async () => {
      const options = { ...quiet, journal: path.join(folder, "study.log") };
      const space = { x: { low: 0, high: 1 }, kind: ["a", "b"] };
      const first = await lab.search(space, ({ x }) => x, { ...options, trials: 3 });
      let count = 0;
      const second = await lab.search(space, ({ x }) => (count++, x), { ...options, trials: 5 });
      expect(count).toBe(2);
      expect(second.trials.column("x").values().slice(0, 3)).toEqual(first.trials.column("x").values());
      expect(new Set(second.trials.column("x").values()).size).toBe(5);
    });

    it("gives a recorded run its parameters, and no run beside it", async () => {
      lab.logbook.use(path.join(folder, "search.logbook.jsonl"));
      await lab.search(
        { rate: { low: 0.1, high: 0.2 }, kind: ["a"] },
        ({ rate }, { number }) => {
          lab.logbook.record({ name: `trial ${number}`, parameters: { own: 1 }, results: { rate } });
          return rate;
        },
        { ...quiet, trials: 2 },
      );
      lab.logbook.record({ name: "outside" });
      const runs = lab.logbook.runs();
      lab.logbook.use(null);
      expect(runs.column("rate").values()).toEqual([
        ...runs.column("results.rate").values().slice(0, 2),
        NaN,
      ]);
      expect(runs.select("kind", "own").records()).toEqual([
        { kind: "a", own: 1 },
        { kind: "a", own: 1 },
        { kind: null, own: NaN },
      ]);
    });

    it("names the Python without Optuna, and how to install it", async () => {
      vi.stubEnv("MPSLAB_OPTUNA_PYTHON", "/bin/false");
      await expect(lab.search({ x: [1] }, () => 1, quiet)).rejects.toThrow(
        "lab.search: MPSLAB_OPTUNA_PYTHON is /bin/false, which has no Optuna: name a Python with Optuna, or install it there by /bin/false -m pip install optuna.",
      );
    });
  },
);
