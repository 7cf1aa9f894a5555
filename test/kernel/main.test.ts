// The kernel's process from outside: how it begins, what it survives, how it ends and what it takes with it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { Request, Subscriber } from "zeromq";
import { KERNEL_ENVIRONMENT } from "../../kernel/process/allocator_environment.ts";
import { readConnection } from "../../kernel/protocol/connection.ts";
import { KernelClient } from "../helpers/kernel_client.ts";
import { KERNEL_MAIN, KernelProcess, newConnection } from "../helpers/kernel_process.ts";
import { HANG_MS } from "../helpers/hang.ts";

const folder = mkdtempSync(join(tmpdir(), "mpslab-main-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const startAndEnd = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [KERNEL_MAIN, ...args], { encoding: "utf8" });
  return { status, stderr };
};

describe("a kernel that cannot start says why in one sentence and exits with 1", () => {
  it("without a connection file", () => {
    expect(startAndEnd()).toEqual({
      status: 1,
      stderr:
        "mpslab: give the path of a connection file; `mpslab lab` starts JupyterLab, which makes one.\n",
    });
  });

  it("with one that is missing", () => {
    const { status, stderr } = startAndEnd("/no/such/file.json");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^mpslab: cannot read the connection file \/no\/such\/file.json: no such file\.[^\n]*\n$/,
    );
  });

  it("with one that is not JSON", () => {
    const { status, stderr } = startAndEnd(file("text.json", "hello"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^mpslab: .*text.json is not a connection file[^\n]*\n$/);
  });

  it("with a port that is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const connection = { ...(await newConnection()), shell_port: port };
    const { status, stderr } = startAndEnd(file("taken.json", JSON.stringify(connection)));
    taken.close();
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^mpslab: cannot listen on the addresses of .*taken.json: Address already in use[^\n]*\n$/,
    );
  });
});

