// What `lab.diagnose` does not call a symptom, because no record has evidence of a cause: times that swing or rise beside other
// programs, memory beside the tensors that differs by chance, a comparison on a simulated device.
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { diagnosisOf } from "../../../../../lib/lab/runbook/diagnose/diagnose.ts";
import { SYMPTOMS } from "../../../../../lib/lab/runbook/diagnose/symptoms.ts";
import { epochRecords } from "../../epoch_records.ts";
import { comparisonOf } from "../../results.ts";

const MIB = 2 ** 20;

it("no noise where nothing recorded explains why times swing, and says so", () => {
  const epochs = epochRecords(14, (epoch) => ({ wallMs: epoch % 2 ? 100 : 160 }));
  const { found, open } = diagnosisOf({ epochs });
  expect(found).toEqual([]);
  expect(open.find(({ symptom }) => symptom === "noisy steps")?.needs).toMatch(
    /^from one epoch to the next times swing by ±\d+%, and no record says why: .*give trace: lab\.trace\(step\)/,
  );
  const waits = { hostMsPerCall: 10, waitedMsPerCall: 5, device: "mps", sites: [] };
  expect(diagnosisOf({ epochs, syncs: waits }).found.map(({ symptom }) => symptom)).toEqual(["noisy steps"]);
});

it("no growth in a process whose own heap V8 holds back, nor in four epochs of V8's heap, or uneven ones", () => {
  const held = epochRecords(14, (epoch) => ({
    after: { footprintBytes: (300 + 20 * epoch) * MIB, heapReservedBytes: 20 * epoch * MIB },
  }));
  const four = epochRecords(4, (epoch) => ({ after: { heapBytes: (20 + 2 * epoch) * MIB } }));
  const uneven = epochRecords(6, (epoch) => ({ after: { heapBytes: (20 + epoch ** 3) * MIB } }));
  for (const epochs of [held, four, uneven]) expect(diagnosisOf({ epochs }).found).toEqual([]);
});

it("no cliff where another program had the processor meanwhile, and says so", () => {
  const epochs = epochRecords(20, (epoch) => ({ cpuMs: 190, ...(epoch < 10 ? {} : { wallMs: 600 }) }));
  const { found, open } = diagnosisOf({ epochs });
  expect(found).toEqual([]);
  expect(open).toContainEqual({
    symptom: "fast start then cliff",
    needs:
      "190 ms an epoch, then 600 ms, but this process computed and waited no longer for its device: look for other programs, the disk or the network",
  });
});

it("no speedup near 1 on a simulated device, which is the CPU", () => {
  const diagnosis = diagnosisOf({ comparison: comparisonOf(100, 100, "mps (simulated)") });
  expect(diagnosis.found).toEqual([]);
  expect(inspect(diagnosis)).toContain(
    "Not known: speedup near 1 (mps (simulated) is this machine's processor, and of course as fast: compare on a real device).",
  );
});

it("no speedup near 1 in a comparison of the CPU alone, and says what it lacks", () => {
  const both = comparisonOf(100, 100);
  const comparison = { ...both, results: both.results.filter(({ device }) => device === "cpu") };
  expect(diagnosisOf({ comparison }).open).toContainEqual({
    symptom: "speedup near 1",
    needs: "the comparison that was given has no function on both the CPU and a device",
  });
});

it("nothing without evidence, and says for each symptom what it takes", () => {
  const { found, absent, open } = diagnosisOf({});
  expect([found, absent]).toEqual([[], []]);
  expect(open.map(({ symptom }) => symptom)).toEqual(Object.keys(SYMPTOMS));
  expect(inspect(diagnosisOf({}))).toContain(
    "Not known: loss drift (give parity: lab.parity({ build, devices })).",
  );
});
