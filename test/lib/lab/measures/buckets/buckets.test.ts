// `lab.buckets`: the shapes of a record are timed here, one after the other, and `lab.decide` takes the result as evidence.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { lab, OutOfMemoryError, torch } from "../../../../../lib/index.ts";
import { label } from "../../../../helpers/metal_device.ts";

const folder = mkdtempSync(path.join(tmpdir(), "buckets-"));
afterAll(() => rmSync(folder, { recursive: true }));

const QUICK = { warmup: 1, repeats: 3, device: "cpu" } as const;
const DISPLAY = Symbol.for("Jupyter.display");
const html = (value: unknown) =>
  (value as Record<symbol, () => Record<string, string>>)[DISPLAY]!()["text/html"];

const recordOf = (...buckets: readonly (readonly [batch: number, sequence: number, ms: number])[]) => ({
  source: "M2 Ultra, MLX 0.20",
  buckets: buckets.map(([batch, sequence, ms]) => ({ batch, sequence, ms })),
});
/** No step takes so long, or so short a time. */
const [LONG, SHORT] = [1e9, 1e-9];

describe("lab.buckets", () => {
  it("times the step in each bucket, beside the record's time", () => {
    const calls: string[] = [];
    const result = lab.buckets(
      (batch, sequence) => {
        calls.push(`${batch} ${sequence}`);
        return torch.ones([batch, sequence], { device: "cpu" }).sum();
      },
      { ...QUICK, record: recordOf([1, 128, LONG], [8, 64, SHORT]) },
    );
    expectTypeOf(result).toEqualTypeOf<lab.Buckets>();
    // Asked for what it is, warmed once, measured three times.
    expect(calls).toEqual([...Array<string>(5).fill("1 128"), ...Array<string>(5).fill("8 64")]);
    expect(result).toMatchObject({ device: "cpu", source: "M2 Ultra, MLX 0.20", notes: [] });
    for (const { ms, recordMs, ratio, finishedMs, repeats } of result.buckets) {
      expect(ms).toBe(finishedMs!.median);
      expect(ratio).toBe(ms! / recordMs);
      expect(repeats).toBe(3);
    }
    expect(result.summary).toMatch(/^Faster than the record in 1 of 2 buckets timed on cpu: .*× to .*× its/);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("times what the step sets up, without the set-up", () => {
    const counts = { made: 0, done: 0 };
    lab.buckets(
      (batch, sequence) => {
        counts.made++;
        const x = torch.ones([batch, sequence], { device: "cpu" });
        return () => {
          counts.done++;
          return x.sum();
        };
      },
      { ...QUICK, record: recordOf([2, 3, 1]) },
    );
    expect(counts).toEqual({ made: 1, done: 4 });
  });

  it("shows itself as a table in text and HTML, and says what is simulated", () => {
    const result = lab.buckets((batch, sequence) => torch.ones([batch, sequence], { device: "mps" }).sum(), {
      ...QUICK,
      device: "mps",
      record: recordOf([1, 128, LONG]),
    });
    const text = inspect(result);
    expect(text).toContain(`Time of one step on ${label} beside the record of M2 Ultra, MLX 0.20;`);
    expect(text).toMatch(/batch +sequence +here +spread +in the record +here ÷ record\n +1 +128 /);
    expect(text).toContain(`Faster than the record in 1 of 1 bucket timed on ${label}: `);
    if (label.includes("simulated")) expect(text).toContain("no time here is a GPU's");
    expect(html(result)).toContain("here ÷ record</th>");
  });

  it("goes on after a bucket whose step fails, and says what failed", async () => {
    const result = lab.buckets(
      async (batch) => {
        if (batch === 2) throw new OutOfMemoryError("cpu: no memory\nimages: 8 GiB");
        if (batch === 3) throw new TypeError("no such shape");
        return batch;
      },
      { ...QUICK, record: recordOf([2, 1, 1], [3, 1, 1], [4, 1, LONG]) },
    );
    expectTypeOf(result).toEqualTypeOf<Promise<lab.Buckets>>();
    const { buckets, summary } = await result;
    expect(buckets.map(({ status, error }) => [status, error])).toEqual([
      ["out of memory", "OutOfMemoryError: cpu: no memory\nimages: 8 GiB"],
      ["failed", "TypeError: no such shape"],
      ["measured", null],
    ]);
    expect(buckets[0]).toMatchObject({ ms: null, ratio: null, finishedMs: null, repeats: 0 });
    expect(summary).toMatch(/^Faster than the record in 1 of 1 bucket timed on cpu: .*; 2 buckets failed\.$/);
    const text = inspect(await result);
    expect(text).toMatch(/2 +1 +out of memory +1 ms\n/);
    expect(text).toMatch(/3 +1 +failed +1 ms +TypeError: no such shape\n/);
  });

  it("has no ratio where every bucket failed", () => {
    const fail = () => {
      throw new RangeError("too long");
    };
    const { summary } = lab.buckets(fail, { ...QUICK, record: recordOf([1, 1, 1], [1, 2, 1]) });
    expect(summary).toBe("No bucket could be timed on cpu: 2 failed.");
  });

  it("ends with the user's interrupt, without the buckets after it", () => {
    const interrupt = Object.assign(new Error("stopped"), { name: "KeyboardInterrupt" });
    const asked: number[] = [];
    const stop = (batch: number) => {
      asked.push(batch);
      throw interrupt;
    };
    expect(() => lab.buckets(stop, { ...QUICK, record: recordOf([1, 1, 1], [2, 1, 1]) })).toThrow(interrupt);
    expect(asked).toEqual([1]);
  });

  it("waits after each step unless calls are given, and names a bucket that the deadline cut", () => {
    const counted = (options: Partial<lab.BucketsOptions>) => {
      let calls = 0;
      const result = lab.buckets(() => () => void calls++, {
        ...QUICK,
        ...options,
        record: recordOf([1, 2, 1]),
      });
      return { calls, ...result };
    };
    expect(counted({}).calls).toBe(1 + 3);
    expect(counted({ calls: 4 }).calls).toBe(1 + 3 * 4);
    const { calls, notes } = counted({ deadlineMs: 0 });
    expect(calls).toBe(2);
    expect(notes).toEqual(["batch 1, sequence 2: the deadline came after 1 of 3 repeats."]);
  });

  it("reads the record from a JSON file, with fields of its own", () => {
    const file = path.join(folder, "mlx.json");
    writeFileSync(file, JSON.stringify({ ...recordOf([4, 16, 2.5]), model: "7B" }));
    const { source, buckets } = lab.buckets(() => 1, { ...QUICK, record: file });
    expect(source).toBe("M2 Ultra, MLX 0.20");
    expect(buckets).toMatchObject([{ batch: 4, sequence: 16, recordMs: 2.5 }]);
  });
});

describe("misuse says what is wrong and the way out", () => {
  const given = (record: unknown) => () => lab.buckets(() => 1, { ...QUICK, record } as never);
  const bucket = { batch: 1, sequence: 2, ms: 3 };
  const withBuckets = (...buckets: unknown[]) => ({ source: "M2", buckets });
  const torn = path.join(folder, "torn.json");
  writeFileSync(torn, '{ "source": NaN }');
  it.each<[string, unknown, string | RegExp]>([
    ["no record", undefined, /^lab\.buckets: record must be \{ source: .*, or the path .*, got undefined\.$/],
    ["a list", [bucket], /record must be \{ source: /],
    ["no source", { buckets: [bucket] }, /source must name the machine and the framework, .* got undefined/],
    ["an empty source", { source: " ", buckets: [bucket] }, 'got " ".'],
    ["no buckets", { source: "M2" }, /buckets must be a list such as .*, got undefined/],
    ["an empty list", withBuckets(), "got []."],
    ["a number", withBuckets(12), "buckets[0] must be { batch: 1, sequence: 128, ms: 12 }, got 12."],
    [
      "batch 0",
      withBuckets(bucket, { ...bucket, batch: 0 }),
      "lab.buckets: record: buckets[1].batch must be an integer of at least 1, got 0.",
    ],
    [
      "a broken sequence",
      withBuckets({ ...bucket, sequence: 1.5 }),
      "buckets[0].sequence must be an integer of at least 1, got 1.5.",
    ],
    ["0 ms", withBuckets({ ...bucket, ms: 0 }), "buckets[0].ms must be milliseconds above 0, got 0."],
    ["endless ms", withBuckets({ ...bucket, ms: Infinity }), "above 0, got Infinity."],
    [
      "a text of ms",
      withBuckets({ ...bucket, ms: "3" }),
      'buckets[0].ms must be a number of milliseconds, got "3".',
    ],
    [
      "a bucket twice",
      withBuckets(bucket, { ...bucket, batch: 2 }, { ...bucket, ms: 4 }),
      "buckets[0] and buckets[2] are both batch 1, sequence 2: keep one of them.",
    ],
    ["no file", path.join(folder, "absent.json"), /^lab\.buckets: there is no file .*absent\.json\.$/],
    ["no JSON", torn, /torn\.json" is no JSON \(.*\): write \{ source: .* with json\.dump\.$/],
  ])("%s", (_, record, message) => {
    expect(given(record)).toThrow(message);
  });

  it("no step", () => {
    expect(() => lab.buckets(5 as never, { record: recordOf([1, 1, 1]) })).toThrow(
      "lab.buckets takes a function and calls it, as lab.buckets((batch, sequence) => step(batch, sequence), { record }), not 5.",
    );
  });
});
