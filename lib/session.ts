// Connects the library to the session process: the stop flag, and events at the start and the end of a cell. Does not
// depend on the kernel. A plain Node program has no session.

export interface Session {
  /** Element 0 is set when the user interrupts. Code that sees it calls `interrupted`. */
  readonly stopFlag: Int32Array;
  /** Clears the flag and throws the interruption, or the error of an overdue deadline; returns where neither is meant. */
  interrupted(): void;
  /**
   * When the time is up, has what runs ask whether it is overdue: at a check, in an operator, in a package's loop; and
   * again and again. See deadlines.ts.
   *
   * @returns what lays it to rest
   */
  stopAfter(deadlineMs: number): () => void;
  /**
   * Calls the user's code out of the library's. Where nothing but unwinding it can stop it, that ends here, with an
   * exception as any other, and the library's own code beneath it goes on.
   */
  contain<Result>(work: () => Result): Result;
  /** Fires when the cell is interrupted to which the running code belongs, or else the one that was started last. */
  cellSignal(): AbortSignal | undefined;
  /** Milliseconds for which the user's debugger has held the code since the session began. */
  pausedMs(): number;
  /** Names that cells have declared, with what they hold now. */
  variables(): Iterable<readonly [name: string, value: unknown]>;
  /** The cells that this session has run, in their order, the running one included; the latest thousand. */
  cells(): Iterable<readonly [count: number, text: string]>;
  /** Paths of the local files that cells have imported, and of those that these import. Packages are left out. */
  importedFiles(): readonly string[];
  /** Descriptor of the file in which the kernel reads after a crash what ran last. */
  readonly flightRecorderFile: number;
  /** Imports a module of the notebook's folder, TypeScript too. */
  importModule(specifier: string): Promise<unknown>;
  /** The loader hooks by which another thread can do the same. */
  moduleHooks(): { readonly url: string; readonly data: unknown };
}

/** Told about cells in the order of registration; must not throw. */
export interface CellObserver {
  /** `cell` as error messages name it: `Cell [3]`. */
  cellStarted?(cell: string): void;
  /** However the cell ended, its result already formatted: reset what must not leak out of it. */
  cellEnded?(): void;
  /** An epoch has ended, flushed and recorded. */
  epochEnded?(): void;
}

let session: Session | null = null;
let environmentAtStart: Readonly<NodeJS.ProcessEnv> = {};
let folderAtStart: string | null = null;
let flushing = true;
/** The cell that is running. */
let running: string | null = null;
const observers: CellObserver[] = [];
/** The environment that libtorch has read; null before it is loaded. */
let environmentOfTorch: Readonly<NodeJS.ProcessEnv> | null = null;

export function installedSession(): Session | null {
  return session;
}

/** Environment variables of the session before its first cell, which may set others; none outside a session. */
export function sessionEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return environmentAtStart;
}

/** The notebook's folder, wherever a cell has changed to since; outside a session the working folder. */
export function notebookFolder(): string {
  return folderAtStart ?? process.cwd();
}

/** Called once by the session's runtime, before the library is loaded. */
export function installSession(lent: Session): void {
  session = lent;
  environmentAtStart = { ...process.env };
  folderAtStart = process.cwd();
}

/** Tells the user's interrupt from a failure of what runs: a measurement records the one and lets the other through. */
export function isInterruption(thrown: unknown): boolean {
  const signal = session?.cellSignal();
  if (signal?.aborted === true && signal.reason === thrown) return true;
  return thrown instanceof Error && thrown.name === "KeyboardInterrupt";
}

/**
 * Returns for how many milliseconds the user's debugger has held the code so far. A duration without pauses is the
 * clock's, less the difference of two such readings.
 */
export function pausedMs(): number {
  return session?.pausedMs() ?? 0;
}

/** The clock of measurements: `performance.now()` without the time in which the user's debugger held the code. */
export function runningNowMs(): number {
  return performance.now() - pausedMs();
}

/** `Cell [3]`; null between cells and outside a kernel. */
export function runningCell(): string | null {
  return running;
}

/** Whether epochs flush: `%flush on`, and outside a kernel. */
export function epochsFlush(): boolean {
  return flushing;
}

/** Called by the session's runtime before each cell. */
export function switchEpochFlush(enabled: boolean): void {
  flushing = enabled;
}

/**
 * For parts of the library with state that belongs to a cell, as grad mode and tidy scopes. A cell that is running is
 * told at once: the library is loaded by the first cell that imports it.
 */
export function observeCells(observer: CellObserver): void {
  observers.push(observer);
  if (running !== null) observer.cellStarted?.(running);
}

/** Whether libtorch is loaded. To ask the library itself would load it. */
export function torchIsLoaded(): boolean {
  return environmentOfTorch !== null;
}

/** The environment's variables when libtorch was loaded, which reads its own then; null before. */
export function environmentWhenTorchLoaded(): Readonly<NodeJS.ProcessEnv> | null {
  return environmentOfTorch;
}

/** Called by the library when it has loaded the addon. */
export function noteTorchLoaded(): void {
  environmentOfTorch = { ...process.env };
}

/** Called by the session's runtime. */
export function cellStarted(cell: string): void {
  running = cell;
  for (const observer of observers) observer.cellStarted?.(cell);
}

/** Called by the session's runtime. */
export function cellEnded(): void {
  running = null;
  for (const observer of observers) observer.cellEnded?.();
}

/** Called by epoch loops. */
export function epochEnded(): void {
  for (const observer of observers) observer.epochEnded?.();
}
