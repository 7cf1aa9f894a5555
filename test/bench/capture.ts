// Captured training steps: on the CPU the smallest network beside PyTorch's eager step, on an NVIDIA GPU three small
// models beside PyTorch's CUDA graphs.
import path from "node:path";
import { cuda } from "mpslab";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { peerPython, root } from "./environment.ts";
import { runProgram, takeTurns, type Results } from "./rounds.ts";
import { markdownTable, ratio, verdict } from "./table.ts";

const ROUNDS = 5;
const SMALLEST = "4-64-64-2";

const stepsOn = (device: string): Promise<Results> =>
  takeTurns(
    [
      {
        name: "mpslab",
        trial: () =>
          runProgram(process.execPath, [path.join(root, "dist/test/bench/programs/capture.js")], {
            ...SESSION_ENVIRONMENT,
            MPSLAB_DEVICE: device,
          }),
      },
      {
        name: "PyTorch",
        trial: () =>
          runProgram(peerPython, [path.join(root, "test/bench/programs/capture.py")], {
            MPSLAB_DEVICE: device,
          }),
      },
    ],
    ROUNDS,
  );

/** Our captured step against a figure of PyTorch's. */
function against(results: Results, model: string, theirs: string): number | null {
  const ours = results.get("mpslab")?.get(`${model}, captured, ms`);
  const other = results.get("PyTorch")?.get(`${model}, ${theirs}, ms`);
  return ours && other ? ours.median / other.median : null;
}

export async function capture(): Promise<string> {
  const cpu = await stepsOn("cpu");
  const lines = [
    markdownTable(cpu, "one training step on the CPU"),
    "",
    verdict(`${SMALLEST} captured, against PyTorch's step as ever`, against(cpu, SMALLEST, "as ever"), 0.4),
  ];
  if (!cuda.isAvailable()) return lines.join("\n");
  const gpu = await stepsOn("cuda");
  lines.push("", markdownTable(gpu, "one training step on the GPU"), "");
  for (const model of ["nanoGPT", "autoencoder", SMALLEST]) {
    lines.push(
      verdict(
        `${model} captured, against PyTorch's graph`,
        ratio(gpu, `${model}, captured, ms`, "mpslab", "PyTorch"),
        1.05,
      ),
    );
  }
  return lines.join("\n");
}