describe("a running kernel", () => {
  let kernel: KernelProcess;
  afterEach(() => kernel.stop());

  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  const sessionPid = async (): Promise<number> => Number((await kernel.client.execute("process.pid")).result);

  it("runs user code in another process, which ends with it on shutdown", async () => {
    kernel = await KernelProcess.start();
    const session = await sessionPid();
    expect(session).not.toBe(kernel.process.pid);
    const reply = await kernel.client.request("shutdown_request", { restart: false }, "control");
    expect(reply.content).toEqual({ status: "ok", restart: false });
    expect(await kernel.exited()).toBe(0);
    expect(isAlive(session)).toBe(false);
  });

  it("delivers what was said last to a client that reads it after the shutdown", async () => {
    kernel = await KernelProcess.start();
    const { iopub } = readConnection(kernel.connectionFile);
    const late = new Subscriber({ linger: 0, receiveHighWaterMark: 1, receiveTimeout: HANG_MS });
    late.connect(iopub);
    late.subscribe();
    await late.receive();
    await kernel.client.execute("console.log('x'.repeat(40_000_000));");
    await kernel.client.request("shutdown_request", { restart: false }, "control");
    await new Promise((resolve) => setTimeout(resolve, 100));
    let bytes = 0;
    while (bytes < 40_000_000) for (const frame of await late.receive()) bytes += frame.byteLength;
    late.close();
    expect(await kernel.exited()).toBe(0);
  });

  it("keeps its allocator's variables from the session, whose tensors would be mapped anew each time", async () => {
    kernel = await KernelProcess.start({ environment: KERNEL_ENVIRONMENT });
    const { result } = await kernel.client.execute("String(process.env.MALLOC_MMAP_THRESHOLD_)");
    expect(result).toBe("'undefined'");
  });

  it("leaves the session what the user has set of them", async () => {
    kernel = await KernelProcess.start({ environment: { MALLOC_MMAP_THRESHOLD_: "1000000" } });
    const { result } = await kernel.client.execute("String(process.env.MALLOC_MMAP_THRESHOLD_)");
    expect(result).toBe("'1000000'");
  });

  it("shuts down while a cell loops for ever", async () => {
    kernel = await KernelProcess.start();
    const session = await sessionPid();
    const started = kernel.client.nextPublished(({ content }) => content["text"] === "in\n");
    void kernel.client.execute('console.log("in"); while (true) {}');
    await started;
    await kernel.client.request("shutdown_request", { restart: true }, "control");
    expect(await kernel.exited()).toBe(0);
    expect(isAlive(session)).toBe(false);
  });

  it("ignores SIGINT, before, between and within cells", async () => {
    kernel = await KernelProcess.start();
    const session = await sessionPid();
    const cell = kernel.client.execute("await new Promise((done) => setTimeout(done, 300)); 5");
    for (const pid of [kernel.process.pid as number, session]) process.kill(pid, "SIGINT");
    expect((await cell).result).toBe("5");
    for (const pid of [kernel.process.pid as number, session]) process.kill(pid, "SIGINT");
    expect((await kernel.client.execute("1 + 1")).result).toBe("2");
  });

  it("on SIGTERM ends the session process too", async () => {
    kernel = await KernelProcess.start();
    const session = await sessionPid();
    const running = kernel.client.nextPublished(({ content }) => content["execution_state"] === "busy");
    void kernel.client.execute("await new Promise(() => {})");
    await running;
    kernel.process.kill("SIGTERM");
    expect([await kernel.exited(), kernel.log]).toEqual([143, ""]);
    expect(isAlive(session)).toBe(false);
  });

  it("that is killed leaves no session process behind", async () => {
    kernel = await KernelProcess.start();
    const session = await sessionPid();
    kernel.process.kill("SIGKILL");
    await kernel.exited();
    await expect.poll(() => isAlive(session)).toBe(false);
  });

  it("interrupts a loop by a message, its variables kept, and beats meanwhile", async () => {
    kernel = await KernelProcess.start();
    const started = kernel.client.nextPublished(({ content }) => content["text"] === "in\n");
    const cell = kernel.client.execute('let steps = 0; console.log("in"); while (true) steps++;');
    await started;
    expect(await kernel.client.beat()).toBe("ping");
    await kernel.client.request("interrupt_request", {}, "control");
    expect((await cell).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    expect((await kernel.client.execute("steps > 0")).result).toBe("true");
  });

  it("lives on when the session process is killed, and says what is lost", async () => {
    kernel = await KernelProcess.start();
    await kernel.client.execute("let kept = 1");
    const session = await sessionPid();
    const said = kernel.client.nextPublished(({ header }) => header.msg_type === "stream");
    process.kill(session, "SIGKILL");
    expect((await said).content["text"]).toContain("All variables and tensors are lost");
    const { reply } = await kernel.client.execute("kept");
    expect(reply["evalue"]).toContain("Cannot find name 'kept'");
    expect((await kernel.client.execute("1 + 1")).result).toBe("2");
  });

  it("takes the ports of the kernel before it, as a restart does", async () => {
    const first = await KernelProcess.start();
    await first.client.request("shutdown_request", { restart: true }, "control");
    // Jupyter waits too: until the process is gone, its sockets would welcome the next client, and answer nothing.
    await first.exited();
    kernel = await KernelProcess.start({ connectionFile: first.connectionFile });
    expect((await kernel.client.execute("1 + 1")).result).toBe("2");
    await first.stop();
  });
});

it("a kernel whose parent was killed ends by itself", async () => {
  const connectionFile = file("orphan.json", JSON.stringify(await newConnection()));
  const parent = spawn(
    process.execPath,
    [
      "-e",
      `const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "ignore",
         env: { ...process.env, JPY_PARENT_PID: String(process.pid) } });
       console.log(child.pid); setInterval(() => {}, 1000);`,
      KERNEL_MAIN,
      connectionFile,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  const client = await KernelClient.connect(readConnection(connectionFile));
  parent.kill("SIGKILL");
  const isGone = (): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  await expect.poll(isGone).toBe(true);
  client.close();
});

it.each(["1", "0", "2"])("works where Node's pool has UV_THREADPOOL_SIZE=%s threads", async (size) => {
  const kernel = await KernelProcess.start({ environment: { UV_THREADPOOL_SIZE: size } });
  const reading =
    'const { readFile } = await import("node:fs/promises"); (await readFile("/dev/null")).length';
  expect((await kernel.client.execute(reading)).result).toBe("0");
  expect(await kernel.client.beat()).toBe("ping");
  await kernel.stop();
});

it("the heart beats while the kernel's own thread is busy", async () => {
  const connectionFile = file("busy.json", JSON.stringify(await newConnection()));
  const sockets = new URL("../../dist/kernel/protocol/", import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { Sockets } = await import("${sockets}sockets.js");
       const { Wire } = await import("${sockets}wire.js");
       const { readConnection } = await import("${sockets}connection.js");
       const connection = readConnection(${JSON.stringify(connectionFile)});
       const sockets = new Sockets(new Wire("sha256", "k"));
       await sockets.bind(connection);
       const { writeSync } = await import("node:fs");
       setImmediate(() => { writeSync(1, "busy"); for (;;); });`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const heart = new Request({ receiveTimeout: HANG_MS, linger: 0 });
  heart.connect(readConnection(connectionFile).heartbeat);
  for (const beat of ["one", "two", "three"]) {
    await heart.send(beat);
    expect(String((await heart.receive())[0])).toBe(beat);
  }
  heart.close();
  child.kill("SIGKILL");
});
