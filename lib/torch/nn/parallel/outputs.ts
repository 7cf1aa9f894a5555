// Finds the tensors in what a forward returned, and passes them through a node of the graph.
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** The same structure of arrays and plain objects, with other tensors. */
function mapTensors(value: unknown, map: (tensor: Tensor) => Tensor): unknown {
  if (native.isTensor(value)) return map(value);
  if (Array.isArray(value)) return value.map((element) => mapTensors(element, map));
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, mapTensors(held, map)]));
  return value;
}

/** The tensors in arrays and plain objects. */
export function tensorsIn(value: unknown): Tensor[] {
  const found: Tensor[] = [];
  mapTensors(value, (tensor) => {
    found.push(tensor);
    return tensor;
  });
  return found;
}

/**
 * Passes the outputs through one node of the graph. An output that the loss does not use then gets an undefined
 * gradient, which reaches its parameters, and the reducer does not wait for them.
 */
export function throughSink(output: unknown): unknown {
  const recorded = tensorsIn(output).filter((tensor) => native.gradFnName(tensor) !== null);
  if (recorded.length === 0) return output;
  const passed = native.identity(recorded, (gradients) => gradients);
  return mapTensors(output, (tensor) => {
    const at = recorded.indexOf(tensor);
    return at < 0 ? tensor : passed[at]!;
  });
}
