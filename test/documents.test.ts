// Every sample of code in four documents about PyTorch on Apple silicon, as a TypeScript user would write it, on simulated
// Metal and on the CPU. test/cells/documents holds the cells: below each, `// >` lines are what the document promises, where
// the devices differ with the device's name, and a `// !` line is the error that answers a promise which PyTorch does not keep. `%%python`'s translation of the same samples is tested in test/kernel/python.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KernelProcess } from "./helpers/kernel_process.ts";
import { outcome } from "./helpers/python_cells.ts";

/** What a reader's notebook has: a model on the device, batches, a loss. */
const NOTEBOOK = `
import os from "node:os";
import { accelerator, amp, data, functional, lab, mps, nn, optim, torch, UnsupportedOperatorError } from "mpslab";
import type { DeviceName, Tensor } from "mpslab";
torch.manualSeed(0);
const device: "mps" | "cpu" = mps.isAvailable() ? "mps" : "cpu";
const accumulationSteps = 2;
const model = new nn.Sequential(new nn.Linear(4, 3)).to(device);
const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
const lossFn = new nn.CrossEntropyLoss();
const lossOf = (outputs: Tensor): Tensor => lossFn(outputs, targets.to(device));
const inputs = torch.randn([4, 4]);
const targets = torch.tensor([0, 2, 1, 0]);
const [input, target] = [inputs.to(device), targets.to(device)];
const dataset = new data.TensorDataset(torch.randn([8, 4]), torch.randint(0, 3, [8]));
const loader = new data.DataLoader(dataset, { batchSize: 4 });
torch.save({ weight: torch.zeros([2], { dtype: "float64" }) }, "model.pt");
`;

interface Sample {
  readonly number: number;
  readonly cell: string;
  /** What it prints on a device. */
  promised(device: "mps" | "cpu"): string;
  /** How the error begins that it ends with on a device. */
  error(device: "mps" | "cpu"): string | undefined;
}

function samplesOf(document: string): Sample[] {
  const text = readFileSync(new URL(`cells/documents/${document}.ts`, import.meta.url), "utf8");
  return text
    .split(/^\/\/ %% \d+\n/m)
    .slice(1)
    .map((sample, at) => {
      const cell = sample.replaceAll(/^\/\/ [>!] .*\n/gm, "").trimEnd();
      const lines = (sign: string, device: string) =>
        [...sample.matchAll(/^\/\/ ([>!]) (?:(mps|cpu): )?(.*\n)/gm)].flatMap(([, its, only, line]) =>
          its === sign && (only === undefined || only === device) ? line! : [],
        );
      const promised = (device: string) => lines(">", device).join("");
      return { number: at + 1, cell, promised, error: (device) => lines("!", device)[0]?.trimEnd() };
    });
}

describe.each(["mps", "cpu"] as const)("on %s, the samples of", (device) => {
  let kernel: KernelProcess;
  beforeAll(async () => {
    kernel = await KernelProcess.start({
      environment: { MPSLAB_METAL: device === "mps" ? "simulated" : "", MPSLAB_DEVICE: device },
    });
  });
  afterAll(() => kernel.stop());

  describe.each(["optimize_mps", "torch_2_8_on_mps", "mps_backend", "apple_silicon"])("%s", (document) => {
    it.each(samplesOf(document))("$number", async ({ number, cell, promised, error }) => {
      const { client } = kernel;
      if (number === 1)
        expect(await outcome(client, `%reset -f\n${NOTEBOOK}`)).toMatch(/^\d+ names forgotten/);
      const printed = await outcome(client, cell);
      const failure = error(device);
      if (failure === undefined) expect(printed).toBe(promised(device));
      else expect(printed.startsWith(`FAILED ${failure}`), printed).toBe(true);
    });
  });
});
