// Draws random numbers on the CPU and moves them to the device that was asked for. Generators of different devices give
// different numbers for one seed. Operators that draw are recognized by their schema.
import type { OperatorId } from "../../../torch/engine/fast_call.ts";
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import { setRequiresGrad } from "../../../torch/tensor/requires_grad.ts";
import { noGrad } from "../../../torch/autograd/autograd.ts";
import { defaultDevice } from "../../../torch/engine/device.ts";
import { isRecord } from "../../../torch/vocabulary/arguments.ts";
import { native, replaceNative } from "../../../torch/engine/native.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";
import { kindOf } from "../trace/phases.ts";

type Call = (operator: OperatorId, ...args: unknown[]) => unknown;

const CALLS = ["call", "call1", "call2", "call3"] as const;

/** Makes operators draw on the CPU until the returned function is called. */
export function drawOnHost(): () => void {
  const random = new Map<OperatorId, boolean>();
  const isRandom = (operator: OperatorId): boolean => {
    let known = random.get(operator);
    if (known === undefined) {
      known = native.schemas(operator).some((schema) => schema.includes("Generator?"));
      random.set(operator, known);
    }
    return known;
  };
  return replaceNative((own) =>
    Object.fromEntries(
      CALLS.map((key): [string, Call] => {
        const run = own[key] as Call;
        return [
          key,
          (operator, ...args) => (isRandom(operator) ? draw(run, operator, args) : run(operator, ...args)),
        ];
      }),
    ),
  );
}

function draw(run: Call, operator: OperatorId, args: readonly unknown[]): unknown {
  const last = args.at(-1);
  const options = isRecord(last) ? last : null;
  const target = targetOf(args, options);
  // Left alone: a generator that the user made belongs to its device, and `out` is written on its own device.
  if (target === "cpu" || (options !== null && (given(options, "generator") || given(options, "out"))))
    return run(operator, ...args);
  const hostArgs = args.map((value) => (native.isTensor(value) ? value.cpu() : value));
  const { requiresGrad = false, requires_grad: alias = requiresGrad, ...others } = options ?? {};
  if (isFactory(args))
    hostArgs.splice(options === null ? hostArgs.length : -1, 1, { ...others, device: "cpu" });
  const made = run(operator, ...hostArgs) as Tensor;
  const changed = hostArgs.indexOf(made);
  if (changed < 0) {
    const moved = made.to(target);
    if (alias === true) setRequiresGrad(moved, true);
    return moved;
  }
  const tensor = args[changed] as Tensor;
  noGrad(() => tensor.copy_(made));
  return tensor;
}

const given = (options: Readonly<Record<string, unknown>>, name: string): boolean =>
  options[name] !== undefined && options[name] !== null;

/** Returns whether the operator takes no tensor, as `randn`. Its device is then an option. */
const isFactory = (args: readonly unknown[]): boolean => !args.some((value) => native.isTensor(value));

function targetOf(args: readonly unknown[], options: Readonly<Record<string, unknown>> | null): DeviceName {
  const wished = options?.["device"] as DeviceName | undefined;
  if (wished !== undefined && wished !== null) return wished;
  const tensors = args.filter((value) => native.isTensor(value));
  if (tensors.length === 0) return defaultDevice();
  return (tensors.find((tensor) => kindOf(tensor) !== "cpu") ?? tensors[0]!).device as DeviceName;
}
