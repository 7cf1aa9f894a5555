// `lab.benchmark` and `lab.compare` as a cell calls them, on this machine's real device.
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { lab, torch } from "../../../../../lib/index.ts";

torch.setNumThreads(1);
const QUICK = { warmup: 1, repeats: 3, repeatMs: 0 } as const;
const DISPLAY = Symbol.for("Jupyter.display");
const shown = (value: unknown) => (value as Record<symbol, () => Record<string, string>>)[DISPLAY]!();

describe("lab.benchmark", () => {
  const a = torch.ones([32, 32]);

  it("gives plain data: what JSON keeps is all of it", () => {
    const result = lab.benchmark(function product() {
      return a.matmul(a);
    }, QUICK);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(result).toMatchObject({ name: "product", device: torch.device(), repeats: 3 });
    expect(result.finishedMs.median).toBeGreaterThanOrEqual(result.finishedMs.min);
    expect(result.finishedMs.median).toBeGreaterThan(0);
  });

  it("shows itself as a table, in a notebook and in console.log", () => {
    const result = lab.benchmark(() => a.matmul(a), { ...QUICK, name: "a < b" });
    const bundle = shown(result);
    expect(Object.keys(bundle)).toEqual(["text/html", "text/plain"]);
    expect(bundle["text/html"]).toContain("a &lt; b");
    expect(bundle["text/plain"]).toContain("a < b");
    expect(inspect(result)).toBe(bundle["text/plain"]);
  });

  it("of a function that returns a promise gives a promise", async () => {
    const result = lab.benchmark(async () => a.sum().itemAsync(), { ...QUICK, name: "sum" });
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toMatchObject({ name: "sum", repeats: 3 });
  });

  it("passes on what the function throws", () => {
    const wrong = torch.ones([3].concat()); // of a shape that the type checker does not know
    expect(() => lab.benchmark(() => a.matmul(wrong), QUICK)).toThrow(RangeError);
  });
});

describe("lab.compare", () => {
  it("measures a function on devices, set up again for each turn there", () => {
    const setUp: string[] = [];
    const result = lab.compare(
      function product(device) {
        setUp.push(device);
        const a = torch.ones([16, 16], { device });
        return () => a.matmul(a);
      },
      { ...QUICK, devices: ["cpu", torch.device()] },
    );
    expect(setUp.slice(0, 2)).toEqual(["cpu", torch.device()]);
    // Three repeats are three rounds.
    expect(setUp).toHaveLength(2 + 3 * 2);
    expect(result.results.map(({ name, device }) => [name, device])).toEqual([
      ["product", "cpu"],
      ["product", torch.device()],
    ]);
    expect(result.speedups[0]).toBe(1);
  });

  it("measures functions by name; a speedup is the first one's time by each one's", () => {
    const small = torch.ones([4]);
    const large = torch.ones([1 << 20]);
    const result = lab.compare(
      { large: () => large.exp(), small: () => small.exp() },
      { ...QUICK, devices: ["cpu"] },
    );
    const [one, other] = result.results;
    expect(result.speedups[1]).toBe(one!.finishedMs.median / other!.finishedMs.median);
    expect(shown(result)["text/plain"]).toMatch(/small .*×$/m);
  });
});

describe("misuse", () => {
  const run = () => {};
  it.each<[string, () => unknown, string, string]>([
    [
      "no function",
      () => lab.benchmark(5 as never),
      "TypeError",
      "lab.benchmark takes a function and calls it",
    ],
    [
      "a misspelt option",
      () => lab.benchmark(run, { repeat: 3 } as never),
      "TypeError",
      'unknown option "repeat"',
    ],
    [
      "no repeats",
      () => lab.benchmark(run, { repeats: 0 }),
      "RangeError",
      "repeats must be an integer of at least 1",
    ],
    [
      "a device that is not here",
      () => lab.benchmark(run, { device: "cuda:7" }),
      "RangeError",
      "is not available here",
    ],
    [
      "a name that is none",
      () => lab.benchmark(run, { name: 3 as never }),
      "TypeError",
      "name must be a string",
    ],
    ["nothing to compare", () => lab.compare({}), "TypeError", "lab.compare takes a function of a device"],
    ["a number to compare", () => lab.compare({ a: 1 as never }), "TypeError", "functions by name"],
    [
      "no devices",
      () => lab.compare(run, { devices: [] }),
      "TypeError",
      'devices must be a list such as ["cpu", "mps"]',
    ],
    [
      "a device that is none",
      () => lab.compare(run, { devices: ["gpu" as never] }),
      "TypeError",
      '"gpu" names no device',
    ],
  ])("%s is refused", (_, misuse, name, message) => {
    expect(misuse).toThrow(expect.objectContaining({ name, message: expect.stringContaining(message) }));
  });
});
