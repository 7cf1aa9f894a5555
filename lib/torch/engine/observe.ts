// Watches what this session asks of libtorch: each operator, each read of a value, each backward pass. Each comes
// with its time and the waits for a device that it caused.
import type { Tensor } from "../types/index.ts";
import type { CapturedProgram } from "./captured_program.ts";
import { type Native, native, replaceNative } from "./native.ts";

export interface ObservedCall {
  /**
   * The dispatcher's name, `aten::mm`. Calls that are no operators are `tensor` (from JavaScript's numbers), `item`,
   * `data`, `synchronize`, `backward`, `gradients`, `captured step`.
   */
  readonly name: string;
  readonly args: readonly unknown[];
  readonly result: unknown;
  /**
   * The number of operators that ran in it: 1, or all those of its program for a captured step, which counts as one
   * call.
   */
  readonly operators: number;
  /** The start, on the clock of `performance.now()`. */
  readonly beganMs: number;
  readonly hostMs: number;
  /** The part of `hostMs` for which the host waited for a device, and the number of waits. */
  readonly waitedMs: number;
  readonly waits: number;
  /** How many calls around it have not returned: 1 for a call that a gradient's hook makes inside `backward`. */
  readonly depth: number;
}

const OPERATORS = ["call", "call1", "call2", "call3"] as const;
/** Functions that make tensors, wait or compute without being operators, with the names under which they are reported. */
const OTHERS = {
  fromTypedArray: "tensor",
  item: "item",
  typedArray: "data",
  synchronize: "synchronize",
  synchronizeEvent: "synchronize",
  backward: "backward",
  gradients: "gradients",
  replay: "captured step",
} as const;

const names = new Map<unknown, string>();

/** 17 -> `aten::add` */
function operatorName(operator: unknown): string {
  let name = names.get(operator);
  if (name === undefined) {
    const [schema = ""] = native.schemas(operator as Parameters<Native["schemas"]>[0]);
    name = /^[\w:]+/.exec(schema)?.[0] ?? "operator";
    names.set(operator, name);
  }
  return name;
}

type Function = (...args: unknown[]) => unknown;

/** Calls `observer` after every call that has returned, until the returned function is called. */
export function observeCalls(observer: (call: ObservedCall) => void): () => void {
  let depth = 0;
  return replaceNative((own) => {
    const watched =
      (run: Function, nameOf: (args: readonly unknown[]) => string, skip: number): Function =>
      (...args) => {
        const before = own.waited();
        const beganMs = performance.now();
        depth++;
        let result: unknown;
        try {
          result = run(...args);
        } finally {
          depth--;
        }
        const hostMs = performance.now() - beganMs;
        const after = own.waited();
        observer({
          name: nameOf(args),
          args: args.slice(skip),
          result,
          operators: run === own.replay ? own.capturedOperators(args[0] as CapturedProgram) : 1,
          beganMs,
          hostMs,
          waitedMs: after.waitedMs - before.waitedMs,
          waits: after.waits - before.waits,
          depth,
        });
        return result;
      };
    const entries: [string, Function][] = [
      ...OPERATORS.map((key): [string, Function] => [
        key,
        watched(own[key] as Function, ([operator]) => operatorName(operator), 1),
      ]),
      ...Object.entries(OTHERS).map(([key, name]): [string, Function] => [
        key,
        // The program of a captured step is left out: an observer could not look into it.
        watched(own[key as keyof typeof OTHERS] as Function, () => name, key === "replay" ? 1 : 0),
      ]),
    ];
    return Object.fromEntries(entries) as Partial<Native>;
  });
}

/** The tensors among arguments or results, including those in lists. */
export function tensorsAmong(values: unknown): Tensor[] {
  if (native.isTensor(values)) return [values];
  return Array.isArray(values) ? values.flatMap(tensorsAmong) : [];
}
