// The kernel: maps message types to handlers, and connects the sockets, the cells and the editor's requests. What the
// first `kernel_info` reply does not need is imported after it.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Cells } from "./cells.ts";
import { Input, type InputQuestion } from "./input.ts";
import { kernelInfo } from "./kernel_info.ts";
import { Outputs } from "../iopub/outputs.ts";
import { preview } from "../protocol/preview.ts";
import { newBroadcast, newReply, type Json, type Message } from "../protocol/messages.ts";
import {
  ContentError,
  readBoolean,
  readCursorRequest,
  readInspectRequest,
  readExecuteRequest,
  readHistoryRequest,
  readString,
} from "../protocol/requests.ts";
import type { Channel } from "../protocol/sockets.ts";
import type { KernelDependencies } from "./dependencies.ts";
import { asksForOutputs } from "./outputs_query.ts";
import { Subshells } from "./subshells.ts";

/** The functions of the sockets that the kernel uses. */
export interface Transport {
  reply(channel: Channel, message: Message): void;
  publish(message: Message): void;
  /** The ports that clients connect to, for `connect_request`. */
  readonly ports: Json;
}

export interface KernelEvents {
  log(line: string): void;
  /** The last reply is on its way and the session process is gone. */
  shutdown(): void;
}

/** Returns the content of the reply; null if the message has no reply. */
type Handler = (request: Message) => Promise<Json | null> | Json | null;

