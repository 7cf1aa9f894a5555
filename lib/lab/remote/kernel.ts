// Controls one kernel on one server: starts it, runs one cell at a time, interrupts it, shuts it down, and reports when
// it is lost. Runs in the agent.
import { setTimeout as delay } from "node:timers/promises";
import { KernelAPI, KernelConnection, type KernelMessage, type ServerConnection } from "@jupyterlab/services";
import { type CellEnd, type Greeting, PAYLOAD_TYPE, type ServerAddress } from "./agent_messages.ts";
import { LostError } from "./errors.ts";
import { answered, requireKernelspec, roundTripsMs, settingsOf, startKernel } from "./server.ts";

/** How long a kernel may take to stop its cell and to end, before it is left to its server. */
const CLOSE_MS = 8_000;
/** The longest time between two requests that ask the server for its kernel. */
const LONGEST_SILENCE_MS = 10_000;
const ENDED = "its kernel was ended over there";

export class RemoteKernel {
  readonly #settings: ServerConnection.ISettings;
  readonly #connection: KernelConnection;
  /** Rejects, once, when the server or the kernel is gone. */
  readonly #lost: Promise<never>;
  #lose!: (reason: LostError) => void;
  #closed = false;

  private constructor(
    settings: ServerConnection.ISettings,
    connection: KernelConnection,
    patienceMs: number,
  ) {
    this.#settings = settings;
    this.#connection = connection;
    this.#lost = new Promise((_, reject) => (this.#lose = reject));
    // Nobody may be waiting for the promise when it is rejected.
    this.#lost.catch(() => {});
    connection.connectionStatusChanged.connect((_, status) => {
      if (status === "disconnected")
        this.#lose(new LostError("the connection was cut and did not come back"));
    });
    connection.statusChanged.connect((_, status) => {
      if (status === "dead") this.#lose(new LostError(ENDED));
    });
    void this.#watch(patienceMs);
  }

  /** @throws RefusedError */
  static async start(address: ServerAddress): Promise<{ kernel: RemoteKernel; greeting: Greeting }> {
    const settings = settingsOf(address);
    await requireKernelspec(settings);
    const roundTrips = await roundTripsMs(settings);
    const model = await startKernel(settings, address.folder);
    const connection = new KernelConnection({ model, serverSettings: settings, handleComms: false });
    const kernel = new RemoteKernel(settings, connection, address.reconnectMs);
    try {
      const info = await Promise.race([answered("kernel_info_request", connection.info), kernel.#lost]);
      const { implementation, implementation_version: version } = info;
      return { kernel, greeting: { implementation, version, roundTripsMs: roundTrips } };
    } catch (thrown) {
      await kernel.close();
      throw thrown;
    }
  }

  /** @throws LostError */
  async run(code: string, onOutput: (text: string) => void): Promise<CellEnd> {
    const content = { code, store_history: false, allow_stdin: false, stop_on_error: false };
    const future = this.#connection.requestExecute(content, true);
    const payloads: unknown[] = [];
    future.onIOPub = ({ header, content: published }) => {
      if (header.msg_type === "stream") onOutput((published as KernelMessage.IStreamMsg["content"]).text);
      if (header.msg_type !== "display_data") return;
      const { data } = published as KernelMessage.IDisplayDataMsg["content"];
      if (PAYLOAD_TYPE in data) payloads.push(data[PAYLOAD_TYPE]);
    };
    // If the kernel's process ends, the library never settles the pending request.
    const done = future.done.catch(() => null);
    const reply = await Promise.race([done, this.#lost]);
    if (reply === null) return { status: "restarted" };
    const answer = reply.content as { status: string; ename?: string; evalue?: string };
    if (answer.status === "ok") return { status: "ok", payloads };
    return { status: "error", name: answer.ename ?? "Error", message: answer.evalue ?? answer.status };
  }

  async interrupt(): Promise<void> {
    await answered("interrupt", KernelAPI.interruptKernel(this.#connection.id, this.#settings));
  }

  /** Restarts the kernel, which loses all of its state. @throws RefusedError, LostError */
  async restart(): Promise<void> {
    await Promise.race([answered("restart", this.#connection.restart()), this.#lost]);
  }

  /** Stops its cell and ends its process, unless they ended with their server. Never throws, and settles soon. */
  async close(): Promise<void> {
    this.#closed = true;
    const { id, status } = this.#connection;
    this.#connection.dispose();
    const gone = async () => {
      if (status === "busy") await KernelAPI.interruptKernel(id, this.#settings).catch(() => {});
      await KernelAPI.shutdownKernel(id, this.#settings).catch(() => {});
    };
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([gone(), new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))]);
    clearTimeout(timer);
  }

  /** Asks the server for the kernel: an unplugged cable closes no connection, and a cell may be silent for minutes. */
  async #watch(patienceMs: number): Promise<void> {
    const { id } = this.#connection;
    let seenAtMs = performance.now();
    while (!this.#closed) {
      await delay(Math.min(patienceMs / 3, LONGEST_SILENCE_MS));
      const asked = KernelAPI.getKernelModel(id, this.#settings).catch(() => null);
      const model = await Promise.race([asked, delay(patienceMs, null)]);
      if (model === undefined) this.#lose(new LostError(ENDED));
      if (model !== null) seenAtMs = performance.now();
      if (performance.now() - seenAtMs > patienceMs)
        this.#lose(new LostError(`it was silent for ${patienceMs / 1000} s`));
    }
  }
}
