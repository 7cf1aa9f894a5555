// Checks before a step that the model, the batch and all other tensors are on one device. The error names the tensor
// that is elsewhere. Without the check an operator fails later, perhaps in the tenth layer.
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { describe, isRecord } from "../../vocabulary/arguments.ts";
import { requireDevice } from "../../engine/device.ts";
import { DeviceMismatchError } from "../../vocabulary/errors.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";

/** A module's parameters and buffers. */
interface HasTensors {
  namedParameters(): Iterable<readonly [string, Tensor]>;
  namedBuffers(): Iterable<readonly [string, Tensor]>;
}

/** A tensor, a module, or lists and records that hold some. */
export type Placed = Tensor | HasTensors | readonly Placed[] | { readonly [name: string]: Placed };

interface Found {
  /** `model`, `batch[0]` */
  readonly owner: string;
  /** The name of the module or tensor that the user would have to move. */
  readonly movable: string;
  readonly tensor: Tensor;
}

const isModule = (value: unknown): value is HasTensors =>
  typeof (value as Partial<HasTensors> | null)?.namedParameters === "function";

function* tensorsIn(name: string, value: Placed): Generator<Found> {
  if (native.isTensor(value)) {
    yield { owner: name, movable: name, tensor: value };
  } else if (isModule(value)) {
    for (const [path, tensor] of [...value.namedParameters(), ...value.namedBuffers()])
      yield { owner: `${name}.${path}`, movable: name, tensor };
  } else if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) yield* tensorsIn(`${name}[${i}]`, one as Placed);
  } else if (isRecord(value)) {
    for (const [key, one] of Object.entries(value))
      yield* tensorsIn(name === "" ? key : `${name}.${key}`, one as Placed);
  } else {
    throw new TypeError(
      `accelerator.requireSameDevice: ${name || "the argument"} must be a tensor, a module, or lists and records of them, got ${describe(value)}.`,
    );
  }
}

const withoutIndex = (device: string) => device.replace(/:0$/, "");

function text({ owner, tensor }: Found): string {
  return `${owner} (${tensor.dtype} [${tensor.shape.join(", ")}]) is on ${tensor.device}`;
}

/**
 * Refuses tensors and modules that do not lie on one device.
 *
 * @param named what a step uses together: `{ model, x, target }`
 * @param device the device on which all must be. Default: that of the first tensor
 * @returns the device
 * @throws DeviceMismatchError that names both places, both devices and the move
 */
export function requireSameDevice(
  named: { readonly [name: string]: Placed },
  device?: DeviceName,
): DeviceName {
  if (
    native.isTensor(named) ||
    isModule(named) ||
    typeof named !== "object" ||
    named === null ||
    Array.isArray(named)
  ) {
    throw new TypeError(
      `accelerator.requireSameDevice: give what meets by name, as { model, x }, not ${describe(named)}.`,
    );
  }
  const wished = device === undefined ? null : requireDevice(device);
  // Lists models first, so that parameters are named by their model and not by what a step returns.
  const [models, others] = [[] as Found[], [] as Found[]];
  for (const [name, value] of Object.entries(named))
    (isModule(value) ? models : others).push(...tensorsIn(name, value));
  const all = [...models, ...others];
  const home = homeOf(all);
  if (home === undefined)
    throw new TypeError(`accelerator.requireSameDevice: there is no tensor in ${describe(named)}.`);
  const expected = wished ?? home.tensor.device;
  const away = all.find(({ tensor }) => withoutIndex(tensor.device) !== withoutIndex(expected));
  if (away !== undefined) {
    const reference = wished !== null ? `all must be on ${expected}` : text(home);
    throw new DeviceMismatchError(
      `accelerator.requireSameDevice: ${reference}, but ${text(away)}. Move it with ${away.movable}.to("${withoutIndex(expected)}").`,
    );
  }
  return expected;
}

/**
 * The device to which the others should be moved. If anything is on an accelerator, it was moved there on purpose, and
 * whatever is on the CPU was forgotten. Among several accelerators it is the one that holds most of what can be moved.
 */
function homeOf(all: readonly Found[]): Found | undefined {
  const moved = all.filter(({ tensor }) => !["cpu", "meta"].includes(tensor.device));
  const countOn = ({ tensor: { device } }: Found) =>
    new Set(moved.filter(({ tensor }) => tensor.device === device).map(({ movable }) => movable)).size;
  return moved.toSorted((a, b) => countOn(b) - countOn(a))[0] ?? all[0];
}