export class Kernel {
  readonly #transport: Transport;
  readonly #events: KernelEvents;
  readonly #loadDependencies: () => Promise<KernelDependencies>;
  readonly #outputs: Outputs;
  readonly #input = new Input();
  readonly #subshells = new Subshells((request, aborted) =>
    this.#answer(
      "shell",
      request,
      aborted || this.#shuttingDown ? abort : (message) => this.#execute(message),
    ),
  );
  #cells: Promise<Cells> | undefined;
  #debugging: Promise<void> = Promise.resolve();
  #shuttingDown = false;
  /** The shutdown request that has been carried out. After its `idle` nothing more is sent. */
  #carriedOut: Message | null = null;

  constructor(
    transport: Transport,
    loadDependencies: () => Promise<KernelDependencies>,
    events: KernelEvents,
  ) {
    this.#transport = transport;
    this.#loadDependencies = loadDependencies;
    this.#events = events;
    this.#outputs = new Outputs((message) => transport.publish(message));
  }

  /** Takes the messages of all three request channels, in the order of each channel. */
  receive(channel: Channel, message: Message): void {
    if (this.#shuttingDown) return;
    const type = message.header.msg_type;
    if (channel === "stdin") void this.#receiveInput(message);
    else if (channel === "shell" && type === "execute_request") this.#enqueue(message);
    else if (type === "debug_request") this.#debug(channel, message);
    else void this.#answer(channel, message, this.#handlers.get(type));
  }

  /** Whether clients read output more slowly than it comes. Then the session waits, and with it its cells. */
  congested(congested: boolean): void {
    void this.#cells?.then(
      (cells) => cells.hold(congested),
      () => {},
    );
  }

  /** Loads the compiler and starts the session and the language server, so that the first cell finds them ready. */
  warmUp(): Promise<Cells> {
    this.#cells ??= this.#startCells();
    return this.#cells;
  }

  /** Ends the session and the language server. */
  async close(): Promise<void> {
    this.#shuttingDown = true;
    const cells = await this.#cells?.catch(() => undefined);
    await cells?.close();
  }

  /**
   * `execute_request` is missing here: cells wait for each other, while all other requests are answered while a cell
   * runs. The shell and the control channel accept all of these.
   */
  readonly #handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
    ["kernel_info_request", () => this.#kernelInfo()],
    ["complete_request", async ({ content }) => (await this.warmUp()).complete(readCursorRequest(content))],
    ["inspect_request", async ({ content }) => (await this.warmUp()).inspect(readInspectRequest(content))],
    [
      "is_complete_request",
      async ({ content }) => (await this.warmUp()).completeness(readString(content, "code")),
    ],
    ["history_request", async ({ content }) => (await this.warmUp()).history(readHistoryRequest(content))],
    ["comm_info_request", async ({ content }) => (await this.warmUp()).comms.info(content)],
    ["comm_open", async (request) => (await this.warmUp()).comms.opened(request)],
    ["comm_msg", async (request) => (await this.warmUp()).comms.received("message", request)],
    ["comm_close", async (request) => (await this.warmUp()).comms.received("close", request)],
    ["connect_request", () => ({ status: "ok", ...this.#transport.ports })],
    ["interrupt_request", () => this.#interrupt()],
    ["create_subshell_request", () => ({ status: "ok", subshell_id: this.#subshells.create() })],
    ["delete_subshell_request", ({ content }) => this.#deleteSubshell(readString(content, "subshell_id"))],
    ["list_subshell_request", () => ({ status: "ok", subshell_id: this.#subshells.list() })],
    ["debug_request", async ({ content, header }) => (await this.warmUp()).debug(content, header)],
    ["usage_request", async () => (await this.warmUp()).usage()],
    ["shutdown_request", (request) => this.#shutdown(request)],
  ]);

  /** Answers a request: busy, reply, idle. Never rejects. */
  async #answer(channel: Channel, request: Message, handler: Handler | undefined): Promise<void> {
    const { header } = request;
    this.#outputs.busy(header);
    try {
      if (handler === undefined) {
        this.#events.log(`no answer to ${preview(header.msg_type)} on ${channel}: unknown message type`);
      } else {
        const content = await handler(request);
        if (content !== null) this.#reply(channel, request, content);
      }
    } catch (error) {
      if (!(error instanceof ContentError)) this.#events.log(`${header.msg_type}: ${(error as Error).stack}`);
      // Comm messages have no reply.
      if (header.msg_type.endsWith("_request")) this.#reply(channel, request, errorReply(error as Error));
    }
    this.#outputs.idle(header);
    if (this.#carriedOut === request) this.#events.shutdown();
  }

  /** The debugger's requests are answered in order, as in ipykernel. Other requests do not wait for them. */
  #debug(channel: Channel, request: Message): void {
    const handler = this.#handlers.get("debug_request");
    this.#debugging = this.#debugging.then(() => this.#answer(channel, request, handler));
  }

  #enqueue(request: Message): void {
    try {
      const queue = this.#subshells.queueOf(request.header);
      // A reloaded page may ask for outputs before the cells of the earlier page have ended. A page's own cells keep
      // their order.
      if (asksForOutputs(String(request.content["code"])) && !queue.serves(request.header.session)) {
        const neverAborts = { ...request, content: { ...request.content, stop_on_error: false } };
        void this.#answer("shell", neverAborts, (message) => this.#execute(message));
        return;
      }
      queue.push(request);
    } catch (error) {
      void this.#answer("shell", request, () => errorReply(error as Error));
    }
  }

  async #execute(request: Message): Promise<Json> {
    const wanted = readExecuteRequest(request.content, request.metadata);
    const cells = await this.warmUp();
    if (wanted.allowStdin) this.#input.began(request);
    const { count, error, userExpressions, nextInputs, page } = await cells.execute(wanted, request.header);
    this.#input.ended(request);
    this.#outputs.flush();
    if (error === undefined) {
      const payload: Json[] = nextInputs.map((text) => ({ source: "set_next_input", text, replace: false }));
      if (page !== null) payload.push({ source: "page", data: page, start: 0 });
      return { status: "ok", execution_count: count, payload, user_expressions: userExpressions };
    }
    if (wanted.stopOnError) await this.#abortWaiting(request);
    const { advice: _, ...said } = error; // The advice was sent with the error's output.
    return { status: "error", execution_count: count, ...said };
  }

  #kernelInfo(): Json {
    // Started only after the reply has been sent, because starting processes takes longer than answering.
    setImmediate(() => void this.warmUp().catch((error: Error) => this.#events.log(String(error.stack))));
    return kernelInfo();
  }

  async #interrupt(): Promise<Json> {
    // Without `#cells` nothing can be running, so there is nothing to interrupt.
    (await this.#cells)?.interrupt();
    return { status: "ok" };
  }

  async #shutdown(request: Message): Promise<Json> {
    const restart = readBoolean(request.content, "restart", false);
    await this.close();
    this.#carriedOut = request;
    const content = { status: "ok", restart };
    this.#transport.publish(newBroadcast(request.header, "shutdown_reply", content));
    return content;
  }

  /**
   * Aborts the requests that wait. Requests that are still in the socket were also sent before the error, and reading
   * them takes one turn of the event loop.
   */
  async #abortWaiting({ header }: Message): Promise<void> {
    await nextTurn();
    if (header.subshell_id == null || this.#subshells.list().includes(header.subshell_id)) {
      this.#subshells.queueOf(header).abortWaiting();
    }
  }

  #deleteSubshell(id: string): Json {
    this.#subshells.delete(id);
    return { status: "ok" };
  }

  async #ask(question: InputQuestion): Promise<void> {
    const message = this.#input.ask(question);
    // The session blocks until it gets an answer, so it gets one in any case.
    if (message === null) return (await this.warmUp()).answer(null);
    this.#outputs.flush();
    this.#transport.reply("stdin", message);
  }

  async #receiveInput(reply: Message): Promise<void> {
    try {
      const value = this.#input.answered(reply);
      if (value !== null) (await this.warmUp()).answer(value);
    } catch (error) {
      this.#events.log(`input_reply: ${(error as Error).message}`);
    }
  }

  #reply(channel: Channel, request: Message, content: Json): void {
    const type = request.header.msg_type.replace(/_request$/, "_reply");
    this.#transport.reply(channel, newReply(request, type, content));
  }

  async #startCells(): Promise<Cells> {
    const [{ Cells }, dependencies] = await Promise.all([import("./cells.ts"), this.#loadDependencies()]);
    return new Cells(dependencies, this.#outputs, (question) => void this.#ask(question));
  }
}

/** Status `aborted` is deprecated since protocol 5.1. */
function abort(): Json {
  const evalue = "The cell did not run, because an earlier one failed or the kernel shuts down.";
  return { status: "error", ename: "Aborted", evalue, traceback: [evalue] };
}

function errorReply({ name, message }: Error): Json {
  return { status: "error", ename: name, evalue: message, traceback: [`${name}: ${message}`] };
}
