// Tests when throughput counts as moved between two machines, what is asked then, and how a remote's run is converted
// to this version's schema.
import { describe, expect, it } from "vitest";
import { lab } from "../../../../lib/index.ts";
import { migratedRun } from "../../../../lib/lab/remote/migrated_run.ts";
import { movementOf } from "../../../../lib/lab/remote/result_drift.ts";
import { record } from "../sweep/records.ts";

const here = lab.logbook.draft();
const there = (fields: Partial<lab.logbook.RunEntry["fields"]>) => ({
  ...here,
  fields: { ...here.fields, ...fields },
});
const moved = (
  rates: { readonly local: number; readonly remote: number },
  fields: Partial<lab.logbook.RunEntry["fields"]> = {},
  explanation: string | null = null,
) =>
  movementOf({
    local: [record(16, { rate: rates.local })],
    remote: [record(16, { rate: rates.remote }), record(32)],
    tolerance: 0.1,
    explanation,
    here,
    there: there(fields),
  });

describe("throughput", () => {
  it("within the tolerance asks nothing", () => {
    const { verdict, demand, points } = moved({ local: 1000, remote: 1090 });
    expect([verdict, demand]).toEqual(["within", null]);
    expect(points).toEqual([
      {
        point: { batch: 16 },
        fromSamplesPerSecond: 1000,
        toSamplesPerSecond: 1090,
        change: expect.closeTo(0.09),
        moved: false,
      },
    ]);
  });

  it("that improved wants an explanation before it is celebrated, with what differs", () => {
    const { verdict, demand } = moved(
      { local: 1000, remote: 1340 },
      { processor: "Apple M2 Ultra", loadPerCore: 0 },
    );
    expect(verdict).toBe("moved");
    expect(demand).toContain(
      "Throughput moved by +34% at batch 16: explain it by I/O path, background load or thermals",
    );
    expect(demand).toContain("Largest suspects: processor Apple M2 Ultra there, ");
  });

  it("that fell asks for network volumes and debug logging first", () => {
    const fields = { mountType: "nfs4", variables: { TORCH_LOG_LEVEL: "DEBUG", OMP_NUM_THREADS: "2" } };
    const { demand } = moved({ local: 1000, remote: 500 }, fields);
    expect(demand).toContain(
      "Its data path lies on a network volume (nfs4). Debug logging is on there: TORCH_LOG_LEVEL.",
    );
    expect(moved({ local: 500, remote: 1000 }, fields).demand).not.toContain("network volume");
  });

  it("is explained by whoever explains it", () => {
    const { verdict, demand, explanation } = moved(
      { local: 1000, remote: 500 },
      {},
      "the laptop is on battery",
    );
    expect([verdict, demand, explanation]).toEqual(["moved", null, "the laptop is on battery"]);
  });

  it("of which both sides have no point together leaves the verdict undecided", () => {
    const facts = { tolerance: 0.1, explanation: null, here, there: here };
    expect(movementOf({ ...facts, local: [record(8)], remote: [record(16)] }).verdict).toBe("undecided");
    const failed = record(8, { status: "failed", steady: null });
    expect(movementOf({ ...facts, local: [record(8)], remote: [failed] }).verdict).toBe("undecided");
  });

  it("that moves less than its own windows do has not moved", () => {
    const noisy = record(16, { rate: 1000 });
    const spread = { median: 1200, min: 600, lowerQuartile: 800, upperQuartile: 1600, max: 1800 };
    const to = { ...noisy, steady: { ...noisy.steady!, samplesPerSecond: spread } };
    const facts = { tolerance: 0.1, explanation: null, here, there: here };
    expect(movementOf({ ...facts, local: [noisy], remote: [to] }).verdict).toBe("within");
  });
});

describe("a run of another machine", () => {
  it("is taken as it is where the schema is the same", () => {
    expect(migratedRun(JSON.parse(JSON.stringify(here)))).toEqual({
      run: JSON.parse(JSON.stringify(here)) as unknown,
      notes: [],
    });
  });

  it("of an older version says which fields it does not tell, and of a newer one which are left out", () => {
    const { lockFile: _, ...fields } = here.fields;
    const { run, notes } = migratedRun({ ...here, fields: { ...fields, moonPhase: "full" } });
    expect(run.fields.lockFile).toBeNull();
    expect(run.missing.lockFile).toBe("The remote's version does not tell it.");
    expect(run.fields).not.toHaveProperty("moonPhase");
    expect(notes).toEqual(["Fields that this version does not know were left out: moonPhase."]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", null, "its logbook drafts no run"],
    ["a note", { type: "note", schema: 1 }, "its logbook drafts no run"],
    ["another schema", { ...here, schema: 2 }, "its logbook has schema 2, this version reads 1"],
  ])("that is %s is refused", (_name, drafted, words) => {
    expect(() => migratedRun(drafted)).toThrow(words);
  });
});
