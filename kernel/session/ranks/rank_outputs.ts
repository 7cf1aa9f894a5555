// Marks what the ranks put out under one cell: lines begin with their rank, displays have a line above them, and a
// value that all ranks share is shown once.
import type { FromSession } from "../channel.ts";
import { RankEpochCharts } from "./rank_epoch_charts.ts";
import { allText, prefix } from "./rank_failures.ts";

type Output<Type extends FromSession["type"]> = Extract<FromSession, { type: Type }>;
type Result = Output<"result">;

interface Asking {
  readonly rank: number;
  readonly question: Output<"inputRequest">;
}

export class RankOutputs {
  readonly #size: number;
  readonly #put: (message: FromSession) => void;
  readonly #charts: RankEpochCharts;
  /** The rank whose last line has no end yet, by cell and stream. */
  readonly #open = new Map<string, number>();
  /** The ranks' values, by running cell. */
  readonly #results = new Map<string, Map<number, Result>>();
  /** For how many ranks a cell is gone, by cell. */
  readonly #gone = new Map<string, number>();
  /** Ranks that wait for an answer from the user. The first one's question has been sent. */
  readonly #asking: Asking[] = [];

  /** @param put where the outputs of all ranks go */
  constructor(size: number, put: (message: FromSession) => void) {
    this.#size = size;
    this.#put = put;
    this.#charts = new RankEpochCharts(put);
  }

  take(rank: number, message: FromSession): void {
    switch (message.type) {
      case "stream":
        this.#put({ ...message, text: this.#lines(rank, message) });
        break;
      case "display":
        if (!this.#charts.take(rank, message)) this.#display(rank, message);
        break;
      case "result": {
        const results = this.#results.get(message.cell) ?? new Map<number, Result>();
        this.#results.set(message.cell, results.set(rank, message));
        break;
      }
      case "clear":
        // Only rank 0 clears: if each rank did, it would remove what the others have put out since.
        if (rank !== 0) break;
        this.#put(message);
        this.#charts.cleared(message.cell);
        break;
      case "lateError": {
        const { error } = message;
        this.#put({
          ...message,
          error: { ...error, traceback: [`${prefix([rank])} later:`, ...error.traceback] },
        });
        break;
      }
      case "gone":
        this.#rankGone(message.cell);
        break;
      case "inputRequest":
        this.#asking.push({ rank, question: message });
        if (this.#asking.length === 1) this.#ask();
        break;
      default:
        break;
    }
  }

  /** The rank whose question the user has answered; null if none has asked. Sends the next rank's question. */
  answered(): number | null {
    const asking = this.#asking.shift();
    if (this.#asking.length > 0) this.#ask();
    return asking?.rank ?? null;
  }

  /** All ranks have ended the cell: draws their last charts, and shows their values. */
  async ends(cell: string): Promise<void> {
    await this.#charts.ends(cell);
    for (const name of ["stdout", "stderr"] as const) this.#finishLine(cell, name);
    const results = this.#results.get(cell);
    this.#results.delete(cell);
    if (results === undefined) return;
    const alike = new Map<string, { readonly ranks: number[]; readonly result: Result }>();
    for (const [rank, result] of [...results].toSorted(([a], [b]) => a - b)) {
      const text = JSON.stringify(result.data);
      const before = alike.get(text);
      if (before === undefined) alike.set(text, { ranks: [rank], result });
      else before.ranks.push(rank);
    }
    for (const { ranks, result } of alike.values()) {
      const isAll = ranks.length === this.#size;
      this.#heading(cell, isAll ? `[${allText(this.#size)}]` : prefix(ranks));
      if (isAll) this.#put(result);
      else this.#put({ type: "display", cell, data: result.data, metadata: result.metadata, update: false });
    }
  }

  /** A question of a rank that has ended needs no answer. */
  forget(rank: number): void {
    const asked = this.#asking[0]?.rank === rank;
    const kept = this.#asking.filter((asking) => asking.rank !== rank);
    this.#asking.splice(0, this.#asking.length, ...kept);
    if (asked && kept.length > 0) this.#ask();
  }

  #ask(): void {
    const { rank, question } = this.#asking[0]!;
    this.#put({ ...question, prompt: `${prefix([rank])} ${question.prompt}` });
  }

  #display(rank: number, { displayId, ...display }: Output<"display">): void {
    if (!display.update) this.#heading(display.cell, prefix([rank]));
    // Ranks that run the same code may use the same display id.
    this.#put({ ...display, ...(displayId !== undefined && { displayId: `${displayId}-rank-${rank}` }) });
  }

  #heading(cell: string, text: string): void {
    this.#finishLine(cell, "stdout");
    this.#put({ type: "stream", cell, name: "stdout", text: `${text}\n` });
  }

  /** The text, with the rank inserted before each line that begins in it. */
  #lines(rank: number, { cell, name, text }: Output<"stream">): string {
    const key = `${name} ${cell}`;
    const open = this.#open.get(key);
    let told = open === undefined || open === rank ? "" : "\n";
    let continues = open === rank;
    for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      told += continues ? line : `${prefix([rank])} ${line}`;
      continues = false;
    }
    if (text.endsWith("\n")) this.#open.delete(key);
    else this.#open.set(key, rank);
    return told;
  }

  #finishLine(cell: string, name: "stdout" | "stderr"): void {
    if (this.#open.delete(`${name} ${cell}`)) this.#put({ type: "stream", cell, name, text: "\n" });
  }

  #rankGone(cell: string): void {
    const gone = (this.#gone.get(cell) ?? 0) + 1;
    if (gone < this.#size) return void this.#gone.set(cell, gone);
    this.#gone.delete(cell);
    this.#put({ type: "gone", cell });
  }
}
