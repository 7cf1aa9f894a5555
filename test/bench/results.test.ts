// Results of benchmarks are kept as they fell: one file a suite and machine, targets with the machines that they hold for,
// and "missed" where a target was missed.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ANY_MACHINE, describeMachine, type Machine, machineFolder, TWO_CORES } from "./machine.ts";
import { keepResult } from "./results.ts";
import { verdict } from "./table.ts";

const EPYC: Machine = { processor: "AMD EPYC", cores: 2, gpu: null, libtorch: "2.15.0" };
const XEON: Machine = {
  processor: "Intel(R) Xeon(R) Processor",
  cores: 16,
  gpu: "NVIDIA H100",
  libtorch: "2.11.0",
};

const RESULTS = path.join(import.meta.dirname, "results");
const kept = readdirSync(RESULTS, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".md"),
);

describe("a machine", () => {
  it("is named by its processor, cores, GPU and libtorch", () => {
    expect(describeMachine(XEON)).toBe("Intel(R) Xeon(R) Processor, 16 cores, NVIDIA H100, libtorch 2.11.0");
    expect(machineFolder(XEON)).toBe("intel-xeon-processor-16-cores-nvidia-h100-libtorch-2.11.0");
    expect(machineFolder(EPYC)).toBe("amd-epyc-2-cores-libtorch-2.15.0");
  });

  it.each<[string, Partial<Machine>]>([
    ["processor", { processor: "Apple M3 Max" }],
    ["number of cores", { cores: 4 }],
    ["GPU", { gpu: "NVIDIA H200" }],
    ["libtorch", { libtorch: "2.16.0" }],
  ])("of another %s has a folder of its own", (_, other) => {
    expect(machineFolder({ ...EPYC, ...other })).not.toBe(machineFolder(EPYC));
  });
});

it("a run on another machine adds a file; one on the same machine replaces its own", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-results-"));
  const read = (machine: Machine) =>
    readFileSync(path.join(folder, machineFolder(machine), "checks.md"), "utf8");
  keepResult(folder, "checks", EPYC, "first");
  keepResult(folder, "checks", XEON, "elsewhere");
  keepResult(folder, "checks", EPYC, "again");
  expect(readdirSync(folder).sort()).toEqual([machineFolder(EPYC), machineFolder(XEON)]);
  expect(read(EPYC)).toMatch(
    /^# checks\n\nAMD EPYC, 2 cores, libtorch 2\.15\.0, Node [\d.]+\. Medians, .*\n\nagain\n$/,
  );
  expect(read(XEON)).toContain("elsewhere");
  rmSync(folder, { recursive: true });
});

describe("a target", () => {
  it.each([
    [14.5, ANY_MACHINE, 16, "14.50, target at most 15.00 on any machine: met"],
    [16.34, ANY_MACHINE, 16, "16.34, target at most 15.00 on any machine: missed"],
    [15, TWO_CORES, 2, "15.00, target at most 15.00 on 2 cores: met"],
    [16.34, TWO_CORES, 2, "16.34, target at most 15.00 on 2 cores: missed"],
    [10.23, TWO_CORES, 16, "10.23, target at most 15.00 on 2 cores: not judged on 16 cores"],
  ])("judges %d: case %#", (found, scope, cores, said) => {
    expect(verdict("a check, ms", found, 15, scope, cores)).toBe(`- a check, ms: ${said}`);
  });

  it("without a figure is not measured", () => {
    expect(verdict("a check, ms", null, 15)).toBe("- a check, ms: not measured");
  });
});

describe.each(kept)("%s", (file) => {
  const report = readFileSync(path.join(RESULTS, file), "utf8");

  it("lies in the folder of the machine that it was measured on", () => {
    const [, processor, cores, gpu, libtorch] =
      /^(.*?), (\d+) cores, (?:(NVIDIA .*?), )?libtorch ([\d.]+), Node [\d.]+\. /m.exec(report) ?? [];
    const machine = { processor: processor!, cores: Number(cores), gpu: gpu ?? null, libtorch: libtorch! };
    expect(path.dirname(file)).toBe(machineFolder(machine));
  });

  it("says missed of each target that was missed, and met of no other", () => {
    for (const [line, found, atMost, judged] of report.matchAll(
      /^- .*: ([\d.]+), target at most ([\d.]+).*: (met|missed)/gm,
    ))
      // A figure that is printed as its target may be on either side of it.
      if (found !== atMost) expect(judged, line).toBe(Number(found) <= Number(atMost) ? "met" : "missed");
  });
});

it("the checks of a two-core machine are kept beside those of a larger one", () => {
  const machines = kept.filter((file) => path.basename(file) === "checks.md").map(path.dirname);
  expect(machines.some((machine) => machine.includes("-2-cores-"))).toBe(true);
  expect(machines.some((machine) => !machine.includes("-2-cores-"))).toBe(true);
});
