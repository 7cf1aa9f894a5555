// The life and death of the session process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { TYPESCRIPT_DEFAULTS } from "../../../kernel/cell/names.ts";
import type { RunRequest } from "../../../kernel/session/channel.ts";
import { Supervisor } from "../../../kernel/session/supervisor.ts";
import { Notebook } from "./notebook.ts";

let notebook: Notebook;
afterEach(() => notebook.close());

const runRequest = (code: string): RunRequest => ({
  type: "run",
  cell: "cell-1",
  subshell: null,
  count: 1,
  storeHistory: true,
  continues: false,
  url: "mpslab-cell:1",
  code,
  map: "{}",
  text: code,
  declares: [],
  variables: [],
  epochLoops: 0,
  imports: [],
  importedNames: [],
  typescript: TYPESCRIPT_DEFAULTS,
  names: [],
  flush: true,
  silent: false,
  userExpressions: {},
});

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("a session", () => {
  it("keeps variables from cell to cell and works in the notebook's folder", async () => {
    notebook = new Notebook();
    await notebook.run("const rate = 0.1; let steps = 2;");
    expect((await notebook.run("steps += 1; rate * steps")).text).toBe("0.30000000000000004");
    expect((await notebook.run("process.cwd()")).text).toBe(`'${notebook.directory}'`);
  });

  it("runs cells one after the other in the order of their requests", async () => {
    notebook = new Notebook();
    const first = notebook.run(
      "await new Promise((resolve) => setTimeout(resolve, 20)); globalThis.first = true;",
    );
    const second = notebook.run("globalThis.first");
    expect((await second).text).toBe("true");
    await first;
  });
});

describe("when the process dies", () => {
  it("between cells, the next cell has a new session", async () => {
    notebook = new Notebook();
    await notebook.run("setTimeout(() => process.exit(0), 1); 1");
    while (notebook.deaths.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await notebook.run("1 + 1")).text).toBe("2");
  });

  it("before it began, the cell says why", async () => {
    notebook = new Notebook();
    const folder = path.join(notebook.directory, "nowhere");
    const session = new Supervisor(folder, { message() {}, died() {} });
    const { error } = await session.run(runRequest("1"));
    expect(error?.evalue).toMatch(/^The session process could not be started: spawn .* ENOENT\./);
  });

  it("every waiting cell gets its end", async () => {
    notebook = new Notebook();
    const runs = await Promise.all([notebook.run("process.exit(1)"), notebook.run("1"), notebook.run("2")]);
    expect(runs.map(({ done }) => done.error?.ename)).toEqual([
      "SessionEnded",
      "SessionEnded",
      "SessionEnded",
    ]);
  });

  it("what it printed last is not lost", async () => {
    notebook = new Notebook();
    const died = await notebook.run('console.log("before"); process.exit(1);');
    expect(died.stdout).toBe("before\n");
  });
});

describe("output that is held for slow clients", () => {
  it.each([
    ["its process was killed", 'process.kill(process.pid, "SIGKILL"); await new Promise(() => {});', false],
    ["it was interrupted", "await new Promise(() => {});", true],
  ])("is held in the next cell too, after %s", async (_, code, interrupts) => {
    notebook = new Notebook();
    await notebook.run("1");
    const { end } = notebook.start(code);
    notebook.session.hold(true);
    if (interrupts) notebook.interrupt();
    await end;
    const next = notebook.start('console.log("more")');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(notebook.collect(next.cell).stdout).toBe("");
    notebook.session.hold(false);
    expect((await next.end).stdout).toBe("more\n");
  });
});

describe("the process", () => {
  it("ends on close, also out of a loop that never ends, and that is no death", async () => {
    notebook = new Notebook();
    const pid = Number((await notebook.run("process.pid")).text);
    const endless = notebook.run(
      'await import("node:fs"); const spin = new Function("while (true);"); spin();',
    );
    await notebook.session.close();
    expect(isAlive(pid)).toBe(false);
    expect((await endless).done.error?.evalue).toMatch(/^The session process was closed\./);
    expect(notebook.deaths).toEqual([]);
  });

  it("ends when the kernel process is killed, also out of a loop that never ends", async () => {
    notebook = new Notebook();
    const program = `
      import { Supervisor } from ${JSON.stringify(new URL("../../../dist/kernel/session/supervisor.js", import.meta.url).href)};
      const session = new Supervisor(process.cwd(), {
        message(message) { if (message.type === "ready") console.log(message.pid); },
        died() {},
      });
      session.run(${JSON.stringify(runRequest("while (true);"))});
      setInterval(() => {}, 1000);
    `;
    const kernel = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [chunk] = (await once(kernel.stdout, "data")) as [Buffer];
    const pid = Number(String(chunk).split("\n")[0]);
    expect(isAlive(pid)).toBe(true);
    kernel.kill("SIGKILL");
    await untilGone(pid);
  });

  it("ignores SIGINT, which a terminal sends to the whole process group", async () => {
    notebook = new Notebook();
    await notebook.run(
      'process.kill(process.pid, "SIGINT"); await new Promise((resolve) => setTimeout(resolve, 20));',
    );
    expect((await notebook.run('"alive"')).text).toBe("'alive'");
  });
});
