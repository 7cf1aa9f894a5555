// Implements `lab.architectures`: runs some training steps of each kind of model on a device. It reports memory that
// stays, operators that fell back, and losses that are not finite, but no speed.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import type { Fallback } from "../../../torch/engine/native_metal.ts";
import { isInterruption } from "../../../session.ts";
import { describe } from "../../../torch/vocabulary/arguments.ts";
import {
  boolean,
  checkedLater,
  integer,
  type OpenRules,
  readOptions,
} from "../../../torch/vocabulary/options.ts";
import { collectGarbage } from "../../../torch/engine/garbage.ts";
import { native } from "../../../torch/engine/native.ts";
import { capture } from "../../../torch/capture/capture.ts";
import { getRngState, manualSeed, setRngState } from "../../../torch/random/random.ts";
import type { DeviceInterface } from "../../core/device_interface.ts";
import { acceleratorOf } from "../../core/native_device.ts";
import { shownAs } from "../../../views/shown_as.ts";
import { graphNetwork, lstm, mlp, transformer } from "./dense.ts";
import { diffusion, gan, resnet } from "./pictures.ts";
import type { Architecture } from "./subject.ts";
import type { ArchitectureRow, Architectures } from "./result.ts";
import { architecturesTable } from "./view.ts";

export interface ArchitectureOptions {
  /** Where the measurement runs. Default: the session's device. */
  readonly device?: DeviceName;
  /**
   * How many steps each architecture runs. Memory after the last is compared with memory after the second. Default: 10.
   */
  readonly steps?: number;
  /** Seeds weights and data. Default: 0. */
  readonly seed?: number;
  /** Replays the steps: see `torch.capture`. Default: false. */
  readonly capture?: boolean;
  /** Names, such as `["MLP", "GAN"]`. Default: all. */
  readonly only?: readonly string[];
}

const ALL: readonly Architecture[] = [mlp, resnet, lstm, transformer, diffusion, gan, graphNetwork];

const RULES = {
  device: checkedLater<DeviceName | undefined>(undefined),
  steps: integer(10, 2),
  seed: integer(0, 0),
  capture: boolean(false),
  only: { fallback: ALL, check: chooseOf },
} satisfies OpenRules<ArchitectureOptions>;

/**
 * Trains an MLP, a ResNet, an LSTM, a transformer, a diffusion model, a GAN and a graph network, ten steps each, on
 * seeded data. If one fails, its row holds the error, and the others still run.
 *
 *     lab.architectures({ device: "mps" });
 *
 * @throws TypeError, RangeError for options that do not fit
 */
export function architectures(options: ArchitectureOptions = {}): Architectures {
  const call = "lab.architectures";
  const { only: chosen, steps, seed, capture: captures, ...read } = readOptions(call, options, RULES);
  const accelerator = acceleratorOf(read.device);
  const device = accelerator.label.replace(/ .*/, "") as DeviceName;
  // The session's random numbers continue afterwards as if nothing had run.
  const states = [...new Set<DeviceName>(["cpu", device])].map((name) => ({
    name,
    state: getRngState(name),
  }));
  try {
    const rows = chosen.map((architecture) =>
      rowOf(architecture, accelerator, device, { steps, seed, captures }),
    );
    return shownAs({ device: accelerator.label, steps, seed, rows }, architecturesTable);
  } finally {
    for (const { name, state } of states) setRngState(state, name);
  }
}

function chooseOf(call: string, _name: string, only: unknown): readonly Architecture[] {
  const names = ALL.map(({ name }) => name);
  if (!Array.isArray(only) || only.length === 0)
    throw new TypeError(`${call}: only must be a list of ${names.join(", ")}, got ${describe(only)}.`);
  const unknown = only.find((name) => !names.includes(String(name)));
  if (unknown !== undefined)
    throw new RangeError(`${call}: there is no ${describe(unknown)}; there are ${names.join(", ")}.`);
  return ALL.filter(({ name }) => only.includes(name));
}

function rowOf(
  architecture: Architecture,
  accelerator: DeviceInterface,
  device: DeviceName,
  { steps, seed, captures }: { steps: number; seed: number; captures: boolean },
): ArchitectureRow {
  const before = fallbackCalls();
  const losses: (number | null)[] = [];
  let parameters = 0;
  let growthBytes: number | null = null;
  let error: string | null = null;
  heldBytes(accelerator);
  accelerator.resetPeak();
  try {
    manualSeed(seed);
    const { models, step: eager } = architecture.build(device);
    const step = captures ? capture(eager) : eager;
    for (const model of models)
      for (const parameter of model.parameters()) parameters += native.numel(parameter);
    let secondBytes = 0;
    for (let at = 1; at <= steps; at++) {
      const loss = step();
      const value = native.item(loss) as number;
      losses.push(Number.isFinite(value) ? value : null);
      native.dispose(loss);
      // The first two steps allocate gradients and optimizer state; a captured step has allocated its memory after two
      // more.
      if (at === Math.min(captures ? 4 : 2, steps)) secondBytes = heldBytes(accelerator);
    }
    growthBytes = heldBytes(accelerator) - secondBytes;
  } catch (thrown) {
    if (isInterruption(thrown)) throw thrown;
    error = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `Uncaught ${String(thrown)}`;
  }
  return {
    ...{ name: architecture.name, source: architecture.source, parameters, losses, growthBytes, error },
    steps: losses.length,
    finite: losses.length > 0 && !losses.includes(null),
    peakBytes: accelerator.memoryStats().peakBytes,
    fallbacks: accelerator.fallbacks() === null ? null : newFallbacks(before),
  };
}

/** Bytes of live tensors after everything unreachable has been collected. */
function heldBytes(accelerator: DeviceInterface): number {
  accelerator.synchronize();
  collectGarbage("full");
  accelerator.synchronize();
  return accelerator.memoryStats().allocatedBytes;
}

function fallbackCalls(): Map<string, number> {
  const counted: readonly Fallback[] = native.simulatedMetal() === null ? [] : native.metalFallbacks();
  return new Map(counted.map(({ operator, calls }) => [operator, calls]));
}

function newFallbacks(before: ReadonlyMap<string, number>): { operator: string; calls: number }[] {
  return [...fallbackCalls()]
    .map(([operator, calls]) => ({ operator, calls: calls - (before.get(operator) ?? 0) }))
    .filter(({ calls }) => calls > 0);
}
