// Simulated Metal on a machine with a CUDA device: PyTorch works with one accelerator, and its autograd throws where it
// finds two.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { mps } from "../../lib/index.ts";
import { device } from "./device_under_test.ts";

const PROGRAM = `
import { accelerator, cuda, mps, torch } from "mpslab";
if (!mps.isAvailable()) mps.simulate();
const x = torch.ones([2, 3], { device: "mps" }).requiresGrad_();
x.mul(2).sum().backward();
console.log(JSON.stringify({ grad: x.grad.cpu().tolist(), cuda: cuda.isAvailable(), chosen: accelerator.currentAccelerator() }));
`;

describe("simulated Metal beside CUDA", () => {
  it.runIf(device === "cuda")(
    "is refused in a session that has loaded CUDA, and says how to start one",
    () => {
      expect(() => mps.simulate()).toThrow(
        new TypeError(
          'mps.simulate: CUDA is loaded in this session, and PyTorch works with one accelerator: restart the session, and begin with %metal simulated 16GB, which leaves CUDA out; outside a notebook set MPSLAB_METAL="simulated 16GB".',
        ),
      );
    },
  );

  // Anywhere: where there is no CUDA, nothing is left out.
  it.skipIf(process.platform === "darwin").each([
    ["asks for it", { MPSLAB_DEVICE: "mps", MPSLAB_METAL: "simulated" }],
    [
      "shows no device of CUDA",
      { MPSLAB_DEVICE: undefined, MPSLAB_METAL: undefined, CUDA_VISIBLE_DEVICES: "" },
    ],
  ])("leaves CUDA out where the environment %s, and trains", (_, environment) => {
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM], {
      encoding: "utf8",
      env: { ...process.env, ...environment },
    });
    expect(JSON.parse(printed)).toEqual({
      grad: [
        [2, 2, 2],
        [2, 2, 2],
      ],
      cuda: false,
      chosen: "mps",
    });
  });
});
