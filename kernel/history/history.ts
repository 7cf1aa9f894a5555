// Answers `history_request` with what this kernel and earlier ones executed. Rows are collected and written a moment
// later, so that no cell waits. An error of the file never stops a cell: a damaged file is set aside. Where the disk is full,
// the rows wait until there is room. If no file can be used at all, the history lasts as long as the kernel.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { HistoryRequest } from "../protocol/requests.ts";
import { HistoryFile, IN_MEMORY, type HistoryItem, type InputRow, type OutputRow } from "./history_file.ts";
import { isBusy, isDamaged, isRefused } from "./sqlite.ts";

/**
 * If the kernel is killed within this time after the reply, the history loses the cell. SQLite keeps what was
 * committed, and a commit takes 0.1 ms.
 */
const WRITE_DELAY_MS = 10;
/**
 * Opening the file takes 15 to 60 ms of the kernel's thread, so the first write waits until the first cell is over. If the
 * kernel is killed before that, the history loses its cells.
 */
const OPEN_DELAY_MS = 1000;
/**
 * The kernel's thread waits at most this long for another process that writes; then the rows wait for the next write.
 */
const BUSY_MS = 50;
/** A question has no next time, nor has the last write. */
const LAST_BUSY_MS = 3000;
/** When a write that the disk has refused is tried again, unless a cell comes first. */
const REFUSED_MS = 1000;

export class History {
  readonly #log: (line: string) => void;
  #path: string;
  #file: HistoryFile | null = null;
  #inputs: InputRow[] = [];
  #outputs: OutputRow[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** Whether the disk has refused the last write. */
  #waitsForDisk = false;
  /** Whether SQLite does not work on this machine, not even in memory. */
  #unusable = false;

  /** @param file null: nothing is kept beyond this kernel */
  constructor(file: string | null, log: (line: string) => void) {
    this.#path = file ?? IN_MEMORY;
    this.#log = log;
  }

  add(line: number, input: string): void {
    if (this.#unusable) return;
    this.#inputs.push({ line, input, source: input });
    this.#writeSoon();
  }

  /** Sets the source that the last added input became. */
  setSource(source: string): void {
    const row = this.#inputs.at(-1);
    if (row !== undefined) row.source = source;
  }

  setOutput(line: number, output: string): void {
    if (this.#unusable) return;
    this.#outputs.push({ line, output });
    this.#writeSoon();
  }

  query(request: HistoryRequest): HistoryItem[] {
    this.#write();
    if (this.#unusable) return [];
    try {
      return this.#use((file) => file.query(request), LAST_BUSY_MS);
    } catch (error) {
      // The disk refuses even an empty file. The log says so.
      if (this.#isRefused(error)) return [];
      throw error;
    }
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    try {
      this.#write(LAST_BUSY_MS);
      if (this.#inputs.length > 0 || this.#outputs.length > 0)
        this.#log(`the history's end was not written to ${this.#path}: another program keeps it`);
      this.#file?.close();
    } catch (error) {
      this.#log(`the history's end was not written to ${this.#path}: ${(error as Error).message}`);
    }
  }

  #writeSoon(delayMs = this.#file === null ? OPEN_DELAY_MS : WRITE_DELAY_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write();
    }, delayMs).unref();
  }

  /** Writes the waiting rows. If another process is writing, or the disk is full, they stay for the next time. */
  #write(busyMs = BUSY_MS): void {
    if (this.#inputs.length === 0 && this.#outputs.length === 0) return;
    try {
      this.#use((file) => file.write(this.#inputs, this.#outputs), busyMs);
      this.#inputs = [];
      this.#outputs = [];
      this.#waitsForDisk = false;
    } catch (error) {
      if (isBusy(error)) this.#writeSoon();
      else if (this.#isRefused(error)) this.#waitForDisk(error as Error);
      else this.#giveUp(error as Error);
    }
  }

  #isRefused(error: unknown): boolean {
    return isRefused(error) && this.#path !== IN_MEMORY;
  }

  #waitForDisk(error: Error): void {
    if (!this.#waitsForDisk)
      this.#log(
        `the history file ${this.#path} cannot be written (${error.message}): cells are remembered, and written when there is room`,
      );
    this.#waitsForDisk = true;
    this.#writeSoon(REFUSED_MS);
  }

  #giveUp(error: Error): void {
    this.#log(`there is no history: ${error.message}`);
    this.#unusable = true;
    this.#inputs = [];
    this.#outputs = [];
  }

  /**
   * Does work on the file, which is opened if it is not yet. A damaged file is first opened again, because another
   * kernel may have set it aside.
   *
   * @throws SQLite's errors if the file is busy, the disk refuses a write, or even a history in memory fails
   */
  #use<Result>(work: (file: HistoryFile) => Result, busyMs: number): Result {
    for (let failures = 0; ; failures++) {
      try {
        this.#file ??= this.#open(busyMs);
        this.#file.waitWhileBusy(busyMs);
        return work(this.#file);
      } catch (error) {
        if (isBusy(error) || this.#isRefused(error) || this.#path === IN_MEMORY) throw error;
        this.#abandon();
        if (!isDamaged(error) || failures === 2) this.#keepInMemory(error as Error);
        else if (failures === 1) this.#setAside();
      }
    }
  }

  #open(busyMs: number): HistoryFile {
    if (this.#path !== IN_MEMORY) mkdirSync(path.dirname(this.#path), { recursive: true, mode: 0o700 });
    return new HistoryFile(this.#path, busyMs);
  }

  #abandon(): void {
    try {
      this.#file?.close();
    } catch {
      // Closing fails because the file is damaged, which is known already.
    }
    this.#file = null;
  }

  #keepInMemory(error: Error): void {
    this.#log(
      `the history file ${this.#path} cannot be used (${error.message}): inputs are remembered until this kernel ends. ` +
        "MPSLAB_HISTORY names another file.",
    );
    this.#path = IN_MEMORY;
  }

  #setAside(): void {
    const aside = `${this.#path}.damaged-${Date.now()}`;
    try {
      renameSync(this.#path, aside);
      // SQLite would apply the old write-ahead log to the new file.
      for (const suffix of ["-wal", "-shm"]) rmSync(this.#path + suffix, { force: true });
      this.#log(`the history file ${this.#path} is damaged: it now lies at ${aside}, and a new one begins`);
    } catch (error) {
      this.#keepInMemory(error as Error);
    }
  }
}
