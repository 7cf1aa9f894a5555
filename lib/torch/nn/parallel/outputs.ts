// Passes the tensors in what a forward returned through a node of the graph.
import { native } from "../../engine/native.ts";
import { mapTensors, tensorsIn } from "../../tensor/nested.ts";

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
