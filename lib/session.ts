// Connects the library to the session process: the stop flag, and events at the start and the end of a cell. Does not
// depend on the kernel. A plain Node program has no session.

export interface Session {
  /** Element 0 is set when the user interrupts. Code that sees it calls `interrupted`. */
  readonly stopFlag: Int32Array;
  /**
   * Clears the flag and throws the interruption, or the error of an overdue deadline. Returns if the flag concerns
   * neither.
   */
  interrupted(): void;
  /**
   * When the time is up, makes running code check whether its deadline has passed: at a check, in an operator, in a
   * package's loop. Repeats this until it is cancelled. See deadlines.ts.
   *
   * @returns a function that cancels it
   */
  stopAfter(deadlineMs: number): () => void;
  /**
   * Calls the user's code from the library's code. If the user's code can only be stopped by unwinding, the unwinding
   * ends here as an ordinary exception, and the library's code below it on the stack goes on.
   */
  contain<Result>(work: () => Result): Result;
  /**
   * Fires when a cell is interrupted: the cell to which the running code belongs or, if it belongs to none, the one
   * that was started last.
   */
  cellSignal(): AbortSignal | undefined;
  /** Milliseconds for which the user's debugger has held the code since the session began. */
  pausedMs(): number;
  /** The names that cells have declared, with their present values. */
  variables(): Iterable<readonly [name: string, value: unknown]>;
  /** The cells that this session has run, in their order, including the running one; at most the latest thousand. */
  cells(): Iterable<readonly [count: number, text: string]>;
  /** Paths of the local files that cells have imported, and of those that these import. Packages are left out. */
  importedFiles(): readonly string[];
  /** Descriptor of a file. After a crash the kernel reads from it what ran last. */
  readonly flightRecorderFile: number;
  /** Imports a module from the notebook's folder; it may be TypeScript. */
  importModule(specifier: string): Promise<unknown>;
  /** The loader hooks with which another thread can import such modules. */
  moduleHooks(): { readonly url: string; readonly data: unknown };
}

/** Called for each cell in the order of registration; must not throw. */
export interface CellObserver {
  /** `cell` is the cell's name in error messages: `Cell [3]`. */
  cellStarted?(cell: string): void;
  /** Called however the cell ended, after its result was formatted: resets state that must not outlive the cell. */
  cellEnded?(): void;
  /** An epoch has ended, and was flushed and recorded. */
  epochEnded?(): void;
}

let session: Session | null = null;
let environmentAtStart: Readonly<NodeJS.ProcessEnv> = {};
let folderAtStart: string | null = null;
let flushing = true;
/** The cell that is running. */
let running: string | null = null;
const observers: CellObserver[] = [];
/** The environment variables that libtorch read when it was loaded; null before. */
let environmentOfTorch: Readonly<NodeJS.ProcessEnv> | null = null;

export function installedSession(): Session | null {
  return session;
}

/** The session's environment variables before its first cell, because cells may set others; empty outside a session. */
export function sessionEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return environmentAtStart;
}

/** The notebook's folder, even if a cell has changed the working folder; outside a session the working folder. */
export function notebookFolder(): string {
  return folderAtStart ?? process.cwd();
}

/** Called once by the session's runtime, before the library is loaded. */
export function installSession(lent: Session): void {
  session = lent;
  environmentAtStart = { ...process.env };
  folderAtStart = process.cwd();
}

/**
 * Distinguishes the user's interrupt from a failure of the measured code: a measurement records a failure but lets an
 * interrupt pass.
 */
export function isInterruption(thrown: unknown): boolean {
  const signal = session?.cellSignal();
  if (signal?.aborted === true && signal.reason === thrown) return true;
  return thrown instanceof Error && thrown.name === "KeyboardInterrupt";
}

/**
 * Returns for how many milliseconds the user's debugger has held the code so far. A duration without pauses is the
 * clock's difference minus the difference of two such readings.
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

/** Whether epochs flush: true under `%flush on` and outside a kernel. */
export function epochsFlush(): boolean {
  return flushing;
}

/** Called by the session's runtime before each cell. */
export function switchEpochFlush(enabled: boolean): void {
  flushing = enabled;
}

/**
 * Registers an observer, for parts of the library with state that belongs to a cell, such as grad mode and tidy scopes.
 * If a cell is running, the observer is told at once, because the first cell that imports the library loads it.
 */
export function observeCells(observer: CellObserver): void {
  observers.push(observer);
  if (running !== null) observer.cellStarted?.(running);
}

/** Whether libtorch is loaded. To ask the library itself would load it. */
export function torchIsLoaded(): boolean {
  return environmentOfTorch !== null;
}

/** The environment variables at the time when libtorch was loaded, which reads its own only then; null before. */
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
