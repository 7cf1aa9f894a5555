// Ports: what listens while each feature is used. Only an address that the user has named may be reached from elsewhere.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PROJECT_ROOT } from "../../../kernel/cli/project.ts";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import { KernelProcess } from "../../helpers/kernel_process.ts";
import { isLocal, listeningAt } from "../listening_ports.ts";

export const name = "what listens while each feature is used";

const LOOK_EVERY_MS = 100;
const MARK = "MPSLAB_ATTACKED_PORTS";
const CLI = path.join(PROJECT_ROOT, "dist", "kernel", "cli.js");

/** Features that a cell uses; what it leaves open is open when the cell has ended. */
const CELLS: readonly (readonly [feature: string, cell: string])[] = [
  ["import", 'import { data, lab, nn, torch } from "mpslab"; const { distributed } = torch;'],
  ["%%ranks", '%%ranks 2\nimport { torch } from "mpslab";\ntorch.distributed.allReduce(torch.ones([2]));'],
  ["%%ranks, a second group", "%%ranks 2\ntorch.distributed.newGroup([0]);"],
  ["TCPStore at 127.0.0.1", 'const local = new distributed.TCPStore("127.0.0.1", 0, { isMaster: true });'],
  ["TCPStore at localhost", 'const named = new distributed.TCPStore("localhost", 0, { isMaster: true });'],
  ["a group of one", "distributed.initProcessGroup({ store: local, rank: 0, worldSize: 1 });"],
  ["%inspect", "%inspect"],
  [
    "workers of a loader",
    `const numbers = await data.workerDataset<data.Dataset<any>>("./numbers.ts", 4);
     for (const batch of new data.DataLoader(numbers, { batchSize: 2, numWorkers: 2 })) String(batch);`,
  ],
  [
    "a sweep",
    "await lab.sweep({ setup: () => () => {}, batch: [1], windows: 1, windowMs: 1, journal: null, show: false });",
  ],
  ["!command", "!true"],
  ["%%sh", "%%sh\npython3 -c 'print(1)'"],
];

export async function run(): Promise<string[]> {
  if (process.platform !== "linux") return ["Only Linux lists the ports of a process in /proc."];
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-ports-"));
  writeFileSync(path.join(folder, "numbers.ts"), NUMBERS);
  try {
    return [...(await inKernel(folder)), ...(await inRun(folder)), ...(await inExecute(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NUMBERS = `import { torch } from "mpslab";
export default (length: number) => ({ length, get: (index: number) => torch.tensor(index) });
`;

async function inKernel(folder: string): Promise<string[]> {
  const mark = `kernel-${process.pid}`;
  const kernel = await KernelProcess.start({ directory: folder, environment: { [MARK]: mark } });
  const problems: string[] = [];
  let known: string[] = [];
  const look = (feature: string): void => {
    const now = listeningAt(MARK, mark);
    const more = now.filter((address) => !known.includes(address));
    problems.push(...foreign(more).map((address) => `${feature} listens at ${address}`));
    console.log(`  ${feature}: ${more.join(", ") || "nothing more"}`);
    known = now;
  };
  try {
    await kernel.client.execute("1");
    look("the kernel");
    for (const [feature, cell] of CELLS) {
      const { errors } = await kernel.client.execute(cell);
      if (errors.length > 0) problems.push(`${feature}: ${String(errors[0]?.["evalue"])}`);
      look(feature);
    }
    const debugging = new DebuggerClient(kernel.client);
    await debugging.start();
    const { cell } = await debugging.run("debugger;");
    look("the debugger");
    await debugging.ask("continue");
    await cell;
    // What a user names is heard everywhere: so it is seen that this program would find it.
    await kernel.client.execute('const open = new distributed.TCPStore("0.0.0.0", 0, { isMaster: true });');
    if (foreign(listeningAt(MARK, mark)).length === 0)
      problems.push("a store at 0.0.0.0 was not found: this program does not see what listens");
  } finally {
    await kernel.stop();
  }
  return problems;
}

/** The session waits for a debugger: its port is open then. */
async function inRun(folder: string): Promise<string[]> {
  const mark = `run-${process.pid}`;
  const program = path.join(folder, "program.ts");
  writeFileSync(program, "console.log(1);\n");
  const child = spawn(process.execPath, [CLI, "run", "--inspect", program], {
    cwd: folder,
    env: { ...process.env, [MARK]: mark },
  });
  await new Promise<void>((resolve) => {
    let printed = "";
    const hear = (chunk: Buffer): void => {
      printed += String(chunk);
      if (printed.includes("ws://")) resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => resolve());
  });
  const found = listeningAt(MARK, mark);
  console.log(`  mpslab run --inspect: ${found.join(", ")}`);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
  const missing = found.length > 0 ? [] : ["mpslab run --inspect: no port was found"];
  return [...missing, ...foreign(found).map((address) => `mpslab run --inspect listens at ${address}`)];
}

/** The kernel's sockets are files then. */
async function inExecute(folder: string): Promise<string[]> {
  const mark = `execute-${process.pid}`;
  const notebook = path.join(folder, "waits.ipynb");
  const waits = "await new Promise((resolve) => setTimeout(resolve, 3000));";
  const cell = {
    cell_type: "code",
    id: "a",
    source: waits,
    metadata: {},
    outputs: [],
    execution_count: null,
  };
  writeFileSync(notebook, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] }));
  const child = spawn(process.execPath, [CLI, "execute", notebook], {
    cwd: folder,
    env: { ...process.env, [MARK]: mark },
    stdio: "ignore",
  });
  const found = new Set<string>();
  const looking = setInterval(() => {
    for (const address of listeningAt(MARK, mark)) found.add(address);
  }, LOOK_EVERY_MS);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(looking);
  console.log(`  mpslab execute: ${[...found].join(", ") || "nothing"}`);
  return [...found].map((address) => `mpslab execute listens at ${address}`);
}

const foreign = (addresses: readonly string[]): string[] => addresses.filter((one) => !isLocal(one));
