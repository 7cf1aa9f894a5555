// Keeps the kernel process's record of comms: which are open, and which targets the session has. The kernel answers
// from it while a cell is running, and closes the comms when the session ends. It reads no comm's contents except the
// state of widgets (`widget_models.ts`).
import type { Outputs } from "../iopub/outputs.ts";
import type { Header, Json, Message } from "../protocol/messages.ts";
import { readObject, readString } from "../protocol/requests.ts";
import type { CommMessage, FromSession } from "../session/channel.ts";
import { CONTROL_TARGET, WidgetModels } from "./widget_models.ts";

type CommFromSession = Extract<FromSession, { type: "comm" }>;

const NOTHING = { data: {}, metadata: {}, buffers: [] } as const;

export class Comms {
  readonly #outputs: Outputs;
  readonly #toSession: (message: CommMessage) => void;
  /** Target by the comm's id. */
  readonly #open = new Map<string, string>();
  /** The targets that the session has registered. */
  readonly #targets = new Set<string>();
  readonly #models = new WidgetModels();

  constructor(outputs: Outputs, toSession: (message: CommMessage) => void) {
    this.#outputs = outputs;
    this.#toSession = toSession;
  }

  /** Content of a `comm_info_reply`. */
  info(content: Json): Json {
    const wanted = readString(content, "target_name", "");
    const found = [...this.#open].filter(([, target]) => wanted === "" || target === wanted);
    return {
      status: "ok",
      comms: Object.fromEntries(found.map(([id, target_name]) => [id, { target_name }])),
    };
  }

  /** `comm_open` of a client. If its target is not registered, the comm is closed. */
  opened({ header, metadata, content, buffers }: Message): null {
    const comm = readString(content, "comm_id");
    const target = readString(content, "target_name");
    const data = readObject(content, "data");
    // An id that is already open belongs to another comm, which must stay open.
    if (this.#open.has(comm)) return null;
    if (target !== CONTROL_TARGET && !this.#targets.has(target)) {
      this.#outputs.comm({ action: "close", comm, ...NOTHING }, header);
      return null;
    }
    this.#open.set(comm, target);
    const message = { type: "comm", action: "open", comm, target, data, metadata, buffers } as const;
    if (target !== CONTROL_TARGET) this.#toSession({ ...message, cause: header });
    return null;
  }

  /** Handles a client's `comm_msg` or `comm_close`. One for a comm that is not open, or no longer, is ignored. */
  received(action: "message" | "close", { header, metadata, content, buffers }: Message): null {
    const comm = readString(content, "comm_id");
    const data = readObject(content, "data");
    const target = this.#open.get(comm);
    if (target === undefined) return null;
    const message = { type: "comm", action, comm, data, metadata, buffers, cause: header } as const;
    if (action === "close") this.#forget(comm);
    const control = target === CONTROL_TARGET;
    if (!control) this.#toSession(message);
    if (action === "close") return null;
    const answer = control ? this.#models.control(data) : this.#models.fromClient(message);
    if (answer !== null) this.#outputs.comm({ action, comm, metadata: {}, ...answer }, header);
    return null;
  }

  /** A comm message of the session, which goes to every client. */
  sent(message: CommFromSession): void {
    const { action, comm, target, cause, cell } = message;
    if (action === "open") this.#open.set(comm, target ?? "");
    // The client closed it while this was on its way.
    if (!this.#open.has(comm)) return;
    if (action === "close") this.#forget(comm);
    else this.#models.fromSession(message);
    this.#outputs.comm(message, (cause as Header | undefined) ?? cell);
  }

  announced(target: string, registered: boolean): void {
    if (registered) this.#targets.add(target);
    else this.#targets.delete(target);
  }

  /** The session has ended, and with it the other end of every comm. */
  closeAll(): void {
    for (const comm of this.#open.keys()) {
      this.#outputs.comm({ action: "close", comm, ...NOTHING }, null);
      this.#models.forget(comm);
    }
    this.#open.clear();
    this.#targets.clear();
  }

  #forget(comm: string): void {
    this.#open.delete(comm);
    this.#models.forget(comm);
  }
}
