// Starts a collective or a message: checks the tensors, copies them to the host if their device requires it, and waits
// unless the caller does not want to.
import { shapeText } from "../vocabulary/arguments.ts";
import { isCapturing } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import type { OperationName } from "../engine/native_distributed.ts";
import { noGrad } from "../autograd/autograd.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { DeviceMismatchError } from "../vocabulary/errors.ts";
import { explainFailure } from "./failures.ts";
import { ProcessGroup } from "./process_group.ts";
import { reduceOpNumber, type ReduceOpName } from "./reduce_op.ts";
import { Work } from "./work.ts";

/** Options of every collective by name. */
export interface CollectiveOptions {
  /** The group whose ranks take part. Default: all. */
  readonly group?: ProcessGroup | null;
  /** Whether the call returns a `Work` at once, without waiting. Default: false. */
  readonly asyncOp?: boolean;
}

/** What a collective returns: a `Work` if it was asked not to wait. */
export type Started<Given> = Given extends { readonly asyncOp: true } ? Work : void;

/** One call whose arguments have been checked one by one. */
export interface Request {
  readonly call: string;
  readonly name: OperationName;
  readonly group: ProcessGroup;
  readonly outputs: readonly Tensor[];
  readonly inputs: readonly Tensor[];
  /** The root, or the other end of a message, as a rank of the group. */
  readonly peer?: number;
  readonly op?: ReduceOpName;
  readonly tag?: number;
  readonly outputSplits?: readonly number[];
  readonly inputSplits?: readonly number[];
}

const tensorText = (tensor: Tensor): string => `${native.dtype(tensor)} ${shapeText(native.shape(tensor))}`;

function checkSendable(call: string, tensor: Tensor): void {
  if (native.layout(tensor) !== "strided")
    throw new TypeError(
      `${call}: ranks exchange dense tensors, and this one is ${native.layout(tensor)}: convert it with toDense().`,
    );
  if (native.device(tensor) === "meta")
    throw new TypeError(`${call}: a tensor on "meta" has no values to send.`);
  if (!native.isContiguous(tensor))
    throw new TypeError(`${call}: the ${tensorText(tensor)} tensor is not contiguous: pass x.contiguous().`);
}

/** NCCL takes the tensors of one GPU, and gloo those of the host. */
function checkDevices({ call, group, name }: Request, tensors: readonly Tensor[]): void {
  if (group.backend === "gloo" || tensors.length === 0) return;
  const devices = [...new Set(tensors.map((tensor) => native.device(tensor)))];
  if (devices.length > 1)
    throw new DeviceMismatchError(
      `${call}: the tensors are on ${devices.join(" and ")}: pass tensors of one device, moved with to(${JSON.stringify(devices.find((one) => one !== "cpu"))}).`,
    );
  if (group.backend === "nccl" && devices[0] === "cpu")
    throw new TypeError(
      `${call}: the backend "nccl" carries tensors of CUDA, and ${tensorText(tensors[0]!)} is on cpu: move it with to("cuda"), or connect with { backend: "cpu:gloo,cuda:nccl" }.`,
    );
  if (name === "recvAny" && devices[0] !== "cpu" && !ProcessGroup.stages(call, group, devices[0]!))
    throw new TypeError(`${call}: NCCL receives from a rank that is named: pass src.`);
}

/** Collectives that a captured step can repeat: those whose tensors its recording sees one by one. */
const REPLAYED: ReadonlySet<OperationName> = new Set<OperationName>([
  "allReduce",
  "broadcast",
  "reduce",
  "allGatherIntoTensor",
  "reduceScatterTensor",
  "allToAllSingle",
]);

function checkReplayable({ call, group, name }: Request, tensors: readonly Tensor[]): void {
  if (!isCapturing()) return;
  const device = tensors[0] === undefined ? "cpu" : native.device(tensors[0]);
  if (!REPLAYED.has(name))
    throw new TypeError(
      `torch.capture: ${call} is not repeated by a replay: use ${[...REPLAYED].join(", ")}, or call it outside of the step.`,
    );
  if (ProcessGroup.stages(call, group, device))
    throw new TypeError(
      `torch.capture: ${call} copies tensors of ${device} to the host and back, and a replay does not: call it outside of the step.`,
    );
}

/**
 * Copies tensors that the backend does not carry to the host, and their results back when the operation has finished.
 */
function staged(request: Request): { readonly outputs: Tensor[]; readonly inputs: Tensor[]; finish(): void } {
  const onHost = (tensor: Tensor): Tensor =>
    ProcessGroup.stages(request.call, request.group, native.device(tensor))
      ? tensor.detach().to("cpu")
      : tensor;
  const outputs = request.outputs.map(onHost);
  const inputs = request.inputs.map(onHost);
  return {
    outputs,
    inputs,
    finish() {
      noGrad(() => {
        for (const [i, output] of request.outputs.entries())
          if (outputs[i] !== output) output.detach().copy_(outputs[i]!);
      });
    },
  };
}

/** Starts it. */
export function startWork(request: Request): Work {
  const { call, group } = request;
  const handle = ProcessGroup.handleOf(call, group);
  const tensors = [...request.outputs, ...request.inputs];
  for (const tensor of tensors) checkSendable(call, tensor);
  checkDevices(request, tensors);
  checkReplayable(request, tensors);
  const op = reduceOpNumber(call, request.op ?? "sum");
  const first = request.inputs[0] ?? tensors[0];
  const what = first === undefined ? "" : tensorText(first);
  const activity = ProcessGroup.begin(group, call, what);
  const { outputs, inputs, finish } = staged(request);
  try {
    const operation = native.distributed.start(
      handle,
      request.name,
      outputs,
      inputs,
      request.peer ?? 0,
      op,
      request.tag ?? 0,
      request.outputSplits ?? [],
      request.inputSplits ?? [],
    );
    return new Work({ operation, group, activity, finish });
  } catch (error) {
    throw explainFailure(error, group, activity);
  }
}

/** Starts it, and waits unless `asyncOp` is set. */
export function run<Given>(request: Request, asyncOp: boolean): Started<Given> {
  const work = startWork(request);
  if (asyncOp) return work as Started<Given>;
  work.wait();
  return undefined as Started<Given>;
}
