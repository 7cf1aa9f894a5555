// Collects the facts that gates judge: asks the session and the machine, and runs a dummy matrix product.
import { native } from "../../../torch/engine/native.ts";
import { device as currentDevice } from "../../../torch/engine/device.ts";
import { torch } from "../../../torch/torch.ts";
import { computer } from "../../core/system_info.ts";
import { nativeDevice } from "../../core/native_device.ts";
import { decisionOf } from "../decide/decide.ts";
import type { Evidence } from "../evidence.ts";
import type { Gates, MatmulProbe } from "./gate.ts";
import { judge } from "./judge.ts";
import { torchBuildOf } from "../../../records/logbook/origin.ts";
import { sampleMemory } from "../../core/memory.ts";
import { sessionEvidence } from "../session_evidence.ts";

/**
 * The bound of rounding in a product of two matrices of this size: it sums 64 terms in float32, each rounded by at most
 * 2^-24.
 */
const PROBE_SIZE = 64;
const PROBE_TOLERANCE = 1e-5;

/**
 * Judges the runbook's five steps and this machine's conditions. It finds results that were recorded in this session
 * (`lab.logbook.record({ results: { sweep } })`); others are passed as evidence.
 *
 *     lab.gates({ comparison, workload: "training", bitwiseParity: false });
 *
 * @throws TypeError, RangeError for evidence that does not fit
 */
export function gates(given: Evidence = {}): Gates {
  const { evidence, origins } = sessionEvidence("lab.gates", given);
  const accelerator = nativeDevice();
  const { built, available } = native.devices();
  return judge({
    computer: computer(),
    torchVersion: native.version,
    torchBuild: torchBuildOf(native.version),
    device: accelerator.label,
    mpsBuilt: built.includes("mps"),
    mpsAvailable: available.some((name) => name.startsWith("mps")) && native.simulatedMetal() === null,
    matmul: probe(),
    memory: sampleMemory(accelerator),
    evidence,
    origins,
    decision: decisionOf(evidence),
  });
}

/** Makes numbers without a random generator, because the generator's state belongs to the user. */
function probe(): MatmulProbe {
  const name = currentDevice();
  return torch.tidy(() =>
    torch.noGrad(() => {
      const a = torch
        .arange(PROBE_SIZE ** 2, { dtype: "float32", device: "cpu" })
        .remainder(17)
        .sub(8)
        .reshape([PROBE_SIZE, PROBE_SIZE])
        .div(8);
      const expected = a.matmul(a.t());
      const there = a.to(name);
      const beganMs = performance.now();
      const product = there.matmul(there.t());
      native.synchronize(name);
      const wallMs = performance.now() - beganMs;
      const difference = product.to("cpu").sub(expected).abs().max().item() as number;
      const error = difference / (expected.abs().max().item() as number);
      return { device: name, resultDevice: product.device, error, tolerance: PROBE_TOLERANCE, wallMs };
    }),
  );
}
