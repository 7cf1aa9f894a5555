// `mps.supports` beside what happens: each operator of PyTorch's own samples on simulated Metal either computes there, or
// falls back, or is refused.
import type { OperatorId } from "../../lib/torch/engine/fast_call.ts";
import { beforeAll, expect, it } from "vitest";
import { mps, torch } from "../../lib/index.ts";
import { COMPOSED_OF_MISSING } from "../../lib/torch/devices/mps/metal_composed.ts";
import { native, replaceNative } from "../../lib/torch/engine/native.ts";
import { keptSamples } from "../operators/kept_samples.ts";
import { Tally } from "../operators/tally.ts";

/** Overloads by name, with whether a call of theirs computed on the device, went to the CPU, or was refused for want of a kernel. */
const seen = new Map<string, Set<"computes" | "falls back" | "is refused">>();

const isThere = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isThere)
    : native.isTensor(value) && native.device(value).startsWith("mps");
const fallbacks = () => mps.fallbacks().reduce((sum, { calls }) => sum + calls, 0);

function nameOf(operator: OperatorId, args: readonly unknown[]): string {
  const name = /^aten::(\w+)/.exec(native.schemas(operator)[0]!)![1]!;
  const overload = native.resolvedOverload(operator, ...args);
  return overload === "" ? name : `${name}.${overload}`;
}

function watch(): () => void {
  return replaceNative((own) =>
    Object.fromEntries(
      (["call", "call1", "call2", "call3"] as const).map((key) => [
        key,
        (operator: OperatorId, ...args: unknown[]): unknown => {
          if (!args.some(isThere)) return (own[key] as typeof own.call)(operator, ...args);
          const before = fallbacks();
          const note = (outcome: "computes" | "falls back" | "is refused") => {
            const name = nameOf(operator, args);
            seen.set(name, (seen.get(name) ?? new Set()).add(outcome));
          };
          try {
            const result = (own[key] as typeof own.call)(operator, ...args);
            note(fallbacks() > before ? "falls back" : "computes");
            return result;
          } catch (error) {
            if (/is not currently implemented for the MPS device/.test(String(error))) note("is refused");
            throw error;
          }
        },
      ]),
    ),
  );
}

beforeAll(() => {
  delete process.env["PYTORCH_ENABLE_MPS_FALLBACK"];
  mps.simulate({ memory: "8GB" });
  torch.setDefaultDevice("mps");
  const stop = watch();
  const tally = new Tally("mps");
  for (const line of keptSamples()) tally.add(line);
  stop();
});

it("what is said to be supported computes on the device, and what is not goes to the CPU or is refused", () => {
  expect(seen.size).toBeGreaterThan(500);
  // Nothing can be promised of an operator that goes to the CPU for some arguments, as linalg_pinv unless they are hermitian.
  const wrong = [...seen].filter(
    ([name, outcomes]) => mps.supports(name) !== (outcomes.has("computes") && outcomes.size === 1),
  );
  expect(wrong).toEqual([]);
});

it("each operator that is composed of a missing one was tried", () => {
  const tried = new Set([...seen.keys()].flatMap((name) => [name, name.replace(/\..*/, "")]));
  expect(Object.keys(COMPOSED_OF_MISSING).filter((name) => !tried.has(name))).toEqual([]);
});
