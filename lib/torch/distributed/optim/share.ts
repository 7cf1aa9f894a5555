// Sends parameters and states of an optimizer from the rank that has them to the others, by collectives.
import { native } from "../../engine/native.ts";
import { noGrad } from "../../autograd/autograd.ts";
import * as foreach from "../../optim/foreach.ts";
import type { OptimizerStateDict } from "../../optim/state.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { DeviceName } from "../../vocabulary/device_name.ts";
import { bytesOf, type DType } from "../../vocabulary/dtype.ts";
import type { ProcessGroup } from "../process_group.ts";
import { run } from "../start.ts";
import type { Message } from "./partition.ts";

/** The state of each parameter by its number, tensors only. */
export type States = Record<number, Record<string, Tensor>>;

/** Sends every rank the parameters that each rank has updated. */
export function shareParameters(call: string, group: ProcessGroup, messages: readonly Message[]): void {
  const broadcast = (tensor: Tensor, peer: number): void =>
    run({ call, name: "broadcast", group, outputs: [tensor], inputs: [], peer }, false);
  noGrad(() => {
    for (const { from, tensors } of messages) {
      tidy(() => {
        const [first] = tensors;
        if (tensors.length === 1 && native.isContiguous(first!)) return broadcast(first!.detach(), from);
        const flat = torchFunctions.cat(tensors.map((tensor) => tensor.detach().reshape([-1])));
        broadcast(flat, from);
        if (from === group.rank()) return;
        const parts = flat.split(tensors.map((tensor) => native.numel(tensor)));
        foreach.copy_(
          tensors,
          parts.map((part, i) => part.view([...native.shape(tensors[i]!)])),
        );
      });
    }
  });
}

/** What is sent about a state before its tensors: their parameters, names, dtypes and shapes, in order. */
type Described = readonly (readonly [
  parameter: number,
  name: string,
  dtype: DType,
  shape: readonly number[],
])[];

/** Sends the states to a rank of the group, from this device. */
export function sendStates(
  call: string,
  group: ProcessGroup,
  states: OptimizerStateDict["state"],
  peer: number,
  device: DeviceName,
): void {
  const send = (tensor: Tensor): void =>
    run({ call, name: "send", group, outputs: [], inputs: [tensor], peer }, false);
  const entries = Object.entries(states).flatMap(([number, tensors]) =>
    Object.entries(tensors as Record<string, Tensor>).map(
      ([name, tensor]) => [Number(number), name, tensor] as const,
    ),
  );
  const described: Described = entries.map(([number, name, tensor]) => [
    number,
    name,
    native.dtype(tensor),
    native.shape(tensor),
  ]);
  const text = new TextEncoder().encode(JSON.stringify(described));
  tidy(() => {
    send(native.fromTypedArray(BigInt64Array.of(BigInt(text.length)), [1], "int64").to(device));
    send(native.fromTypedArray(text, [text.length], "uint8").to(device));
  });
  for (const [, , tensor] of entries) {
    if (native.numel(tensor) === 0) continue;
    // Sent as bytes, because gloo does not carry every dtype.
    tidy(() => send(tensor.detach().contiguous().reshape([-1]).view("uint8").to(device)));
  }
}

/** Receives the states of a rank of the group, on the host. */
export function receiveStates(call: string, group: ProcessGroup, peer: number, device: DeviceName): States {
  const receive = (count: number, dtype: DType): Tensor => {
    const tensor = torchFunctions.empty([count], { dtype, device });
    if (count > 0) run({ call, name: "recv", group, outputs: [tensor], inputs: [], peer }, false);
    return tensor.to("cpu");
  };
  const described = tidy(() => {
    const length = Number(receive(1, "int64").item());
    return JSON.parse(Buffer.from(receive(length, "uint8").tolist() as number[]).toString()) as Described;
  });
  const states: States = {};
  for (const [number, name, dtype, shape] of described) {
    const bytes = shape.reduce((product, size) => product * size, bytesOf(dtype));
    (states[number] ??= {})[name] = tidy(() =>
      receive(bytes, "uint8")
        .view(dtype)
        .view([...shape]),
    );
  }
  return states;
}
