// A small Jupyter client for tests: dealers on the request channels, a subscriber on iopub, a request on the
// heartbeat. Gathers what belongs to one request; can also send raw frames, to misbehave.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Dealer, Request, Subscriber } from "zeromq";
import type { Connection } from "../../kernel/protocol/connection.ts";
import type { Channel } from "../../kernel/protocol/sockets.ts";
import { type Header, type Json, type Message, newRequest } from "../../kernel/protocol/messages.ts";
import { Wire } from "../../kernel/protocol/wire.ts";
import { HANG_MS } from "./hang.ts";

export interface Execution {
  /** Content of the `execute_reply`. */
  readonly reply: Json;
  /** Everything on iopub under this request, `busy` first and `idle` last. */
  readonly messages: readonly Message[];
  readonly stdout: string;
  readonly stderr: string;
  /** `text/plain` of the `execute_result`, if there was one. */
  readonly result: string | undefined;
  readonly errors: readonly Json[];
  /** Bundles of `display_data`. */
  readonly displays: readonly Json[];
}

export interface ExecuteOptions {
  readonly silent?: boolean;
  readonly store_history?: boolean;
  readonly user_expressions?: Readonly<Record<string, string>>;
  readonly allow_stdin?: boolean;
  readonly stop_on_error?: boolean;
  /** Part of the header: the subshell that runs the cell. */
  readonly subshell_id?: string;
  /** Part of the metadata, as JupyterLab sends it. */
  readonly cellId?: string;
  readonly deletedCells?: readonly string[];
  /** As a page that was loaded again has one of its own. Default: this client's. */
  readonly session?: string;
}

type Listener = (message: Message) => void;

