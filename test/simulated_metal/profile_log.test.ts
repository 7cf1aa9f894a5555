// PyTorch's variables for logs and signposts, which are read when the device is made.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const library = fileURLToPath(new URL("../../dist/lib/index.js", import.meta.url));

function run(env: Record<string, string>) {
  const program = `
    import { mps, torch } from ${JSON.stringify(library)};
    mps.simulate();
    torch.ones([4], { device: "mps" }).exp().exp();
    mps.synchronize();
    console.log(JSON.stringify(mps.profiler.signposts().map(({ name, mode }) => name + " " + mode)));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { signposts: JSON.parse(stdout) as string[], log: stderr };
}

it("nothing is logged without them", () => {
  expect(run({})).toEqual({ signposts: [], log: "" });
});

it("PYTORCH_MPS_LOG_PROFILE_INFO=1 logs every operator, 128 its time, 8 sums at the end", () => {
  const { log } = run({ PYTORCH_MPS_LOG_PROFILE_INFO: String(1 + 8 + 128) });
  expect(log).toMatch(/^aten::exp \(run=2, \[simulated GPU=[\d.]+ ms\]\)$/m);
  expect(log).toMatch(/^Operators of the simulated Metal device:\n +runs +total ms +name\n/m);
  expect(log).toMatch(/^ +2 +[\d.]+ {2}aten::exp$/m);
});

it("PYTORCH_MPS_TRACE_SIGNPOSTS=3 sets events and intervals from the beginning", () => {
  const { signposts } = run({ PYTORCH_MPS_TRACE_SIGNPOSTS: "3" });
  expect(signposts.filter((one) => one.startsWith("aten::exp"))).toEqual([
    "aten::exp interval",
    "aten::exp event",
    "aten::exp interval",
    "aten::exp event",
  ]);
});
