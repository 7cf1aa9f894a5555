// A kernel as VS Code's Jupyter extension runs it: started from its kernelspec, spoken to by JupyterLab's client library
// over a socket that stands in for the server's, and ended by signals. Written after the extension's version 2026.6.
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Kernel, KernelMessage, ServerConnection } from "@jupyterlab/services";
import { KernelConnection } from "@jupyterlab/services/lib/kernel/default.js";
import { deserialize, serialize } from "@jupyterlab/services/lib/kernel/serialize.js";
import { Dealer, Subscriber } from "zeromq";
import { readConnection, type Connection } from "../../kernel/protocol/connection.ts";
import type { Message } from "../../kernel/protocol/messages.ts";
import { Wire } from "../../kernel/protocol/wire.ts";
import { newConnection } from "./kernel_process.ts";
import { treeOf } from "./process_tree.ts";

type Channel = "shell" | "control" | "stdin" | "iopub";
type Listener = (event: unknown) => void;

const nothing: Listener = () => {};

/** The part of a WebSocket that the client library uses, over the kernel's own sockets. */
class RawSocket {
  onopen = nothing;
  onclose = nothing;
  onerror = nothing;
  onmessage: (event: { data: unknown }) => void = nothing;
  /** No subprotocol: messages are objects on their way through the library. */
  readonly protocol = "";
  binaryType = "";
  /** Whoever else gets every message, as a page's widgets do. */
  readonly mirrors = new Set<(text: string | ArrayBuffer) => void>();
  /** What the library refused. */
  readonly faults: Error[] = [];
  readonly #wire: Wire;
  readonly #iopub = new Subscriber({ receiveHighWaterMark: 0, linger: 0 });
  readonly #dealers: Readonly<Record<Exclude<Channel, "iopub">, Dealer>>;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection) {
    this.#wire = new Wire(connection.digest, connection.key);
    const options = { routingId: randomUUID(), sendHighWaterMark: 0, receiveHighWaterMark: 0, linger: 0 };
    this.#dealers = { shell: new Dealer(options), control: new Dealer(options), stdin: new Dealer(options) };
    for (const channel of ["shell", "control", "stdin"] as const) {
      this.#dealers[channel].connect(connection[channel]);
      void this.#read(channel, this.#dealers[channel]);
    }
    this.#iopub.connect(connection.iopub);
    void this.#read("iopub", this.#iopub);
    this.#iopub.subscribe();
  }

  send(message: KernelMessage.IMessage): void {
    const { header, parent_header, metadata, content, buffers = [] } = message;
    const frames = this.#wire.encode({
      identities: [],
      header,
      parent_header,
      metadata,
      content,
      buffers: buffers.map((part) =>
        part instanceof ArrayBuffer
          ? Buffer.from(part)
          : Buffer.from(part.buffer, part.byteOffset, part.byteLength),
      ),
    } as unknown as Message);
    const dealer = this.#dealers[message.channel as Exclude<Channel, "iopub">];
    this.#sending = this.#sending.then(() => dealer.send(frames)).catch(nothing);
  }

  close(): void {
    for (const socket of [this.#iopub, ...Object.values(this.#dealers)]) socket.close();
  }

  async #read(channel: Channel, socket: Dealer | Subscriber): Promise<void> {
    for await (const frames of socket) {
      try {
        const { buffers, ...parts } = this.#wire.decode(frames);
        const message = { ...parts, buffers: buffers.map(copy), channel };
        // A page gets the text or bytes that a server's WebSocket would have carried.
        const carried = serialize(message as unknown as KernelMessage.IMessage);
        for (const mirror of this.mirrors) mirror(carried);
        this.onmessage({ data: message });
      } catch (error) {
        this.faults.push(error as Error);
      }
    }
  }
}

const copy = (buffer: Uint8Array): DataView => new DataView(new Uint8Array(buffer).buffer);

/** The library's connection over a socket that is given, open from the start. */
function connect(
  socket: object,
  identity: { readonly clientId: string; readonly username: string },
  serializer: object,
): Kernel.IKernelConnection {
  // The library makes its socket itself: with `new`, which may return another object.
  const WebSocketLike = function () {
    return socket;
  };
  const serverSettings = ServerConnection.makeSettings({
    WebSocket: WebSocketLike as unknown as typeof WebSocket,
    wsUrl: "RAW",
    serializer: serializer as ServerConnection.ISettings["serializer"],
  });
  const model = { id: randomUUID(), name: "mpslab" };
  const kernel = new KernelConnection({ serverSettings, model, handleComms: true, ...identity });
  (socket as { onopen: Listener }).onopen({ target: socket });
  return kernel;
}

/** Objects pass as they are. */
const AS_IT_IS = { serialize: (data: unknown) => data, deserialize: (data: unknown) => data };

