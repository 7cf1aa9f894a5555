// Reads what PyTorch recorded of a layer (test/fixtures/layers.py), and compares a layer of ours with it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { torch, type nn, type Tensor } from "../../../../../lib/index.ts";

export interface Stored {
  readonly shape: number[];
  /** float32 in base64. */
  readonly floats?: string;
  readonly integers?: number[];
}

type Drawing =
  | number[]
  | { readonly uniform: number[] }
  | { readonly below: number; readonly shape: number[] }
  | { readonly signs: number[] }
  | { readonly bits: number[] }
  | { readonly softmax: number[] }
  | { readonly values: number[] };

export interface LayerRecord {
  /** Shape and digest of each tensor of the state dict, by key. */
  readonly state: Record<string, [shape: number[], digest: string]>;
  readonly inputs: Drawing[];
  readonly outputs: Stored[];
  readonly inputGrads: (Stored | null)[];
  readonly grads: Record<string, Stored>;
  readonly buffers: Record<string, Stored>;
  /** A number drawn after everything, which tells how many were drawn before. */
  readonly next: number;
}

/** How a layer is made, and run where calling it with its inputs is not all. */
export interface Build {
  readonly make: () => nn.Module;
  // Each layer has a signature of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly run?: (layer: any, first: Tensor, second?: any, third?: any) => unknown;
  /** Under `eval()`; "fused" without recording too, where PyTorch takes its kernels for inference. */
  readonly evaluate?: boolean | "fused";
}

/** A clipping function's result, and the gradients after it. */
export interface ClipRecord {
  readonly returned: number | null;
  readonly grads: Stored[];
}

export const {
  layers: records,
  clipped,
  functions,
} = JSON.parse(readFileSync(new URL("../../../../fixtures/layers.json", import.meta.url), "utf8")) as {
  layers: Record<string, LayerRecord>;
  clipped: Record<string, ClipRecord>;
  functions: Record<string, Stored>;
};

function digest(tensor: Tensor): string {
  const data = tensor.detach().contiguous().cpu().data();
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return createHash("sha1").update(bytes).digest("hex").slice(0, 12);
}

function draw(spec: Drawing): Tensor {
  if (Array.isArray(spec)) return torch.randn(spec).requiresGrad_(torch.isGradEnabled());
  if ("uniform" in spec) return torch.rand(spec.uniform).requiresGrad_();
  if ("below" in spec) return torch.randint(0, spec.below, spec.shape, { dtype: "int64" });
  if ("signs" in spec) return torch.randint(0, 2, spec.signs, { dtype: "int64" }).float().mul(2).sub(1);
  if ("bits" in spec) return torch.randint(0, 2, spec.bits, { dtype: "int64" }).float();
  if ("softmax" in spec) return torch.randn(spec.softmax).softmax(-1);
  return torch.tensor(spec.values);
}

function tensorsOf(output: unknown): Tensor[] {
  if (torch.isTensor(output)) return [output];
  return Array.isArray(output) ? output.flatMap(tensorsOf) : [];
}

export function expectClose(what: string, tensor: Tensor | null, stored: Stored | null): void {
  if (!tensor || !stored) {
    expect(tensor, what).toBe(stored);
    return;
  }
  expect(tensor.shape, what).toEqual(stored.shape);
  const dense = tensor.layout === "strided" ? tensor : tensor.toDense();
  const found = Array.from(dense.detach().contiguous().cpu().data<Float32Array | BigInt64Array>(), Number);
  if (stored.integers) {
    expect(found, what).toEqual(stored.integers);
    return;
  }
  const expected = new Float32Array(new Uint8Array(Buffer.from(stored.floats!, "base64")).buffer);
  const scale = Math.max(1, ...Array.from(expected, Math.abs));
  const worst = Math.max(0, ...found.map((value, i) => Math.abs(value - expected[i]!)));
  // Rounding only: vector units of other machines add in another order.
  expect(worst / scale, what).toBeLessThan(5e-6);
}

/** Equal state dicts, outputs and gradients from equal seeds, and as many random numbers drawn. */
export function expectRecorded(record: LayerRecord, build: Build): void {
  if (build.evaluate === "fused") torch.noGrad(() => compare(record, build));
  else compare(record, build);
}

function compare(record: LayerRecord, { make, run, evaluate }: Build): void {
  torch.manualSeed(0);
  const layer = make();
  const state = Object.entries(layer.stateDict());
  expect(Object.fromEntries(state.map(([key, tensor]) => [key, [tensor.shape, digest(tensor)]]))).toEqual(
    record.state,
  );
  expect(state.map(([key]) => key)).toEqual(Object.keys(record.state));
  const inputs = record.inputs.map(draw);
  if (evaluate) layer.eval();
  const call = run ?? ((model: (...given: Tensor[]) => unknown, ...given: Tensor[]) => model(...given));
  const outputs = tensorsOf(call(layer as never, ...(inputs as [Tensor, Tensor, Tensor])));
  expect(outputs.length).toBe(record.outputs.length);
  for (const [i, output] of outputs.entries()) expectClose(`output ${i}`, output, record.outputs[i]!);

  const losses = outputs.filter((output) => output.requiresGrad).map((output) => output.mul(output).sum());
  if (losses.length > 0) losses.reduce((sum, loss) => sum.add(loss)).backward();
  for (const [i, input] of inputs.entries())
    expectClose(`gradient by input ${i}`, input.grad, record.inputGrads[i]!);
  const keyOf = (path: string) => path.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const grads = [...layer.namedParameters()].filter(([, parameter]) => parameter.grad);
  expect(grads.map(([path]) => keyOf(path)).sort()).toEqual(Object.keys(record.grads).sort());
  for (const [path, { grad }] of grads) expectClose(`gradient by ${path}`, grad, record.grads[keyOf(path)]!);
  for (const [path, buffer] of layer.namedBuffers())
    expectClose(path, buffer.float(), record.buffers[keyOf(path)]!);
  expect(torch.rand([]).item()).toBe(record.next);
}
