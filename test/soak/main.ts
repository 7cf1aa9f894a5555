// `npm run soak [-- CELLS [SEED [KIND ...]]]`: runs mixed cells in a real kernel over its Jupyter sockets, and prints what
// its processes hold after every thousand. A kind that grows is found by naming it alone. MPSLAB_SOAK_SNAPSHOTS=1000,3000
// keeps heap snapshots of those rounds; their making takes native memory, which the figures after it show. Needs /proc,
// as Linux has it.
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readConnection } from "../../kernel/protocol/connection.ts";
import { KernelClient } from "../helpers/kernel_client.ts";
import { writeConnectionFile } from "../helpers/kernel_process.ts";
import { seededRandom } from "../../lib/lab/core/seeded_random.ts";
import { EVERY_KIND, nextCell, PREPARATION } from "./cells.ts";
import { figuresOf, findProcesses, type ProcessFigures } from "./processes.ts";

const DEFAULT_CELLS = 50_000;
const ROUND = 1_000;
/** After so many cells an editor asks: a completion, a hover. */
const EDITOR_EVERY = 10;

const [cellsText, seedText, ...kinds] = process.argv.slice(2);
const cells = Number(cellsText ?? DEFAULT_CELLS);
const seed = Number(seedText ?? 1);
const unknown = kinds.find((kind) => !EVERY_KIND.includes(kind));
if (!Number.isInteger(cells) || !Number.isInteger(seed) || unknown !== undefined) {
  console.error(`Usage: npm run soak [-- CELLS [SEED [KIND ...]]]; kinds: ${EVERY_KIND.join(", ")}.`);
  process.exit(1);
}

const root = path.resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-soak-"));
const connectionFile = await writeConnectionFile(folder);
const log = openSync(path.join(folder, "kernel.log"), "w");
const kernel = spawn(process.execPath, [path.join(root, "dist/kernel/main.js"), connectionFile], {
  cwd: folder,
  stdio: ["ignore", log, log],
  env: {
    ...process.env,
    MPSLAB_HISTORY: path.join(folder, "history.sqlite"),
    MPSLAB_SOAK_FOLDER: folder,
    NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, "probe.js")).href}`,
  },
});
closeSync(log);
const client = await KernelClient.attach(readConnection(connectionFile));

try {
  console.log(`${cells} cells, seed ${seed}, kinds: ${(kinds.length > 0 ? kinds : EVERY_KIND).join(", ")}`);
  console.log("MB (1,000,000 bytes): resident / anonymous / V8 heap after a collection / external");
  for (const code of PREPARATION) await runCell(code, "ok");
  const random = seededRandom(seed);
  await printFigures(0, performance.now());
  let begun = performance.now();
  for (let done = 1; done <= cells; done++) {
    const { code, status } = nextCell(random, kinds.length > 0 ? kinds : EVERY_KIND);
    await runCell(code, status);
    if (done % EDITOR_EVERY === 0) await askEditor();
    if (done % ROUND === 0 || done === cells) {
      if (process.env["MPSLAB_SOAK_SNAPSHOTS"]?.split(",").includes(String(done)))
        writeFileSync(path.join(folder, "snapshot"), "");
      await printFigures(done, begun);
      rmSync(path.join(folder, "snapshot"), { force: true });
      begun = performance.now();
    }
  }
  await client.request("shutdown_request", { restart: false }, "control");
} finally {
  client.close();
  kernel.kill();
  if (process.env["MPSLAB_SOAK_SNAPSHOTS"] === undefined) rmSync(folder, { recursive: true, force: true });
  else console.log(`heap snapshots: ${folder}`);
}

/** @throws where the cell ends otherwise than expected: a soak of cells that fail would show nothing */
async function runCell(code: string, status: "ok" | "error"): Promise<void> {
  const { reply, errors } = await client.execute(code);
  client.published.length = 0;
  if (reply["status"] !== status)
    throw new Error(
      `The cell ${JSON.stringify(code)} ended as ${String(reply["status"])}: ${JSON.stringify(errors)}`,
    );
}

async function askEditor(): Promise<void> {
  await client.request("complete_request", { code: "model.pa", cursor_pos: 8 });
  await client.request("inspect_request", { code: "model", cursor_pos: 3, detail_level: 0 });
}

async function printFigures(done: number, begun: number): Promise<void> {
  const processes = findProcesses(kernel.pid!);
  const columns: string[] = [];
  for (const [name, pid] of Object.entries(processes)) {
    if (pid === undefined) continue;
    columns.push(`${name} ${shown(await figuresOf(pid, folder, name !== "language"))}`);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(`${String(done).padStart(6)}  ${columns.join("  |  ")}  |  ${seconds} s`);
}

function shown({ resident, anonymous, heap, external }: ProcessFigures): string {
  return [resident, anonymous, heap, external].map((value) => value?.toFixed(2) ?? "-").join(" / ");
}
