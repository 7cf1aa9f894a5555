// Decides whether a workaround is still needed: runs one computation on the device and on the CPU, and compares.
import { enableGrad } from "../../../autograd/autograd.ts";
import { native } from "../../../engine/native.ts";
import { tidy } from "../../../tensor/scope.ts";
import { isComplexDType, isFloatingDType } from "../../../vocabulary/dtype.ts";
import { simulation } from "../simulated_metal.ts";
import type { Tensor } from "../../../tensor/tensor.ts";

/** The result of a probe on this device with the installed PyTorch. */
export interface Finding {
  readonly workaround: string;
  /**
   * Null if this device cannot decide it: simulated Metal computes with the CPU's own kernels, unless a fault is
   * planted.
   */
  readonly needed: boolean | null;
  /** The measurement, in words and numbers. */
  readonly evidence: string;
  /** `Apple M2`, `Simulated Metal`. */
  readonly device: string;
  /** The version of libtorch. */
  readonly version: string;
}

/** How much real and complex numbers on another device may differ, relative to the largest element. Integers are equal. */
const TOLERANCE = 1e-3;

export interface Probe {
  /**
   * Whether the result depends on Metal's kernels, which the simulation does not have, or on rules that the simulation
   * also follows.
   */
  readonly judges: "kernels" | "rules";
  run(): Pick<Finding, "needed" | "evidence">;
}

/** The first sentence of whatever was thrown. */
function firstSentence(error: unknown): string {
  return String((error as Error).message).split(/(?<=\.)\s|\n/)[0]!;
}

/**
 * Starts to compare every operator with the CPU. Returns false if a surrounding step is already watched or captured.
 */
function beginsShadow(): boolean {
  try {
    native.beginShadow({ device: "mps", share: null, seed: 0, tolerance: 1, tolerances: {} });
    return true;
  } catch {
    return false;
  }
}

/**
 * The workaround is needed if `run` fails on the device, or gives other numbers than on the CPU. If an operator in it
 * is wrong, the evidence names it.
 */
export function compared(what: string, run: (device: "cpu" | "mps") => Tensor): ReturnType<Probe["run"]> {
  const expected = run("cpu");
  const watches = beginsShadow();
  let found: Tensor | null = null;
  let failure: unknown = null;
  try {
    found = run("mps").cpu();
  } catch (error) {
    failure = error;
  }
  const wrong = watches ? (native.endShadow()?.finding ?? null) : null;
  if (wrong !== null) {
    const apart = Math.abs(wrong.deviceValue - wrong.exactValue).toExponential(1);
    const evidence = `${what}: ${wrong.operator} is the first operator that is wrong, by ${apart} where rounding explains ${wrong.allowed.toExponential(1)}`;
    return { needed: true, evidence };
  }
  if (found === null) return { needed: true, evidence: `${what} fails: ${firstSentence(failure)}` };
  const scale = Math.max(Number(expected.abs().max().item()), Number.MIN_VALUE);
  const worst = Number(found.sub(expected).abs().max().item()) / scale;
  // Written with `!`, because a comparison with NaN is false, and NaN must count as a difference.
  const isRounded = isFloatingDType(expected.dtype) || isComplexDType(expected.dtype);
  const needed = !(worst <= (isRounded ? TOLERANCE : 0));
  return {
    needed,
    evidence: `${what} differs from the CPU by ${worst.toExponential(1)} of the largest element`,
  };
}

/** The workaround is needed if `run` fails on the device. */
export function attempted(what: string, run: () => unknown): ReturnType<Probe["run"]> {
  try {
    run();
  } catch (error) {
    return { needed: true, evidence: `${what} fails: ${firstSentence(error)}` };
  }
  return { needed: false, evidence: `${what} works` };
}

export function finding(workaround: string, probe: Probe): Finding {
  const device = native.mps.deviceName();
  // Kernels of simulated Metal are wrong only if a fault was planted.
  if (probe.judges === "kernels" && simulation()?.fault === null)
    return {
      workaround,
      needed: null,
      evidence: `not judged here: ${device} computes with the CPU's kernels, so it would be compared with itself; ask on a Mac`,
      device,
      version: native.version,
    };
  // Gradients are enabled, because the first call may be in a forward pass without gradients.
  const found = enableGrad(() => tidy(probe.run));
  return { workaround, ...found, device, version: native.version };
}
