// `npm run bench [-- suite ...]`: runs the suites side by side with the peers, prints the tables, keeps them in results/.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import path from "node:path";
import { torch } from "mpslab";
import { architectures } from "./architectures.ts";
import { makePeers, root } from "./environment.ts";
import { checks } from "./checks.ts";
import { disposal } from "./disposal.ts";
import { flush } from "./flush.ts";
import { gpu } from "./gpu.ts";
import { interrupts } from "./interrupts.ts";
import { kernels } from "./kernels.ts";
import { lab } from "./lab.ts";
import { loader } from "./loader.ts";
import { models } from "./models.ts";
import { operators } from "./operators.ts";
import { simulatedMetal } from "./simulated_metal.ts";
import { training } from "./training.ts";

const suites: Readonly<Record<string, () => Promise<string>>> = {
  operators,
  training,
  models,
  loader,
  kernels,
  checks,
  flush,
  lab,
  architectures,
  disposal,
  interrupts,
  gpu,
  "simulated-metal": simulatedMetal,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(suites, name));
if (unknown !== undefined) {
  console.error(
    `There is no benchmark ${unknown}: choose from ${Object.keys(suites).join(", ")}, or name none for all.`,
  );
  process.exit(1);
}

makePeers(torch.version);
const results = path.join(root, "test", "bench", "results");
mkdirSync(results, { recursive: true });
const machine = `${cpus()[0]!.model}, ${availableParallelism()} cores, Node ${process.versions.node}, libtorch ${torch.version}`;
for (const name of asked.length ? asked : Object.keys(suites)) {
  process.stderr.write(`${name}\n`);
  const report = `# ${name}\n\n${machine}. Medians, with the least and the most in brackets.\n\n${await suites[name]!()}\n`;
  console.log(report);
  writeFileSync(path.join(results, `${name}.md`), report);
}
