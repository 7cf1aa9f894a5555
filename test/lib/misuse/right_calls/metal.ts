// A right call of what is there for Metal only: workarounds, signposts, shaders. The matrix runs them on simulated Metal.
import { mps, nn, torch } from "../../../../lib/index.ts";
import { ones, type RightCalls, under } from "./right_calls.ts";

const sparse = () => torch.eye(2).toSparse();
const SOURCE =
  "kernel void full(device float* out, constant float& value, uint i [[thread_position_in_grid]]) { out[i] = value; }";

export const metalCalls: RightCalls = {
  ...under("mps.profiler", {
    start: () => [{ mode: "interval", waitUntilCompleted: false }],
    stop: () => [],
    profile: () => [{ mode: "interval", waitUntilCompleted: false }, () => 1],
    signposts: () => [],
    isMetalCaptureEnabled: () => [],
    isCapturingMetal: () => [],
  }),
  "mps.compileShader": () => [SOURCE],
  ...under("mps.workarounds", {
    instanceNorm3dForBatchNorm3d: () => [new nn.Sequential(new nn.BatchNorm3d(2))],
    raiseEps: () => [new nn.Sequential(new nn.LayerNorm(2)), 1e-4],
    SafeLayerNorm: () => [3, { eps: 1e-5, elementwiseAffine: true, bias: true, always: true }],
    "SafeLayerNorm#forward": () => [new mps.workarounds.SafeLayerNorm(3), ones(2, 3)],
    check: () => ["layerNorm"],
    checkAll: () => [],
    float32For: () => [torch.ones([2], { dtype: "float64" })],
    multipleOf8: () => [7],
    onCpu: () => [() => 1],
    outOfPlace: () => [ones(2, 3), () => ones(2, 3)],
    padToMultipleOf8: () => [ones(2, 3), 1],
    sparseMatmul: () => [sparse(), ones(2, 2)],
    toDense: () => [sparse(), "cpu"],
  }),
};
