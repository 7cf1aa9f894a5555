// Concatenates all parameters into one vector, and copies a vector back into them.
import type { Tensor } from "../../tensor/tensor.ts";
import { describe } from "../../vocabulary/arguments.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import { replaceData } from "../../autograd/replace_data.ts";
import { torchFunctions } from "../../tensor/operators.ts";

function parameterList(call: string, parameters: Iterable<Tensor>): Tensor[] {
  const list = typeof parameters?.[Symbol.iterator] === "function" ? [...parameters] : [];
  if (list.length > 0 && list.every((one) => native.isTensor(one))) return list;
  throw new TypeError(
    `${call}: expected parameters as model.parameters() gives, got ${describe(parameters)}.`,
  );
}

/** The elements of all parameters, one after the other: [number of elements]. */
export function parametersToVector(parameters: Iterable<Tensor>): Tensor {
  const list = parameterList("parametersToVector", parameters);
  return torchFunctions.cat(list.map((parameter) => parameter.reshape([-1])));
}

/** Gives the parameters the vector's elements, in order. They become views of its memory, as in PyTorch. */
export function vectorToParameters(vector: Tensor, parameters: Iterable<Tensor>): void {
  const call = "vectorToParameters";
  if (!native.isTensor(vector)) throw new TypeError(`${call}: expected a tensor, got ${describe(vector)}.`);
  const list = parameterList(call, parameters);
  const wanted = list.reduce((sum, parameter) => sum + native.numel(parameter), 0);
  const shape = native.shape(vector);
  if (shape.length !== 1 || shape[0] !== wanted) {
    throw new RangeError(
      `${call}: the parameters have ${wanted} elements, and the vector has shape [${shape.join(", ")}].`,
    );
  }
  noGrad(() => {
    let from = 0;
    for (const parameter of list) {
      const count = native.numel(parameter);
      replaceData(parameter, vector.detach().narrow(0, from, count).view(native.shape(parameter)));
      from += count;
    }
  });
}
