// One sample under `lab.shadow`: what it calls is compared with the CPU's. Does not ask whether the sample passes.
import { lab } from "../../lib/index.ts";
import type { DeviceName } from "../../lib/torch/vocabulary/device_name.ts";
import { check } from "./check.ts";
import type { Sample } from "./samples.ts";

export interface Watched {
  readonly calls: number;
  readonly compared: number;
  /** The dispatcher's names of what was compared. */
  readonly operators: readonly string[];
  /** The wrong result in words; null where none was found. */
  readonly alarm: string | null;
}

/** @param device on which the default makes the sample's tensors */
export function watch(sample: Sample, device: DeviceName): Watched {
  try {
    const { calls, compared, operators } = lab.shadow(() => void check(sample), { device, sample: "all" });
    const names = operators.filter((one) => one.compared > 0).map(({ operator }) => operator);
    return { calls, compared, operators: names, alarm: null };
  } catch (error) {
    if (!(error instanceof lab.ShadowError)) throw error;
    const alarm = `${sample.variant} ${sample.dtype}: ${error.message}`.trimStart();
    return { calls: 0, compared: 0, operators: [], alarm };
  }
}
