// One run of a notebook's cells in a kernel of its own: what they show, when they ran. Puts it into the notebook that it is
// given; says nothing to the user.
import type { Json, Message } from "../../protocol/messages.ts";
import { type CodeCell, hasTag, type JsonObject, type Notebook } from "../notebook/format.ts";
import { CellOutputs, Displays } from "./cell_outputs.ts";
import { KernelProcess } from "./kernel_process.ts";
import { WidgetStates } from "./widget_states.ts";

/** Tags of a cell that Jupyter's tools know. */
export const SKIP_TAG = "skip-execution";
const FAILS_TAG = "raises-exception";

/** Content of an `execute_reply`. */
export interface CellReply {
  readonly status: "ok" | "error" | "aborted";
  readonly evalue?: string;
  readonly traceback?: readonly string[];
  /** Where the code called process.exit(). */
  readonly exitCode?: number;
  readonly user_expressions?: Readonly<Record<string, { readonly data?: Readonly<Record<string, unknown>> }>>;
}

export interface CellOptions {
  /** Seconds that the cell may take. */
  readonly timeout?: number | undefined;
  /** Whether the cell gets an execution count. Default: true. */
  readonly storesHistory?: boolean;
}

export class NotebookRun {
  readonly #kernel: KernelProcess;
  readonly #displays = new Displays();
  readonly #widgets = new WidgetStates();

  private constructor(kernel: KernelProcess) {
    this.#kernel = kernel;
  }

  /** @throws CommandError where no kernel starts, UnfinishedRun after a signal */
  static async start(folder: string, environment?: Readonly<NodeJS.ProcessEnv>): Promise<NotebookRun> {
    return new NotebookRun(await KernelProcess.start(folder, environment));
  }

  /**
   * Resolves when the cell has ended, well or not; null where its tag says to skip it. Outputs that came before a failure
   * are in the cell.
   *
   * @throws UnfinishedRun where the cell did not come to its end
   */
  async runCell(
    cell: CodeCell,
    { timeout, storesHistory = true }: CellOptions = {},
  ): Promise<CellReply | null> {
    if (hasTag(cell, SKIP_TAG)) return null;
    const times: JsonObject = {};
    cell.metadata["execution"] = times;
    const outputs = new CellOutputs(cell, this.#displays);
    const content = {
      code: cell.source,
      store_history: storesHistory,
      allow_stdin: false,
      stop_on_error: false,
    };
    try {
      const reply = await this.#kernel.request("execute_request", content, {
        timeoutSeconds: timeout,
        onPublished: (message) => {
          noteTime(times, message);
          outputs.take(message);
          this.#widgets.take(message);
        },
      });
      times["shell.execute_reply"] = timestamp(reply);
      return reply.content as unknown as CellReply;
    } finally {
      outputs.end();
    }
  }

  /** Writes the notebook's language and the final state of its widgets into its metadata. */
  async describe(notebook: Notebook): Promise<void> {
    const { content } = await this.#kernel.request("kernel_info_request", {});
    notebook.metadata["language_info"] = (content as Json)["language_info"];
    this.#widgets.storeIn(notebook);
  }

  /** Interrupts the running cell, as Stop does; the session stays. */
  async interrupt(): Promise<void> {
    await this.#kernel.request("interrupt_request", {}, { channel: "control" });
  }

  /** Ends the kernel. Never throws. */
  stop(): Promise<void> {
    return this.#kernel.stop();
  }
}

/** Whether a cell is meant to fail, as its tag says. */
export function mayFail(cell: CodeCell): boolean {
  return hasTag(cell, FAILS_TAG);
}

function noteTime(times: JsonObject, message: Message): void {
  const { msg_type: type } = message.header;
  if (type === "execute_input") times["iopub.execute_input"] = timestamp(message);
  const state = message.content["execution_state"];
  if (type === "status" && (state === "busy" || state === "idle"))
    times[`iopub.status.${state}`] = timestamp(message);
}

/** Returns the time in microseconds, as nbclient writes it. */
function timestamp({ header }: Message): string {
  return header.date.replace(/\.(\d{3})Z$/, ".$1000Z");
}
