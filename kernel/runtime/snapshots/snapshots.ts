// Takes snapshots for `%snapshot`: collects the notebook's variables and passes them to the thread that writes.
import path from "node:path";
import { Worker } from "node:worker_threads";
import { torchIsLoaded } from "../../../lib/session.ts";
import type { Tensor } from "../../../lib/torch/tensor/tensor.ts";
import type { ImportedName } from "../../cell/imported_names.ts";
import { userName } from "../../cell/names.ts";
import { encode, NotSavable, typeOf } from "../../snapshot/encode.ts";
import { snapshotFolder } from "../../snapshot/folder.ts";
import { removePartial, type SnapshotEntry, SnapshotError } from "../../snapshot/manifest.ts";
import type { Evaluator } from "../evaluate.ts";
import { restoreSnapshot } from "./restore.ts";
import type { SnapshotToWrite, SnapshotWritten } from "./writer.ts";
import { isStateful } from "./stateful.ts";

type Tensors = typeof import("./tensors.ts");

interface Collected extends Omit<SnapshotToWrite, "finished"> {
  readonly saved: readonly string[];
  readonly notSaved: readonly string[];
}

/** Automatic snapshots are at least this far apart, and take at most this share of the code's time. */
const MIN_INTERVAL_MS = 5_000;
const MAX_SHARE = 0.05;

export class Snapshots {
  readonly #evaluator: Evaluator;
  /** The notebook's folder. */
  readonly #directory: string;
  /** Reports that an automatic snapshot could not be written. */
  readonly #failed: (message: string) => void;
  /** Runtime names of the variables that cells have declared, by the user's names. */
  readonly #variables = new Map<string, string>();
  readonly #imports = new Map<string, ImportedName>();
  #tensors: Tensors | null = null;
  #writer: Worker | null = null;
  #begun = 0;
  /**
   * How many snapshots have been written. The writing thread counts; shared memory, so that a loop that never awaits
   * can read it.
   */
  readonly #finished = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #written: Promise<SnapshotWritten> = Promise.resolve({ error: null });
  #automatic = false;
  #nextMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(evaluator: Evaluator, directory: string, failed: (message: string) => void) {
    this.#evaluator = evaluator;
    this.#directory = directory;
    this.#failed = failed;
    removePartial(this.#folder);
  }

  /** Looked up each time: a kernel that started earlier may have claimed the folder meanwhile. */
  get #folder(): string {
    return snapshotFolder(this.#directory);
  }

  /**
   * @param names runtime names of the cell's variables
   * @param imports the names that the cell imports
   */
  cellStarts(names: readonly string[], imports: readonly ImportedName[]): void {
    for (const name of names) {
      this.#variables.set(userName(name), name);
      this.#imports.delete(userName(name));
    }
    for (const each of imports) this.#imports.set(each.name, each);
  }

