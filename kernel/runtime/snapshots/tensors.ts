// Encodes and decodes the tensors of a snapshot: their description as JSON, and their bytes. Needs libtorch.
import type { DeviceName } from "../../../lib/torch/vocabulary/device_name.ts";
// Adds requiresGrad_() to tensors, which tensor.ts by itself does not have.
import "../../../lib/torch/autograd/tensor_members.ts";
import { requireDevice } from "../../../lib/torch/engine/device.ts";
import { native } from "../../../lib/torch/engine/native.ts";
import { Parameter } from "../../../lib/torch/nn/index.ts";
import { encodeHeader, isStorable, layOut } from "../../../lib/torch/serialize/header.ts";
import { loadSafetensors } from "../../../lib/torch/serialize/safetensors.ts";
// Not a type-only import: the module adds the methods to tensors.
import { Tensor } from "../../../lib/torch/tensor/tensor.ts";
import { withBytes } from "../../../lib/torch/tensor/typed_arrays.ts";
import { NotSavable, type TensorReference } from "../../snapshot/encode.ts";

/**
 * The description of a tensor, which is also added to `tensors`; one that is there already keeps its key. Null for any
 * other value.
 *
 * @throws NotSavable
 */
export function refer(value: object, path: string, tensors: Map<string, Tensor>): TensorReference | null {
  if (!(value instanceof Tensor)) return null;
  if (native.isDisposed(value)) throw new NotSavable(`${path} is a disposed tensor`);
  const layout = native.layout(value);
  if (layout !== "strided") throw new NotSavable(`${path} is a ${layout} tensor: save .toDense() of it`);
  const dtype = native.dtype(value);
  if (!isStorable(dtype)) throw new NotSavable(`${path} is ${dtype}, which safetensors does not have`);
  const keys = keysIn(tensors);
  let key = keys.get(value);
  for (let count = 1; key === undefined; count++) {
    const candidate = count === 1 ? path : `${path} ${count}`;
    if (!tensors.has(candidate)) key = candidate;
  }
  tensors.set(key, value);
  keys.set(value, key);
  const requiresGrad = native.requiresGrad(value);
  return {
    $: "tensor",
    key,
    device: native.device(value),
    requiresGrad,
    isParameter: value instanceof Parameter,
  };
}

/** The keys by tensor, because searching a list of ten thousand for each of them would take long. */
const keysByTensors = new WeakMap<ReadonlyMap<string, Tensor>, Map<Tensor, string>>();

function keysIn(tensors: ReadonlyMap<string, Tensor>): Map<Tensor, string> {
  let keys = keysByTensors.get(tensors);
  if (keys === undefined) {
    keys = new Map([...tensors].map(([key, tensor]) => [tensor, key] as const));
    keysByTensors.set(tensors, keys);
  }
  return keys;
}

/**
 * A safetensors file in pieces. Each is a copy: the code goes on, and may change the tensors while they are written.
 */
export function piecesOf(tensors: ReadonlyMap<string, Tensor>): Uint8Array[] {
  const places = layOut(tensors);
  const elements = places.map(({ name }) =>
    withBytes(tensors.get(name) as Tensor, (bytes) => Uint8Array.from(bytes)),
  );
  return [Uint8Array.from(encodeHeader({ tensors: places, metadata: { format: "pt" } })), ...elements];
}

/**
 * Returns a function that makes the tensors in a file, each once. A tensor is made on its former device if that is
 * available, else on the CPU.
 */
export function maker(file: string): (reference: TensorReference) => Tensor {
  const stored = loadSafetensors(file);
  const made = new Map<string, Tensor>();
  return (reference) => {
    const tensor = made.get(reference.key) ?? make(stored, reference);
    made.set(reference.key, tensor);
    return tensor;
  };
}

function make(stored: Readonly<Record<string, Tensor>>, reference: TensorReference): Tensor {
  const { key, device, requiresGrad, isParameter } = reference;
  const elements = stored[key];
  if (elements === undefined) throw new RangeError(`there is no tensor ${JSON.stringify(key)} in it`);
  const tensor = elements.to(deviceHere(device));
  if (isParameter) return new Parameter(tensor, { requiresGrad });
  return requiresGrad ? tensor.requiresGrad_() : tensor;
}

/** A copy of a state dict, with tensors of its own. */
export function copied(state: unknown): unknown {
  if (native.isTensor(state)) return state.clone();
  if (typeof state !== "object" || state === null) return state;
  if (Array.isArray(state)) return state.map(copied);
  return Object.fromEntries(Object.entries(state).map(([key, item]) => [key, copied(item)]));
}

function deviceHere(name: string): DeviceName {
  try {
    return requireDevice(name);
  } catch {
    return "cpu";
  }
}
