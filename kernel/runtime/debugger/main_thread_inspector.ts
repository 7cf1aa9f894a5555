// The worker's one connection to the inspector of the main thread. The interrupts (`interrupt/pause.ts`) and the
// debugger (`debugger_commands.ts`) share it: A pause in V8's Debugger domain is shared by all connections, and one
// connection could resume a pause that another one needs.
//
// V8 runs slower while the domain is enabled. So it is enabled with the first user and disabled with the last.
import { type Debugger, Session } from "node:inspector";

export type Paused = Debugger.PausedEventDataType;
export type Script = Debugger.ScriptParsedEventDataType;

/** A user of the connection. */
export interface InspectorUser {
  /** Whether it pauses so that the user can look at the code. Such pauses are left out of measured times. */
  readonly holdsForUser?: boolean;
  /** The main thread is paused. @returns whether this user takes the pause, and will end it */
  paused(params: Paused): boolean;
  resumed(): void;
  scriptParsed?(script: Script): void;
  event?(method: string, params: object): void;
  /** Called when another user begins or ceases to take precedence: this one's settings must not get in its way. */
  yields?(toAnother: boolean): void;
}

/** The commands that end a pause. */
const RESUMING: ReadonlySet<string> = new Set(
  ["resume", "stepInto", "stepOver", "stepOut", "restartFrame"].map((name) => `Debugger.${name}`),
);

type Callback = (error: Error | null, reply?: object) => void;

export class MainThreadInspector {
  readonly #session = new Session();
  /** In the order in which they are offered a pause. */
  readonly #users: InspectorUser[] = [];
  readonly #scripts = new Map<string, Script>();
  #pausedAtMs: number | null = null;
  readonly #pauseEnded: (pausedMs: number) => void;

  /** @param pauseEnded called before the main thread goes on, with the length of a pause for the user */
  constructor(pauseEnded: (pausedMs: number) => void) {
    this.#pauseEnded = pauseEnded;
    this.#session.on("Debugger.scriptParsed", ({ params }) => {
      this.#scripts.set(params.scriptId, params);
      for (const user of this.#users) user.scriptParsed?.(params);
    });
    this.#session.on("Debugger.paused", ({ params }) => this.#paused(params));
    this.#session.on("Debugger.resumed", () => {
      for (const user of [...this.#users]) user.resumed();
    });
    this.#session.on("Debugger.breakpointResolved", ({ method, params }) => {
      for (const user of this.#users) user.event?.(method, params);
    });
  }

  /** @param user if `first`, it is offered pauses before users that connected earlier */
  connect(user: InspectorUser, { first }: { readonly first: boolean }): void {
    if (this.#users.includes(user)) return;
    if (this.#users.length === 0) {
      this.#session.connectToMainThread();
      this.#session.post("Debugger.enable");
    }
    if (first) for (const other of this.#users) other.yields?.(true);
    if (first) this.#users.unshift(user);
    else this.#users.push(user);
  }

  disconnect(user: InspectorUser): void {
    const index = this.#users.indexOf(user);
    if (index < 0) return;
    this.#users.splice(index, 1);
    if (index === 0) this.#users[0]?.yields?.(false);
    if (this.#users.length > 0) return;
    this.#resumes();
    this.#session.disconnect();
    this.#scripts.clear();
  }

  get scripts(): Iterable<Script> {
    return this.#scripts.values();
  }

  /** In call frames, scripts are identified only by number. */
  urlOf(scriptId: string): string {
    return this.#scripts.get(scriptId)?.url ?? "";
  }

  post(method: string, params: object = {}, callback: Callback = () => {}): void {
    if (RESUMING.has(method)) this.#resumes();
    this.#session.post(method, params, callback);
  }

  /** Null if V8 refuses. */
  ask(method: string, params: object): Promise<object | null> {
    return new Promise((resolve) => {
      this.post(method, params, (error, reply) => resolve(error === null ? (reply ?? {}) : null));
    });
  }

  #paused(params: Paused): void {
    const taken = this.#users.find((user) => user.paused(params));
    if (taken === undefined) this.post("Debugger.resume");
    else if (taken.holdsForUser) this.#pausedAtMs ??= performance.now();
  }

  #resumes(): void {
    if (this.#pausedAtMs === null) return;
    this.#pauseEnded(performance.now() - this.#pausedAtMs);
    this.#pausedAtMs = null;
  }
}