  async cellEnded(): Promise<void> {
    if (!this.#automatic) return;
    await this.#loadTensors();
    this.saveIfDue();
  }

  /** The variables have no values any more. */
  forget(): void {
    this.#variables.clear();
    this.#imports.clear();
  }

  async setAutomatic(on: boolean): Promise<void> {
    this.#automatic = on;
    this.#nextMs = 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // Loaded now: the next cell may be a loop that makes the first tensors and never awaits.
    if (on) this.#tensors ??= await import("./tensors.ts");
  }

  /** Copies the tensors, and lets the thread write while the code goes on. Called at the end of each cell and epoch. */
  saveIfDue(): void {
    if (!this.#automatic) return;
    const nowMs = performance.now();
    if (nowMs < this.#nextMs || Atomics.load(this.#finished, 0) < this.#begun) {
      // After the last cell, only this timer calls the method again.
      this.#timer ??= setTimeout(
        () => {
          this.#timer = null;
          this.saveIfDue();
        },
        Math.max(this.#nextMs - nowMs, 100),
      ).unref();
      return;
    }
    const collected = this.#collect(null);
    if (collected.saved.length > 0) void this.#write(collected).then(({ error }) => this.#stopAfter(error));
    const endMs = performance.now();
    this.#nextMs = endMs + Math.max(MIN_INTERVAL_MS, (endMs - nowMs) / MAX_SHARE);
  }

  /**
   * Resolves when the snapshot is on the disk, with the text to print. It holds exactly the named variables, and
   * replaces an older snapshot.
   *
   * @param names null: every variable
   * @throws SnapshotError
   */
  async save(names: readonly string[] | null): Promise<string> {
    const missing = names?.find((name) => !this.#variables.has(name));
    if (missing !== undefined) throw new SnapshotError(`This notebook has no variable ${missing} to save.`);
    await this.#loadTensors();
    const collected = this.#collect(names);
    const { saved, notSaved } = collected;
    const left = notSaved.length === 0 ? "" : `Not saved: ${notSaved.join("; ")}.\n`;
    if (saved.length === 0) return `${left}There is nothing to save, so no snapshot was made.\n`;
    const { error } = await this.#write(collected);
    if (error !== null) throw new SnapshotError(`The snapshot could not be written: ${error}.`);
    return `Saved ${saved.join(", ")} to ${path.basename(collected.folder)}.\n${left}`;
  }

  /** Restores variables. The code that replaces `%restore` calls it. @throws SnapshotError */
  async restore(
    names: readonly string[],
    print: (text: string) => void,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { values, told } = await restoreSnapshot(this.#folder, names, (name) => this.#valueOf(name)?.value);
    print(told);
    return values;
  }

  #stopAfter(error: string | null): void {
    if (error === null) return;
    this.#automatic = false;
    this.#failed(`Automatic snapshots have stopped, because one could not be written: ${error}.\n`);
  }

  /** Yields the present values of the variables, except those that no cell has reached yet. */
  *variables(): Iterable<readonly [name: string, value: unknown]> {
    for (const name of this.#variables.keys()) {
      const found = this.#valueOf(name);
      if (found !== undefined) yield [name, found.value];
    }
  }

  /** Loads the encoder of tensors. Without libtorch there are no tensors to save. */
  async #loadTensors(): Promise<void> {
    if (torchIsLoaded()) this.#tensors ??= await import("./tensors.ts");
  }

  #valueOf(name: string): { readonly value: unknown } | undefined {
    const runtimeName = this.#variables.get(name);
    return runtimeName === undefined
      ? undefined
      : this.#evaluator.peek(runtimeName, { allowSideEffects: false });
  }

  /** Collects everything at one moment: none of the user's code runs meanwhile. */
  #collect(names: readonly string[] | null): Collected {
    const entries: SnapshotEntry[] = [];
    const notSaved: string[] = [];
    let tensors = new Map<string, Tensor>();
    for (const name of names ?? this.#variables.keys()) {
      const found = this.#valueOf(name);
      if (found === undefined || found.value === undefined) continue;
      try {
        const more = new Map(tensors);
        entries.push(this.#entryOf(name, found.value, more));
        tensors = more;
      } catch (error) {
        notSaved.push(error instanceof NotSavable ? error.message : `${name}: ${(error as Error).message}`);
      }
    }
    const savedAt = new Date().toISOString();
    const imports = [...this.#imports.values()];
    const content = { format: "mpslab snapshot 1", savedAt, entries, imports } as const;
    const pieces = tensors.size === 0 ? [] : (this.#tensors as Tensors).piecesOf(tensors);
    return { folder: this.#folder, pieces, content, saved: entries.map(({ name }) => name), notSaved };
  }

  #entryOf(name: string, value: unknown, tensors: Map<string, Tensor>): SnapshotEntry {
    const refer = (each: object, at: string) => this.#tensors?.refer(each, at, tensors) ?? null;
    if (!isStateful(value)) {
      const encoded = encode(value, name, refer);
      return { name, kind: "value", value: encoded, type: typeOf(encoded) };
    }
    return {
      name,
      kind: "state",
      value: encode(value.stateDict(), name, refer),
      type: value.constructor.name,
    };
  }

  #write({ folder, pieces, content }: Collected): Promise<SnapshotWritten> {
    this.#writer ??= new Worker(new URL("./writer.js", import.meta.url));
    const writer = this.#writer;
    // The process must not end while the thread writes, even if nothing else keeps it alive.
    writer.ref();
    this.#begun++;
    const message: SnapshotToWrite = { folder, pieces, content, finished: this.#finished };
    writer.postMessage(
      message,
      pieces.map(({ buffer }) => buffer as ArrayBuffer),
    );
    // The thread answers in the order in which it was asked.
    this.#written = this.#written.then(
      () =>
        new Promise((resolve) =>
          writer.once("message", (written: SnapshotWritten) => {
            if (Atomics.load(this.#finished, 0) === this.#begun) writer.unref();
            resolve(written);
          }),
        ),
    );
    return this.#written;
  }
}
