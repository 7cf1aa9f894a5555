// Holds back what Node and V8 write to stderr while their process dies: native stack traces and statistics of the
// collector. This text is shown only if the process lives on.

const DEATH_REPORT = /^(?:----- Native stack trace -----|<--- Last few GCs --->)$/m;
/**
 * Node's messages about the inspector. They come after `%inspect`, and when a process ends while the worker is
 * connected; in that case it does not really wait.
 */
const INSPECTOR =
  /^(?:Debugger (?:listening|ending) on ws:\S+|For help, see: \S+\/inspector|Debugger attached\.|Waiting for the debugger to disconnect\.\.\.)\n/gm;
/** How many characters are kept, to search them for V8's own explanation of its end. */
const MAX_KEPT = 20_000;

export class CrashStderrFilter {
  readonly #show: (text: string) => void;
  #kept = "";
  #held = "";

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  push(written: string): void {
    const text = written.replace(INSPECTOR, "");
    if (text === "") return;
    this.#kept = (this.#kept + text).slice(-MAX_KEPT);
    const start = this.#held === "" ? text.search(DEATH_REPORT) : 0;
    if (start !== 0) this.#show(start < 0 ? text : text.slice(0, start));
    if (start >= 0) this.#held += text.slice(start);
  }

  /** The process lives: what looked like a crash report was printed by the user. */
  release(): void {
    if (this.#held !== "") this.#show(this.#held);
    this.#held = "";
  }

  get heapFull(): boolean {
    return this.#kept.includes("JavaScript heap out of memory");
  }
}
