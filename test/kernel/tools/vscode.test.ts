// VS Code's Jupyter extension, replayed: how it starts a kernel, what it sends in which order, and how it ends one. It
// runs one cell after the other and keeps its own queue, so that a kernel never gets the cells after a failing one.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeKernelspec } from "../../../kernel/cli/kernelspec.ts";
import { isAlive, treeOf, untilGone } from "../../helpers/process_tree.ts";
import { RawKernel } from "../../helpers/raw_kernel.ts";

const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-vscode-")));
const notebook = path.join(directory, "a b");
let kernel: RawKernel;

beforeAll(async () => {
  mkdirSync(notebook);
  kernel = await RawKernel.start(notebook, writeKernelspec(path.join(directory, "share")));
});
afterAll(async () => {
  await kernel.end();
  rmSync(directory, { recursive: true });
});

type Content = Record<string, unknown>;

interface CellRun {
  readonly reply: Content;
  readonly types: readonly string[];
  contents(type: string): readonly Content[];
  text(name: string): string;
}

let cells = 0;

/** A cell of the notebook: the options and the metadata with which the extension sends it. */
function runCell(code: string, onStdin?: (future: Kernel.IFuture<never, never>) => void): Promise<CellRun> {
  const metadata = {
    cellId: `vscode-notebook-cell:/${notebook}/n.ipynb#W${cells++}sZmlsZQ%3D%3D`,
    tags: ["x"],
  };
  const content = { code, silent: false, stop_on_error: false, allow_stdin: true, store_history: true };
  return outcome(kernel.connection.requestExecute(content, false, metadata), onStdin);
}

/** `jupyter.runStartupCommands`, and what other extensions run. */
const runHidden = (code: string): Promise<CellRun> =>
  outcome(
    kernel.connection.requestExecute(
      { code, silent: false, stop_on_error: false, allow_stdin: true, store_history: false },
      true,
    ),
  );

async function outcome(
  future: Kernel.IShellFuture<KernelMessage.IExecuteRequestMsg, KernelMessage.IExecuteReplyMsg>,
  onStdin?: (future: Kernel.IFuture<never, never>) => void,
): Promise<CellRun> {
  const heard: KernelMessage.IIOPubMessage[] = [];
  future.onIOPub = (message) => void heard.push(message);
  if (onStdin !== undefined) future.onStdin = () => onStdin(future as never);
  const reply = await future.done;
  const contents = (type: string): Content[] =>
    heard.filter(({ header }) => header.msg_type === type).map(({ content }) => content as Content);
  return {
    reply: reply.content as unknown as Content,
    types: heard.map(({ header, content }) =>
      header.msg_type === "status" ? String((content as Content)["execution_state"]) : header.msg_type,
    ),
    contents,
    text: (name) =>
      contents("stream")
        .filter((content) => content["name"] === name)
        .map(({ text }) => text)
        .join(""),
  };
}

/** Runs cells as the extension's queue does: each when the one before is done, none after a failure. */
async function runAll(codes: readonly string[]): Promise<CellRun[]> {
  const runs: CellRun[] = [];
  for (const code of codes) {
    const run = await runCell(code);
    runs.push(run);
    if (run.reply["status"] !== "ok") break;
  }
  return runs;
}

/** Resolves when a cell has printed the line. */
function printed(line: string): Promise<void> {
  const { connection } = kernel;
  return new Promise((resolve) => {
    const listener = (_: unknown, { content }: KernelMessage.IIOPubMessage): void => {
      if ((content as Content)["text"] !== `${line}\n`) return;
      connection.iopubMessage.disconnect(listener);
      resolve();
    };
    connection.iopubMessage.connect(listener);
  });
}