export class KernelClient {
  readonly #wire: Wire;
  readonly #session = randomUUID();
  readonly #dealers: Readonly<Record<Channel, Dealer>>;
  readonly #iopub = new Subscriber({ linger: 0, receiveHighWaterMark: 0 });
  readonly #heartbeat = new Request({ linger: 0, receiveTimeout: HANG_MS });
  readonly #listeners = {
    shell: new Set<Listener>(),
    control: new Set<Listener>(),
    stdin: new Set<Listener>(),
  };
  readonly #iopubListeners = new Set<Listener>();
  /** Every message on iopub since the client connected. */
  readonly published: Message[] = [];
  /** Every reply on the shell channel since then. */
  readonly replied: Message[] = [];

  private constructor(connection: Connection, socketOptions: { reconnectInterval?: number } = {}) {
    this.#wire = new Wire(connection.digest, connection.key);
    // One identity on all channels: the kernel asks for input under the identity of the execute request.
    const options = { routingId: randomUUID(), linger: 0, receiveHighWaterMark: 0, ...socketOptions };
    this.#dealers = { shell: new Dealer(options), control: new Dealer(options), stdin: new Dealer(options) };
    for (const channel of ["shell", "control", "stdin"] as const) {
      this.#dealers[channel].connect(connection[channel]);
      void this.#read(this.#dealers[channel], this.#listeners[channel]);
    }
    this.#listeners.shell.add((message) => this.replied.push(message));
    this.#heartbeat.connect(connection.heartbeat);
    this.#iopub.connect(connection.iopub);
  }

  /** Resolves when the kernel has welcomed the subscription: from then on no output can be missed. */
  static async connect(connection: Connection): Promise<KernelClient> {
    const client = new KernelClient(connection);
    const welcomed = client.nextPublished(({ header }) => header.msg_type === "iopub_welcome");
    client.#iopub.subscribe();
    void client.#read(client.#iopub, client.#iopubListeners);
    client.#iopubListeners.add((message) => client.published.push(message));
    await welcomed;
    return client;
  }

  /**
   * Connects to a kernel that sends no welcome: asks for `kernel_info` until its status comes on iopub. Connects to a
   * kernel that is still starting, and retries often, so that waiting is not measured.
   */
  static async attach(connection: Connection): Promise<KernelClient> {
    const client = new KernelClient(connection, { reconnectInterval: 2 });
    client.#iopub.subscribe();
    void client.#read(client.#iopub, client.#iopubListeners);
    const heard = client.nextPublished(({ header }) => header.msg_type === "status").then(() => true);
    while (!(await Promise.race([heard, client.request("kernel_info_request").then(() => delay(5, false))])));
    return client;
  }

  /** Sends a request and resolves with its reply. */
  async request(type: string, content: Json = {}, channel: Channel = "shell"): Promise<Message> {
    const message = this.newMessage(type, content);
    const reply = this.nextReply(channel, message.header);
    await this.send(channel, message);
    return await reply;
  }

  /** Runs a cell; resolves when both the reply and `idle` have come. */
  async execute(
    code: string,
    { subshell_id, cellId, deletedCells, session, ...options }: ExecuteOptions = {},
  ): Promise<Execution> {
    const content = { code, allow_stdin: false, ...options };
    const fields = {
      ...(subshell_id === undefined ? {} : { subshell_id }),
      ...(session === undefined ? {} : { session }),
    };
    const metadata = { cellId, deletedCells };
    const message = { ...this.newMessage("execute_request", content, fields), metadata };
    const messages = this.untilIdle(message.header);
    const reply = this.nextReply("shell", message.header);
    await this.send("shell", message);
    return summarize(await messages, (await reply).content);
  }

  newMessage(type: string, content: Json, fields: Partial<Header> = {}): Message {
    return newRequest(this.#session, type, content, fields);
  }

  async send(channel: Channel, message: Message): Promise<void> {
    await this.sendFrames(channel, this.encode(message));
  }

  /** Signed frames of a message, for a test to damage. */
  encode(message: Message): Buffer[] {
    return this.#wire.encode(message);
  }

  /** A whole message of parts that a test made up: header, parent header, metadata, content. */
  sign(parts: readonly Buffer[]): Buffer[] {
    return this.#wire.sign(parts);
  }

  async sendFrames(channel: Channel, frames: readonly Buffer[]): Promise<void> {
    await this.#dealers[channel].send([...frames]);
  }

  nextReply(channel: Channel, request: Header): Promise<Message> {
    return next(this.#listeners[channel], isChildOf(request));
  }

  nextMessage(channel: Channel): Promise<Message> {
    return next(this.#listeners[channel], () => true);
  }

  nextPublished(wanted: (message: Message) => boolean): Promise<Message> {
    return next(this.#iopubListeners, wanted);
  }

  /** Returns the messages that are published under a request, `idle` included. */
  async untilIdle(request: Header): Promise<Message[]> {
    const messages: Message[] = [];
    await next(this.#iopubListeners, (message) => {
      if (!isChildOf(request)(message)) return false;
      messages.push(message);
      return message.content["execution_state"] === "idle";
    });
    return messages;
  }

  async beat(): Promise<string> {
    await this.#heartbeat.send("ping");
    const [echo] = await this.#heartbeat.receive();
    return String(echo);
  }

  close(): void {
    for (const dealer of Object.values(this.#dealers)) dealer.close();
    this.#iopub.close();
    this.#heartbeat.close();
  }

  async #read(socket: Dealer | Subscriber, listeners: Set<Listener>): Promise<void> {
    for await (const frames of socket) {
      const message = this.#wire.decode(frames);
      listeners.forEach((listener) => listener(message));
    }
  }
}

function isChildOf(request: Header): (message: Message) => boolean {
  return ({ parent_header }) => parent_header.msg_id === request.msg_id;
}

function next(listeners: Set<Listener>, wanted: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve) => {
    const listener = (message: Message): void => {
      if (!wanted(message)) return;
      listeners.delete(listener);
      resolve(message);
    };
    listeners.add(listener);
  });
}

function summarize(messages: readonly Message[], reply: Json): Execution {
  const contents = (type: string): Json[] =>
    messages.filter(({ header }) => header.msg_type === type).map(({ content }) => content);
  const text = (name: string): string =>
    contents("stream")
      .filter((content) => content["name"] === name)
      .map((content) => content["text"])
      .join("");
  const result = contents("execute_result")[0]?.["data"] as Record<string, string> | undefined;
  return {
    reply,
    messages,
    stdout: text("stdout"),
    stderr: text("stderr"),
    result: result?.["text/plain"],
    errors: contents("error"),
    displays: contents("display_data").map((content) => content["data"] as Json),
  };
}
