// JupyterLab's own client library against Jupyter's server, without a browser: what JupyterLab and VS Code's remote
// kernels do with a notebook.
import {
  type Kernel,
  KernelManager,
  type KernelMessage,
  ServerConnection,
  type Session,
  SessionManager,
} from "@jupyterlab/services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JupyterServer } from "../../helpers/jupyter_server.ts";

const TOKEN = "only-for-this-test";
let server: JupyterServer;
let kernels: KernelManager;
let sessions: SessionManager;
let session: Session.ISessionConnection;
let kernel: Kernel.IKernelConnection;

beforeAll(async () => {
  server = await JupyterServer.start({ token: TOKEN });
  const { url: baseUrl } = server;
  const serverSettings = ServerConnection.makeSettings({
    baseUrl,
    wsUrl: baseUrl.replace("http", "ws"),
    token: TOKEN,
    appendToken: true,
  });
  kernels = new KernelManager({ serverSettings });
  sessions = new SessionManager({ kernelManager: kernels, serverSettings });
  session = await sessions.startNew({
    name: "notebook.ipynb",
    path: "notebook.ipynb",
    type: "notebook",
    kernel: { name: "mpslab" },
  });
  kernel = session.kernel as Kernel.IKernelConnection;
});

afterAll(async () => {
  await session.shutdown();
  sessions.dispose();
  kernels.dispose();
  await server.stop();
});

/** Runs a cell as a notebook does. */
async function run(code: string, allowErrors = true) {
  const future = kernel.requestExecute({ code, stop_on_error: !allowErrors });
  const outputs: KernelMessage.IIOPubMessage[] = [];
  future.onIOPub = (message) => void outputs.push(message);
  const reply = await future.done;
  const of = (type: string) =>
    outputs
      .filter(({ header }) => header.msg_type === type)
      .map(({ content }) => content as Record<string, unknown>);
  return { reply: reply?.content as KernelMessage.IExecuteReplyMsg["content"], of };
}

/** Resolves when a cell has printed the line: it runs. */
function printed(line: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (_: unknown, { content }: KernelMessage.IIOPubMessage): void => {
      if ((content as { text?: string }).text !== `${line}\n`) return;
      kernel.iopubMessage.disconnect(listener);
      resolve();
    };
    kernel.iopubMessage.connect(listener);
  });
}

describe("JupyterLab's client", () => {
  it("finds the kernel's language and what it can do", async () => {
    const info = await kernel.info;
    expect(info.language_info).toMatchObject({ name: "typescript", file_extension: ".ts" });
    expect(kernel.supportsSubshells).toBe(true);
  });

  it("runs cells in order, with prints, results and displays that are updated", async () => {
    const first = await run('const size: number = 6;\nconsole.log("one"); console.log("two");\nsize * 7');
    expect(
      first
        .of("stream")
        .map(({ text }) => text)
        .join(""),
    ).toBe("one\ntwo\n");
    expect(first.of("execute_result")[0]?.["data"]).toEqual({ "text/plain": "42" });
    const second = await run('const live = display("first"); live.update({ "text/html": "<b>second</b>" });');
    expect(second.of("display_data")).toHaveLength(1);
    expect(second.of("update_display_data")[0]?.["data"]).toEqual({ "text/html": "<b>second</b>" });
  });

  it("shows an error with its traceback", async () => {
    const { reply, of } = await run("size.missing");
    expect(reply.status).toBe("error");
    expect(of("error")[0]?.["evalue"]).toContain("Property 'missing' does not exist on type 'number'");
  });

  it("completes and inspects, while a cell runs too", async () => {
    const waiting = printed("waiting");
    const busy = run("console.log('waiting'); await new Promise(() => {});");
    await waiting;
    const { content } = await kernel.requestComplete({ code: "size.toFi", cursor_pos: 9 });
    expect(content).toMatchObject({ status: "ok", matches: ["toFixed"], cursor_start: 5, cursor_end: 9 });
    const inspected = await kernel.requestInspect({ code: "size", cursor_pos: 2, detail_level: 0 });
    expect(inspected.content).toMatchObject({ status: "ok", found: true });
    await kernel.interrupt();
    expect((await busy).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
  });

  it("asks the reader", async () => {
    const future = kernel.requestExecute({ code: "prompt('name?')" });
    future.onStdin = ({ header }) => {
      if (header.msg_type === "input_request") {
        future.sendInputReply(
          { value: "Ada", status: "ok" },
          header as KernelMessage.IHeader<"input_request">,
        );
      }
    };
    let result: unknown;
    future.onIOPub = ({ header, content }) => {
      if (header.msg_type === "execute_result") result = (content as { data: unknown }).data;
    };
    await future.done;
    expect(result).toEqual({ "text/plain": "'Ada'" });
  });

  it("puts a file into the next cell", async () => {
    server.tools.writeNotebook("other.ipynb", []);
    const { reply } = await run("%load other.ipynb");
    expect(reply).toMatchObject({ payload: [{ source: "set_next_input", replace: false }] });
  });

  it("interrupts, and keeps the variables", async () => {
    const begun = printed("looping");
    const looping = run("console.log('looping'); while (true);");
    await begun;
    await kernel.interrupt();
    expect((await looping).reply).toMatchObject({ status: "error", ename: "KeyboardInterrupt" });
    expect((await run("size")).of("execute_result")[0]?.["data"]).toEqual({ "text/plain": "6" });
  });

  it("restarts with nothing left", async () => {
    await kernel.restart();
    const { of } = await run("typeof (globalThis as { size?: number }).size");
    expect(of("execute_result")[0]?.["data"]).toEqual({ "text/plain": "'undefined'" });
  });
});