interface Kernelspec {
  readonly argv: readonly string[];
  readonly language: string;
  readonly interrupt_mode: string;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** The kernel of one notebook. Restarting replaces its process and connection, and keeps its client's id. */
export class RawKernel {
  readonly spec: Kernelspec;
  readonly #directory: string;
  readonly #identity = { clientId: randomUUID(), username: randomUUID() };
  #process!: ChildProcess;
  #socket!: RawSocket;
  #connection!: Kernel.IKernelConnection;
  #page: Kernel.IKernelConnection | null = null;
  #printed = { stdout: "", stderr: "" };

  private constructor(directory: string, kernelspec: string) {
    this.#directory = directory;
    this.spec = JSON.parse(readFileSync(kernelspec, "utf8")) as Kernelspec;
  }

  static async start(directory: string, kernelspec: string): Promise<RawKernel> {
    const kernel = new RawKernel(directory, kernelspec);
    await kernel.#launch();
    return kernel;
  }

  get connection(): Kernel.IKernelConnection {
    return this.#connection;
  }

  /** What the process itself has printed: the extension shows it in its log. */
  get printed(): Printed {
    return this.#printed;
  }

  /** Messages of this process that the library refused. */
  get faults(): readonly Error[] {
    return this.#socket.faults;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /**
   * The connection of the page in which widgets live. It gets every message as a WebSocket's data, under the same
   * client's id, and what it sends goes out through the extension.
   */
  openPage(): Kernel.IKernelConnection {
    const socket = this.#socket;
    const view = {
      onopen: nothing,
      onmessage: (_: { data: unknown }) => {},
      onclose: nothing,
      onerror: nothing,
      protocol: "",
      close: nothing,
      send: (data: string | ArrayBuffer) =>
        socket.send(deserialize(data as ArrayBuffer) as KernelMessage.IMessage),
    };
    this.#page = connect(view, this.#identity, { serialize, deserialize });
    socket.mirrors.add((data) => view.onmessage({ data }));
    return this.#page;
  }

  /** What the extension sends for a kernelspec whose `interrupt_mode` is `message`. */
  async interrupt(): Promise<void> {
    await this.sendControl("interrupt_request", {});
  }

  async sendControl(msgType: string, content: object): Promise<KernelMessage.IControlMessage | undefined> {
    const message = KernelMessage.createMessage({
      msgType: msgType as "interrupt_request",
      channel: "control",
      username: this.#identity.username,
      session: this.#identity.clientId,
      content: content as Record<string, never>,
    });
    return await this.#connection.sendControlMessage(message, true, true).done;
  }

  /** Ends the process without asking it, and starts another with a connection file of its own. */
  async restart(): Promise<void> {
    await this.end();
    await this.#launch();
  }

  /** The children first, then the kernel, each with SIGTERM. Resolves when the kernel has exited. */
  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.#process.once("exit", resolve));
    for (const child of treeOf(this.pid).slice(1)) endQuietly(child);
    this.#process.kill();
    this.#page?.dispose();
    this.#page = null;
    this.#connection.dispose();
    this.#socket.close();
    await exited;
  }

  async #launch(): Promise<void> {
    const runtime = path.join(this.#directory, "runtime");
    mkdirSync(runtime, { recursive: true });
    const file = path.join(runtime, `kernel-v3${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify(await newConnection()));
    const [program = "", ...rest] = this.spec.argv.map((part) => part.replace("{connection_file}", file));
    this.#process = spawn(program, rest, { cwd: this.#directory });
    this.#printed = { stdout: "", stderr: "" };
    this.#process.stdout!.on("data", (text) => (this.#printed.stdout += text));
    this.#process.stderr!.on("data", (text) => (this.#printed.stderr += text));
    this.#socket = new RawSocket(readConnection(file));
    this.#connection = connect(this.#socket, this.#identity, AS_IT_IS);
    this.#process.once("exit", () => rmSync(file, { force: true }));
    const died = new Promise<never>((_, reject) =>
      this.#process.once("exit", (code) =>
        reject(new Error(`the kernel exited with ${code} before it answered: ${this.#printed.stderr}`)),
      ),
    );
    died.catch(nothing);
    await Promise.race([this.#untilAnswered(), died]);
    // The target of widgets is registered before any cell runs: without one the library closes their comms.
    this.#connection.registerCommTarget("jupyter.widget", () => {});
    // What was answered before iopub was heard has never ended for the library. This request does.
    await this.#connection.requestKernelInfo();
  }

  /** Asks on both channels every half second, until one has replied and iopub was heard. */
  async #untilAnswered(): Promise<void> {
    const heard = new Promise<void>((resolve) => this.#connection.iopubMessage.connect(() => resolve()));
    for (let answered = false; !answered;) {
      const replies = [this.sendControl("kernel_info_request", {}), this.#connection.requestKernelInfo()];
      const both = Promise.all([heard, Promise.any(replies)]);
      both.catch(nothing);
      answered = await Promise.race([both.then(() => true), delay(500, false)]);
    }
  }
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It has ended with its parent.
  }
}