const untilIdle = async (): Promise<void> => {
  while (kernel.connection.status !== "idle") await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("the start", () => {
  it("the kernelspec's interrupts come as messages, and its language decides the cells' language", () => {
    expect(kernel.spec).toMatchObject({ interrupt_mode: "message", language: "typescript" });
  });

  it("is answered, and ends idle", async () => {
    const info = await kernel.connection.info;
    expect(info).toMatchObject({
      status: "ok",
      implementation: "mpslab",
      language_info: { name: "typescript", mimetype: "application/typescript", file_extension: ".ts" },
    });
    await untilIdle();
  });

  it("startup commands leave count and history alone", async () => {
    const hidden = await runHidden("console.log('hidden')");
    expect(hidden.text("stdout")).toBe("hidden\n");
    const first = await runCell("const a: number = 20;");
    expect(first.reply).toMatchObject({ status: "ok", execution_count: 1 });
    const { content } = await kernel.connection.requestHistory({
      ...{ output: false, raw: true, hist_access_type: "tail", n: 10 },
    });
    expect(JSON.stringify(content)).not.toContain("hidden");
  });

  it("runs in the notebook's folder, which may have a space in its name", async () => {
    const { contents } = await runCell("process.cwd()");
    expect(contents("execute_result")[0]?.["data"]).toEqual({ "text/plain": `'${notebook}'` });
  });
});

describe("cells", () => {
  it("Run All runs one after the other, and none after a failure", async () => {
    const runs = await runAll(["const b = a + 1; b", "console.log('printed'); missing", "b * 2"]);
    expect(runs.map(({ reply }) => reply["status"])).toEqual(["ok", "error"]);
    expect(runs[0]?.types).toEqual(["busy", "execute_input", "execute_result", "idle"]);
    const [error] = runs[1]?.contents("error") ?? [];
    expect(error?.["evalue"]).toContain("Cannot find name 'missing'.");
    expect(error?.["traceback"]).toEqual(runs[1]?.reply["traceback"]);
  });

  it("an error while it runs has its name, its text and its place in the cell", async () => {
    const { contents } = await runCell(
      "function half(n: number) {\n  throw new RangeError('odd');\n}\nhalf(3);",
    );
    const [error] = contents("error");
    expect(error).toMatchObject({ ename: "RangeError", evalue: "odd" });
    expect(String(error?.["traceback"])).toMatch(/Cell \[\d+\]/);
  });

  it("prints keep their order, and both streams their names", async () => {
    const run = await runCell("console.log('out'); console.error('err'); console.log('out again');");
    expect(run.text("stdout")).toBe("out\nout again\n");
    expect(run.text("stderr")).toBe("err\n");
  });

  it("a display that is updated keeps its id, and the update has its metadata", async () => {
    const run = await runCell(
      `const live = display({ "text/html": "<b>1</b>" }); live.update({ "text/html": "<b>2</b>" });`,
    );
    const [shown, update] = [run.contents("display_data")[0], run.contents("update_display_data")[0]];
    expect(shown).toMatchObject({ data: { "text/html": "<b>1</b>" }, metadata: {} });
    expect(update).toMatchObject({ data: { "text/html": "<b>2</b>" }, metadata: {} });
    expect(update?.["transient"]).toEqual(shown?.["transient"]);
  });

  it("a chart is the type that the extension's renderers draw, with a picture and a text", async () => {
    const run = await runCell('import { lab } from "mpslab"; lab.plot([1, 4, 9])');
    const [result] = run.contents("execute_result");
    const types = Object.keys(result?.["data"] as Content);
    expect(types).toContain("application/vnd.vegalite.v5+json");
    expect(types).toContain("image/png");
    expect(types).toContain("text/plain");
  });

  it("a cell asks its reader under the identity that sent it", async () => {
    const run = await runCell("prompt('name?')", (future) => {
      const shell = future as unknown as { sendInputReply(content: object, parent: object): void };
      shell.sendInputReply({ value: "Ada", status: "ok" }, {});
    });
    expect(run.contents("execute_result")[0]?.["data"]).toEqual({ "text/plain": "'Ada'" });
  });

  it("text for a new cell comes as the payload that the extension inserts", async () => {
    const { reply } = await runCell("%%python\nx = [1, 2]\nprint(len(x))");
    expect(reply["payload"]).toMatchObject([{ source: "set_next_input", replace: false }]);
  });
});

describe("completion and documentation", () => {
  it("come while the kernel is idle, with kinds and ranges", async () => {
    await untilIdle();
    const code = "a.toFi";
    const { content } = await kernel.connection.requestComplete({ code, cursor_pos: code.length });
    expect(content).toMatchObject({ status: "ok", matches: ["toFixed"], cursor_start: 2, cursor_end: 6 });
    const { metadata } = content as unknown as { metadata: Content };
    expect(metadata["_jupyter_types_experimental"]).toMatchObject([
      { text: "toFixed", type: "method", start: 2, end: 6 },
    ]);
  });

  it("an item's documentation is asked for with the item written out", async () => {
    const code = "a.toFixed";
    const { content } = await kernel.connection.requestInspect({
      ...{ code, cursor_pos: code.length, detail_level: 0 },
    });
    expect(content).toMatchObject({ status: "ok", found: true });
    expect((content as unknown as { data: Content }).data["text/plain"]).toContain("toFixed(");
  });

  it("come while a cell loops too", async () => {
    const begun = printed("looping");
    const looping = runCell("console.log('looping'); while (true);");
    await begun;
    expect(kernel.connection.status).toBe("busy");
    const { content } = await kernel.connection.requestComplete({ code: "a.toFi", cursor_pos: 6 });
    expect(content).toMatchObject({ matches: ["toFixed"] });
    await kernel.interrupt();
    expect((await looping).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
  });
});

describe("variables", () => {
  const ask = async (command: string, args: object = {}): Promise<Content> => {
    const request = { type: "request" as const, seq: 1, command, arguments: args };
    const reply = await kernel.connection.requestDebug(request, true).done;
    return reply.content as unknown as Content;
  };

  it("debugInfo says that no debugger is started", async () => {
    expect(await ask("debugInfo")).toMatchObject({
      success: true,
      body: { isStarted: false, hashMethod: "Murmur2", richRendering: true, breakpoints: [] },
    });
  });

  it("inspectVariables lists names, types and values, and reads no getter", async () => {
    await runCell(
      `import { torch } from "mpslab";
       const weights = torch.zeros([2, 3]); const words = ["one", "two"];
       let read = 0; const trap = { get value() { read++; return 1; } };
       function twice(n: number) { return 2 * n; }`,
    );
    const { body } = (await ask("inspectVariables")) as { body: { variables: Content[] } };
    const rows = Object.fromEntries(body.variables.map(({ name, type, value }) => [name, [type, value]]));
    expect(rows).toMatchObject({
      a: ["number", "20"],
      weights: [expect.stringContaining("Tensor"), "Tensor [2, 3] float32 on cpu, 24 bytes"],
      words: ["string[]", "[ 'one', 'two' ]"],
      read: ["number", "0"],
      trap: ["{ readonly value: number; }", "{ value: [Getter] }"],
      twice: ["(n: number) => number", "[Function: twice]"],
    });
    expect(Object.keys(rows)).not.toContain("torch");
    expect(new Set(body.variables.map(({ variablesReference }) => variablesReference))).toEqual(new Set([0]));
  });

  it("richInspectVariables shows what a hover shows", async () => {
    const { success, body } = (await ask("richInspectVariables", { variableName: "weights" })) as {
      success: boolean;
      body: { data: Content };
    };
    expect(success).toBe(true);
    expect(body.data["text/plain"]).toContain("Tensor [2, 3] float32 on cpu, 24 bytes");
    expect(await ask("richInspectVariables", { variableName: "nowhere" })).toMatchObject({
      success: false,
      message: "Nothing is known of nowhere: no cell that ran has declared it.",
    });
    expect(await ask("richInspectVariables")).toMatchObject({
      success: false,
      message: "richInspectVariables needs the argument variableName.",
    });
  });

  it("are listed with their types while a cell loops, without values", async () => {
    const begun = printed("looping");
    const looping = runCell("console.log('looping'); while (true);");
    await begun;
    const { body } = (await ask("inspectVariables")) as { body: { variables: Content[] } };
    expect(body.variables.find(({ name }) => name === "words")).toMatchObject({
      type: "string[]",
      value: "The session is busy: the value can be looked at when the cell awaits or has ended.",
    });
    await kernel.interrupt();
    await looping;
  });
});

describe("a widget", () => {
  it("is opened in the page, and its value comes back to the cell", async () => {
    const page = kernel.openPage();
    const opened = new Promise<{ comm: Kernel.IComm; data: Content }>((resolve) => {
      page.registerCommTarget("jupyter.widget", (comm, { content }) =>
        resolve({ comm, data: content.data as Content }),
      );
    });
    const run = await runCell(
      'import { slider } from "mpslab"; const rate = slider({ min: 0, max: 10 }); rate',
    );
    const [{ data: shown }] = run.contents("execute_result") as [{ data: Content }];
    const { comm, data } = await opened;
    expect(data["state"]).toMatchObject({ _model_module: "anywidget", value: 0 });
    expect(shown["application/vnd.jupyter.widget-view+json"]).toMatchObject({
      model_id: comm.commId,
      version_major: 2,
    });
    const sent = comm.send({ method: "update", state: { value: 7 }, buffer_paths: [] });
    await sent.done;
    expect((await runCell("rate.value")).contents("execute_result")[0]?.["data"]).toEqual({
      "text/plain": "7",
    });
    const changed = new Promise<Content>((resolve) => {
      comm.onMsg = ({ content }) => {
        const update = content.data as { method?: string; state?: Content };
        if (update.method === "update" && update.state?.["value"] === 3) resolve(update.state);
      };
    });
    await runCell("rate.value = 3;");
    expect(await changed).toMatchObject({ value: 3 });
  });
});

describe("the end of a process", () => {
  it("Interrupt stops the loop and keeps the variables", async () => {
    const begun = printed("looping");
    const looping = runCell("console.log('looping'); while (true);");
    await begun;
    await kernel.interrupt();
    const run = await looping;
    expect(run.reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    expect(run.contents("error")[0]?.["ename"]).toBe("KeyboardInterrupt");
    expect((await runCell("a")).contents("execute_result")[0]?.["data"]).toEqual({ "text/plain": "20" });
  });

  it("the library took every message, and the process printed nothing of its own", () => {
    expect(kernel.faults).toEqual([]);
    expect(kernel.printed).toEqual({ stdout: "", stderr: "" });
  });

  it("Restart ends the old processes without a request, also while a cell loops, and begins anew", async () => {
    const begun = printed("looping");
    void runCell("console.log('looping'); while (true);").catch(() => {});
    await begun;
    const tree = treeOf(kernel.pid);
    expect(tree.length).toBeGreaterThan(2);
    await kernel.restart();
    await untilGone(tree);
    const { reply, contents } = await runCell("typeof (globalThis as { a?: number }).a");
    expect(reply["execution_count"]).toBe(1);
    expect(contents("execute_result")[0]?.["data"]).toEqual({ "text/plain": "'undefined'" });
  });

  it("a crash of the session fails its cell, and the kernel's process goes on", async () => {
    const { reply } = await runCell("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});");
    expect(reply["status"]).toBe("error");
    expect((await runCell("1 + 1")).contents("execute_result")[0]?.["data"]).toEqual({ "text/plain": "2" });
    expect(isAlive(kernel.pid)).toBe(true);
    expect(kernel.faults).toEqual([]);
  });
});
