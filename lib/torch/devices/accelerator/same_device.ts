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

/** A tensor, a module, or lists and records of them. */
export type Placed = Tensor | HasTensors | readonly Placed[] | { readonly [name: string]: Placed };

interface Found {
  /** `model`, `batch[0]` */
  readonly owner: string;
  /** The name of the module or tensor that the user would move. */
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
 * @param named what meets in a step: `{ model, x, target }`
 * @param device that all must be on; without it the first tensor's
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
  let first: Found | null = null;
  const wished = device === undefined ? null : requireDevice(device);
  // A model stays where it is: the batch is what a step moves.
  const [models, others] = [[] as Found[], [] as Found[]];
  for (const [name, value] of Object.entries(named))
    (isModule(value) ? models : others).push(...tensorsIn(name, value));
  for (const found of [...models, ...others]) {
    first ??= found;
    const expected = wished ?? first.tensor.device;
    if (withoutIndex(found.tensor.device) === withoutIndex(expected)) continue;
    const reference = wished === null ? text(first) : `all must be on ${wished}`;
    throw new DeviceMismatchError(
      `accelerator.requireSameDevice: ${reference}, but ${text(found)}. Move it with ${found.movable}.to("${withoutIndex(expected)}").`,
    );
  }
  if (first === null)
    throw new TypeError(`accelerator.requireSameDevice: there is no tensor in ${describe(named)}.`);
  return wished ?? first.tensor.device;
}
