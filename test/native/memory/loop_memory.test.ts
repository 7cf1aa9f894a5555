// A training loop that disposes of nothing and never yields takes hardly more memory than one that does: the collector
// hears of what tensors hold. `npm run bench` runs 100,000 steps; these are fewer.
import { expect, it } from "vitest";
import { runProgram } from "../programs.ts";

const LOOP = (disposes: boolean) => `
  const { readFileSync } = require("node:fs");
  const [randn, linear, tanh, square, mean] = ["randn", "linear", "tanh", "square", "mean"].map(operator);
  native.setCollector(() => gc(), () => gc({ type: "minor" }));
  const weights = [randn([64, 64], { requiresGrad: true }), randn([8, 64], { requiresGrad: true })];
  const x = randn([32, 64]);
  const step = () => {
    const hidden = tanh(linear(x, weights[0]));
    const loss = mean(square(linear(hidden, weights[1])));
    native.backward([loss], [null], false, false, []);
    for (const weight of weights) native.setGrad(weight, null);
  };
  for (let i = 0; i < 4_000; i++) {
    const scope = ${disposes} ? native.beginScope() : 0;
    step();
    if (scope) native.endScope(scope, []);
  }
  return Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
`;

it.runIf(process.platform === "linux")(
  "peak memory without disposal stays within 1.2 times that with it",
  () => {
    const disposed = runProgram(LOOP(true)) as number;
    const undisposed = runProgram(LOOP(false)) as number;
    expect(undisposed / disposed).toBeLessThan(1.2);
  },
);
