// The architecture table: ten training steps each of seven kinds of model on the CPU, on simulated Metal, and on the
// machine's own device where it has another. It is about memory, fallbacks and finite losses, not about speed.
import path from "node:path";
import { cuda, mps } from "mpslab";
import { SESSION_ENVIRONMENT } from "../../kernel/session/process.ts";
import { root } from "./environment.ts";
import { type Figures, runProgram } from "./rounds.ts";

const program = path.join(root, "dist/test/bench/programs/architectures.js");
const run = (environment: NodeJS.ProcessEnv) =>
  runProgram(process.execPath, ["--expose-gc", program], { ...SESSION_ENVIRONMENT, ...environment });

const NAMES = ["MLP", "ResNet", "LSTM", "transformer", "diffusion model", "GAN", "graph network"];
const STEPS = 10;

export async function architectures(): Promise<string> {
  const devices: [string, NodeJS.ProcessEnv][] = [
    ["CPU", { MPSLAB_DEVICE: "cpu" }],
    ["simulated Metal", { MPSLAB_METAL: "simulated 16GB" }],
    [
      "simulated Metal, fallback enabled",
      { MPSLAB_METAL: "simulated 16GB", PYTORCH_ENABLE_MPS_FALLBACK: "1" },
    ],
  ];
  if (cuda.isAvailable()) devices.push(["CUDA", { MPSLAB_DEVICE: "cuda" }]);
  if (mps.isAvailable()) devices.push(["Metal", { MPSLAB_DEVICE: "mps" }]);
  const lines = [
    "| architecture | parameters | device | steps | loss, first to last | growth, bytes | fallbacks |",
    "| --- | ---: | --- | ---: | ---: | ---: | ---: |",
  ];
  const unsound: string[] = [];
  for (const [device, environment] of devices) {
    process.stderr.write(`  ${device}\n`);
    const figures = await run(environment);
    for (const name of NAMES) {
      lines.push(rowOf(name, device, figures));
      if (!isSound(name, figures)) unsound.push(`${name} on ${device}`);
    }
  }
  const all = devices.length * NAMES.length;
  return [
    `Ten training steps each; growth is of live tensors from the second step to the last, all garbage collected.`,
    "",
    ...lines,
    "",
    `- to the end, finite losses, no growth: ${all - unsound.length} of ${all}, target ${all}: ${
      unsound.length === 0 ? "met" : `missed by ${unsound.join(", ")}`
    }`,
  ].join("\n");
}

function isSound(name: string, figures: Figures): boolean {
  const of = (what: string) => figures[`${name}, ${what}`] ?? null;
  return of("steps") === STEPS && of("last loss") !== null && of("growth in bytes") === 0;
}

function rowOf(name: string, device: string, figures: Figures): string {
  const of = (what: string) => figures[`${name}, ${what}`] ?? null;
  const loss = (what: string) => of(what)?.toPrecision(4) ?? "none";
  const cells = [
    name,
    of("parameters") ?? "",
    device,
    of("steps") ?? "",
    `${loss("first loss")} to ${loss("last loss")}`,
    of("growth in bytes") ?? "not measured",
    of("fallbacks") ?? "not counted",
  ];
  return `| ${cells.join(" | ")} |`;
}
