// The kernel's main program: reads the connection file, starts the session and the compiler's server, then the kernel.
// Everything loaded here delays the first reply, so the compiler is loaded later.
import { constants } from "node:os";
import { keepFromChildren } from "./process/allocator_environment.ts";
import { limitedLog } from "./process/log.ts";
import { ConnectionError, readConnection, type Connection } from "./protocol/connection.ts";
import { startProcesses } from "./shell/processes.ts";

const PARENT_POLL_MS = 1000;
/**
 * How long the event loop may take to end by itself. Something may keep it alive, such as a child process that keeps
 * its pipes open.
 */
const EXIT_GRACE_MS = 2_000;

const log = limitedLog((line) => process.stderr.write(`mpslab: ${line}\n`));

function fail(sentence: string): never {
  log(sentence);
  process.exit(1);
}

function connectionFromArguments(): Connection {
  const path = process.argv[2];
  if (path === undefined)
    fail("give the path of a connection file; `mpslab lab` starts JupyterLab, which makes one.");
  try {
    return readConnection(path);
  } catch (error) {
    if (error instanceof ConnectionError) fail(error.message);
    throw error;
  }
}

/** Ends a kernel whose parent was killed. */
function exitWithParent(exit: () => void): void {
  const parent = process.ppid;
  const announced = Number(process.env["JPY_PARENT_PID"] ?? 0);
  // In a container the parent may really be process 1, and a wrapper process may stand between us and the announced
  // parent.
  const gone = (): boolean =>
    announced > 1 && announced === parent ? process.ppid !== parent : parent !== 1 && process.ppid === 1;
  setInterval(() => {
    if (gone()) exit();
  }, PARENT_POLL_MS).unref();
}

// Interrupts come as messages. The terminal and jupyter_client send SIGINT to the whole process group.
process.on("SIGINT", () => {});

// The allocators of the parser and the transformer each start with a huge page of 2 MB, of which they need a tenth.
process.env["MIMALLOC_ALLOW_THP"] ??= "0";

keepFromChildren();

const connection = connectionFromArguments();
const processes = await startProcesses(process.cwd());
const [{ IdleHeap }, { Sockets }, { Wire }, { Kernel }, { loadDependencies }] = await Promise.all([
  import("./process/idle_heap.ts"),
  import("./protocol/sockets.ts"),
  import("./protocol/wire.ts"),
  import("./shell/kernel.ts"),
  import("./shell/dependencies.ts"),
]);
const sockets = new Sockets(new Wire(connection.digest, connection.key));
try {
  await sockets.bind(connection);
} catch (error) {
  fail(`cannot listen on the addresses of ${process.argv[2]}: ${(error as Error).message}.`);
}

const kernel = new Kernel(sockets, () => loadDependencies(process.cwd(), processes, log), {
  log,
  shutdown: () => void end(),
});
const idleHeap = new IdleHeap();
sockets.listen({
  message: (channel, message) => {
    idleHeap.busy();
    kernel.receive(channel, message);
  },
  refused: (channel, reason) => log(`refused a message on ${channel}: ${reason}`),
  congested: (congested) => kernel.congested(congested),
});

function stop(): void {
  void kernel.close().finally(end);
}

/** Exits with the status that a shell gives to a program which a signal has ended. */
function stopFor(signal: "SIGTERM" | "SIGHUP"): void {
  process.exitCode = 128 + constants.signals[signal];
  stop();
}

/**
 * The last messages are still in ZeroMQ's thread, and `process.exit` would lose them. When the event loop ends by
 * itself, Node closes ZeroMQ's context, which waits for the messages for the sockets' linger time.
 */
async function end(): Promise<void> {
  await processes.close();
  await sockets.close();
  setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
}

for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopFor(signal));
process.on("uncaughtException", (error) => log(`an error of the kernel itself: ${error.stack}`));
exitWithParent(stop);
