// Shows the progress lines of loops: in a notebook in one output for nested loops, in a terminal in one line that is
// overwritten, in a file as an occasional line.
import { randomUUID } from "node:crypto";
import type { OutputSink } from "../../display.ts";
import { COLOR, escapeHtml } from "../../views/html.ts";
import type { ProgressLine } from "./progress_line.ts";

/** A loop that ends sooner is not shown at all. */
const SILENT_MS = 500;

/**
 * How often lines are drawn. A notebook must not send too many messages: jupyter_server drops output above 1,000 a
 * second. A log needs few lines.
 */
const INTERVAL_MS = { notebook: 250, terminal: 100, log: 60_000 } as const;

/** Where lines are drawn. */
interface Place {
  readonly intervalMs: number;
  /** Whether new lines replace earlier ones. */
  readonly replaces: boolean;
  /**
   * @param over whether no loop is running any more
   */
  draw(lines: readonly ProgressLine[], over: boolean): void;
}

/**
 * The lines of one output. The line of a nested loop stands below that of its outer loop. When another nested loop
 * begins, its line replaces those of loops that have ended: an outer loop that runs a hundred inner ones has two lines,
 * not a hundred and one.
 */
export class ProgressBoard {
  /** The cell in whose output the board stands. */
  readonly cell: string | null;
  readonly #place: Place;
  #lines: ProgressLine[] = [];
  #dueMs: number;

  constructor(sink: OutputSink) {
    this.cell = sink.currentCell();
    this.#place = placeIn(sink);
    this.#dueMs = performance.now() + (this.#place.replaces ? SILENT_MS : this.#place.intervalMs);
  }

  /** Whether a loop of this board is still running. */
  get runs(): boolean {
    return this.#lines.some(({ state }) => state === "running");
  }

  open(line: ProgressLine): void {
    this.#lines = [...this.#lines.filter(({ state }) => state === "running"), line];
  }

  /** Called after every item: it reads the clock and, most of the time, does nothing else. */
  counted(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#dueMs) this.#draw(nowMs);
  }

  /** A loop has ended. Its last line is drawn at once; in a log only that of the outermost loop. */
  closed(line: ProgressLine): void {
    if (!this.runs || (this.#place.replaces && line.elapsedMs >= SILENT_MS)) this.#draw(performance.now());
  }

  #draw(nowMs: number): void {
    const shown = this.#lines.filter(({ elapsedMs }) => elapsedMs >= SILENT_MS);
    if (shown.length > 0) this.#place.draw(shown, !this.runs);
    this.#dueMs = nowMs + this.#place.intervalMs;
  }
}

function placeIn(sink: OutputSink): Place {
  if (sink.live) return notebookPlace(sink);
  return process.stderr.isTTY ? terminalPlace() : logPlace();
}

function notebookPlace(sink: OutputSink): Place {
  const displayId = randomUUID();
  return {
    intervalMs: INTERVAL_MS.notebook,
    replaces: true,
    draw(lines) {
      const html = lines.map((line) => `<div>${barHtml(line)}${escapeHtml(line.text())}</div>`).join("");
      const text = lines.map((line) => line.text()).join("\n");
      const bundle = {
        "text/html": `<div style="color:${COLOR.text};font-size:13px">${html}</div>`,
        "text/plain": text,
      };
      sink.display(bundle, { displayId });
    },
  };
}

function barHtml({ share, state }: ProgressLine): string {
  if (state !== "running" || share === null) return "";
  return `<progress value="${share.toFixed(3)}" max="1" style="vertical-align:middle"></progress> `;
}

/** Shows all loops in one line, because output of the program moves the cursor. */
function terminalPlace(): Place {
  const write = (text: string) => process.stderr.write(`\r\x1b[K${text}`);
  return {
    intervalMs: INTERVAL_MS.terminal,
    replaces: true,
    draw(lines, over) {
      if (over) write(`${lines.map((line) => line.text()).join("\n")}\n`);
      else {
        const text = lines.map((line) => line.text()).join(" | ");
        write(text.slice(0, Math.max(20, (process.stderr.columns || 80) - 1)));
      }
    },
  };
}

/** Writes few lines, because a file or a pipe keeps every one. */
function logPlace(): Place {
  return {
    intervalMs: INTERVAL_MS.log,
    replaces: false,
    draw(lines) {
      for (const line of lines) process.stderr.write(`${line.text()}\n`);
    },
  };
}
