// Small programs give what they give in PyTorch, and throw where they throw there. Each stands in `programs/` in Python
// and in TypeScript; what PyTorch answered is kept, so that no test needs PyTorch.
import { beforeAll, describe, expect, it } from "vitest";
import { torch } from "../../lib/index.ts";
import { differences, drawnByMkl } from "./programs/differences.ts";
import { leaf, refused } from "./programs/helpers.ts";
import { keptResults, subjects } from "./programs/subjects.ts";
import { problemsOf } from "./programs/verdicts.ts";

const kept = keptResults();

beforeAll(() => {
  // Sums are then added up in the same order on both sides.
  torch.setNumThreads(1);
});

describe("programs do what they do in PyTorch", () => {
  it.each(Object.entries(subjects))("%s", async (subject, programs) => {
    expect(await problemsOf(subject, programs, kept[subject] ?? {})).toEqual([]);
  });

  it("stand in a list where they differ on purpose, which names no other", () => {
    const places = new Set(
      Object.entries(subjects).flatMap(([subject, programs]) =>
        Object.keys(programs).map((name) => `${subject}.${name}`),
      ),
    );
    expect([...Object.keys(differences), ...drawnByMkl].filter((place) => !places.has(place))).toEqual([]);
  });
});

describe("the comparison itself", () => {
  const two = { values: { shape: [1], dtype: "float32", values: [2] } };
  const problem = (program: () => unknown, theirs: Parameters<typeof problemsOf>[2][string], listed = {}) =>
    problemsOf("subject", { program }, { program: theirs }, listed);

  it("passes what is equal, and what throws in both", async () => {
    expect(await problem(() => torch.tensor([2], { dtype: "float32" }), two)).toEqual([]);
    expect(await problem(() => leaf(1, 2).reshape([3]), { throws: "shape" })).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ["is [3], not [2]", () => torch.tensor([3], { dtype: "float32" })],
    ["is int64, not float32", () => torch.tensor([2])],
    ["has shape [1, 1], not [1]", () => torch.full([1, 1], 2, { dtype: "float32" })],
    ["throws, where PyTorch gives", () => leaf(1, 2).reshape([3])],
  ])("finds that the result %s", async (_, program) => {
    expect(await problem(program, two)).toHaveLength(1);
  });

  it("finds what PyTorch throws at, and what is listed and differs no longer", async () => {
    expect(await problem(() => 1, { throws: "no" })).toHaveLength(1);
    expect(await problem(() => 1, { values: 1 }, { "subject.program": "once" })).toHaveLength(1);
    expect(await problem(() => 2, { values: 1 }, { "subject.program": "on purpose" })).toEqual([]);
  });

  it("takes a mistake in a program for no refusal", () => {
    expect(() => refused(() => (torch as unknown as { unknown(): void }).unknown())).toThrow(TypeError);
  });
});
