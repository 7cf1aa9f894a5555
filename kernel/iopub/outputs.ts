// Publishes status and outputs on iopub, each with the request that caused it as parent. Every busy and idle status is
// sent here. Waiting text is flushed before any message that must not overtake it.
import { escapeHtml } from "../../lib/views/html.ts";
import { newBroadcast, type Header, type Json, type Message } from "../protocol/messages.ts";
import { TextBatches, type StreamName } from "../protocol/text_batches.ts";
import type { CommMessage, ErrorContent, FromSession } from "../session/channel.ts";
import { keptCellHeading, type KeptCell, keptForm, KeptOutputs } from "./kept_outputs.ts";

/** A cell that also shows the outputs of another one, until that one ends. */
interface Follower {
  readonly header: Header;
  readonly ended: () => void;
}

/** The grey of JupyterLab's secondary text, in either theme. */
const MARK_STYLE =
  "color: var(--jp-ui-font-color2, gray); font-size: var(--jp-ui-font-size1, 13px); padding-left: var(--jp-code-padding, 5px)";

interface Origin {
  readonly header: Header;
  readonly count: number;
  /** "Quietly": no output of the cell is broadcast. */
  readonly silent: boolean;
}

export interface CellKind {
  /** "Quietly": no output of the cell is broadcast. */
  readonly silent: boolean;
  /** Whether `%outputs` can show the cell's outputs later. */
  readonly kept: boolean;
}

export class Outputs {
  readonly #publish: (message: Message) => void;
  readonly #batches = new TextBatches((cell, name, text) => this.#emit(cell, "stream", { name, text }));
  /**
   * The requests of cells, kept until the session says that the cell is gone: a timer of any earlier cell may still
   * print.
   */
  readonly #origins = new Map<string, Origin>();
  /** The requests of running cells, by id: at most one in each subshell. */
  readonly #running = new Map<string, Header>();
  readonly #kept = new KeptOutputs();
  /** Cells that also show another cell's outputs, by the id of that other cell. */
  readonly #followers = new Map<string, Follower[]>();

  constructor(publish: (message: Message) => void) {
    this.#publish = publish;
  }

  busy(header: Header): void {
    this.#status(header, "busy");
  }

  /**
   * The last message of a request. Completions are answered while a cell runs, and frontends show the latest status
   * whichever request it belongs to, so the cell's `busy` is said again.
   */
  idle(header: Header): void {
    this.#batches.flush();
    this.#running.delete(header.msg_id);
    this.#status(header, "idle");
    const [running] = this.#running.values();
    if (running !== undefined) this.#status(running, "busy");
  }

  /** Records a cell's request, which the cell's output finds from now on. */
  begin(header: Header, code: string, count: number, { silent, kept }: CellKind): void {
    this.#running.set(header.msg_id, header);
    this.#origins.set(header.msg_id, { header, count, silent });
    if (kept) this.#kept.begin(header.msg_id, count);
    this.#emit(header.msg_id, "execute_input", { code, execution_count: count });
  }

