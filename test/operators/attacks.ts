// `npm run test:operators -- attacks [NAME] [--seed N]`: programs that try to get more out of mpslab than a stranger may
// have. Each file of `attacks/` is one, and runs in a process of its own, so that one that ends its process is told of
// too. What is found belongs into a test of the room that let it through.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** What a file of `attacks/` exports. */
export interface Attack {
  readonly name: string;
  /** @returns what went wrong, in words; nothing if all held */
  run(seed: number): Promise<string[]>;
}

const folder = path.join(import.meta.dirname, "attacks");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const attacks = readdirSync(folder)
  .filter((file) => file.endsWith(".js"))
  .map((file) => path.basename(file, ".js"));
const wanted = positionals.find((word) => word !== "attacks");

if (!Number.isSafeInteger(seed)) fail(`--seed needs a whole number, and got ${values.seed}.`);
else if (wanted === undefined) runAll();
else if (!attacks.includes(wanted)) fail(`There is no attack ${wanted}: ${attacks.join(", ")}.`);
else await runOne(wanted);

function runAll(): void {
  const failed = attacks.filter((file) => {
    const { status, signal } = spawnSync(
      process.execPath,
      [import.meta.filename, file, "--seed", String(seed)],
      { stdio: "inherit" },
    );
    if (signal !== null) console.error(`${file}: its process was ended by ${signal}.`);
    return status !== 0;
  });
  console.log(
    `${attacks.length} attacks, ${failed.length} with problems${failed.length === 0 ? "" : `: ${failed.join(", ")}`}.`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

async function runOne(file: string): Promise<void> {
  const { name, run } = (await import(pathToFileURL(path.join(folder, `${file}.js`)).href)) as Attack;
  const startMs = performance.now();
  const problems = await run(seed);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  for (const problem of problems) console.error(`${file}: ${problem}`);
  console.log(`${file} (${name}): ${problems.length} problems in ${seconds} s; --seed ${seed}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 2;
}