  /** The cell has ended. One of its timers may still produce output. */
  end(cell: string): void {
    this.#batches.flush();
    this.#kept.end(cell);
    for (const { ended } of this.#followers.get(cell) ?? []) ended();
    this.#followers.delete(cell);
  }

  /** The cells whose outputs are kept, by their numbers, oldest first. */
  keptNumbers(): readonly number[] {
    return this.#kept.numbers();
  }

  /**
   * Shows the kept outputs of a cell under another one. If that cell runs, later outputs follow, and the promise
   * resolves when it ends.
   *
   * @param count null for the cell that runs, or else the latest
   */
  async showKept(count: number | null, header: Header): Promise<void> {
    this.#batches.flush();
    const kept = this.#kept.find(count, header.msg_id);
    if (kept === null) {
      return this.text(header.msg_id, "stdout", "No cell that put something out has run yet.\n");
    }
    this.#emit(header.msg_id, "stream", { name: "stdout", text: keptCellHeading(kept) });
    for (const { type, content } of kept.outputs) this.#emit(header.msg_id, type, content);
    if (kept.endedMs === null) await this.#follow(kept, header);
  }

  /** Publishes an event of the debugger, after all text that the code has printed before. */
  debugEvent(parent: Header | null, event: Json): void {
    this.#batches.flush();
    this.#publish(newBroadcast(parent, "debug_event", event));
  }

  text(cell: string, name: StreamName, text: string): void {
    if (text !== "") this.#batches.push(cell, name, text);
  }

  /** Forgets a cell of which no more output will come. */
  forget(cell: string): void {
    this.#batches.flush();
    this.#origins.delete(cell);
  }

  /** Forgets all cells but these, after the session has ended: these still report its end. */
  forgetAllBut(cells: ReadonlySet<string>): void {
    this.#batches.flush();
    for (const cell of this.#origins.keys()) if (!cells.has(cell)) this.#origins.delete(cell);
  }

  /** Publishes output that the session reports; other messages are ignored. */
  report(message: FromSession): void {
    switch (message.type) {
      case "stream":
        this.text(message.cell, message.name, message.text);
        break;
      case "display": {
        const { data, metadata, displayId, update } = message;
        const transient = displayId === undefined ? {} : { display_id: displayId };
        this.#emit(message.cell, update ? "update_display_data" : "display_data", {
          data,
          metadata,
          transient,
        });
        break;
      }
      case "result": {
        const { data, metadata } = message;
        const execution_count = this.#origins.get(message.cell)?.count ?? 0;
        this.#emit(message.cell, "execute_result", { execution_count, data, metadata });
        break;
      }
      case "clear":
        this.#emit(message.cell, "clear_output", { wait: message.wait });
        break;
      case "gone":
        this.forget(message.cell);
        break;
      case "lateError":
        this.error(message.cell, message.error);
        break;
      default:
        break;
    }
  }

  /** An advice is metadata beside the text, for front ends that can apply it. */
  error(cell: string, { advice, ...content }: ErrorContent): void {
    this.#emit(cell, "error", content, advice === undefined ? {} : { mpslab: { advice } });
  }

  /**
   * Sends a comm message to the clients. It is no output, so a silent cell sends it too.
   *
   * @param parent header of the message that caused it, or the id of the cell that sends it
   */
  comm(message: Omit<CommMessage, "type" | "cause">, parent: Header | string | null): void {
    const { action, comm, target, data, metadata, buffers } = message;
    const header = typeof parent === "string" ? (this.#origins.get(parent)?.header ?? null) : parent;
    const content = { comm_id: comm, ...(target !== undefined && { target_name: target }), data };
    const type = { open: "comm_open", message: "comm_msg", close: "comm_close" }[action];
    this.#publish({ ...newBroadcast(header, type, content), metadata, buffers: buffers.map(asBuffer) });
  }

  /**
   * Shows a quiet line below a cell that has ended. It is no output of the cell: `%outputs` does not keep it, and
   * `mpslab replay` does not compare it.
   *
   * @param text empty to remove the line
   * @param update whether the cell has such a line already
   */
  mark(header: Header, text: string, update: boolean): void {
    this.#batches.flush();
    const html = text === "" ? "" : `<div style="${MARK_STYLE}">${escapeHtml(text)}</div>`;
    this.#publish(
      newBroadcast(header, update ? "update_display_data" : "display_data", {
        data: { "text/plain": text, "text/html": html },
        metadata: { mpslab: { mark: true } },
        transient: { display_id: `mark-${header.msg_id}` },
      }),
    );
  }

  /** Publishes waiting text, so that it appears before a question to the user. */
  flush(): void {
    this.#batches.flush();
  }

  #emit(cell: string, type: string, content: Json, metadata: Json = {}): void {
    if (type !== "stream") this.#batches.flush();
    const origin = this.#origins.get(cell);
    if (origin?.silent) return;
    this.#publish({ ...newBroadcast(origin?.header ?? null, type, content), metadata });
    this.#kept.take(cell, type, content);
    const followers = this.#followers.get(cell);
    if (followers !== undefined) this.#repeat(followers, type, content);
  }

  /**
   * Publishes an output under the following cells too, except an update: clients apply it to every display with its id.
   */
  #repeat(followers: readonly Follower[], type: string, content: Json): void {
    const output = type === "clear_output" ? { type, content } : keptForm(type, content);
    if (output === null) return;
    for (const { header } of followers) this.#publish(newBroadcast(header, output.type, output.content));
  }

  #follow({ cell }: KeptCell, header: Header): Promise<void> {
    return new Promise((ended) => {
      this.#followers.set(cell, [...(this.#followers.get(cell) ?? []), { header, ended }]);
    });
  }

  #status(header: Header, execution_state: "busy" | "idle"): void {
    this.#publish(newBroadcast(header, "status", { execution_state }));
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
