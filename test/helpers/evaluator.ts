// Runs compiled cells as the session does, in V8's REPL mode, with a runtime that records what the cells ask of it.
import type { CompiledEpochLoop, EpochLoopDescription } from "../../lib/contract.ts";
import { Session } from "node:inspector";
import { createRequire } from "node:module";
import { commit, NO_BINDINGS, type Bindings } from "../../kernel/cell/analyze.ts";
import { compile, type Compiled } from "../../kernel/cell/compile.ts";
import { HELPER_NAMES, HELPER_PREFIX, HELPERS, RUNTIME } from "../../kernel/cell/names.ts";
import type { MagicCall } from "../../lib/magics/grammar.ts";

const require = createRequire(import.meta.url);

interface RemoteObject {
  readonly type: string;
  readonly subtype?: string;
  readonly value?: unknown;
  readonly description?: string;
  readonly objectId?: string;
}

interface Evaluation {
  readonly result: RemoteObject;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: RemoteObject };
}

/** A notebook without a kernel: cells by their text, the realm of this process for their names. */
export class Evaluator {
  /** Calls of the runtime in order, as `begin`, `magic memory all`, `import x`. */
  readonly calls: string[] = [];
  readonly stop = new Int32Array(new SharedArrayBuffer(4));
  /** Modules that `import` finds, by specifier; others are imported for real. */
  readonly modules = new Map<string, object>();
  bindings: Bindings = NO_BINDINGS;
  #session = new Session();
  #count = 0;
  readonly #load: (specifier: string, options?: unknown) => Promise<unknown>;
  readonly #loaded = new Map<string, unknown>();

  constructor() {
    this.#session.connect();
    const { calls, stop, modules } = this;
    const loop: CompiledEpochLoop = {
      over: (values) => values,
      begin: () => note("begin"),
      cut: () => note("cut"),
      end: () => note("end"),
      close: () => note("close"),
    };
    const note = (call: string): void => void calls.push(call);
    const load = async (specifier: string, options?: unknown): Promise<unknown> => {
      note(`import ${specifier}${options === undefined ? "" : ` ${JSON.stringify(options)}`}`);
      return modules.get(specifier) ?? (await import(specifier));
    };
    this.#load = load;
    const runtime: Record<string, unknown> = {
      [RUNTIME.stop]: stop,
      [RUNTIME.interrupted]: () => {
        stop[0] = 0;
        throw new Error("interrupted");
      },
      [RUNTIME.cleanup]: () => {},
      [RUNTIME.thrown]: (value: unknown) => value,
      [RUNTIME.await]: (value: unknown) => value,
      [RUNTIME.awaitEach]: (value: unknown) => value,
      [RUNTIME.import]: load,
      [RUNTIME.loadLate]: async (specifier: string, options?: unknown) =>
        void this.#loaded.set(specifier, await load(specifier, options)),
      [RUNTIME.imported]: (specifier: string) => this.#loaded.get(specifier),
      [RUNTIME.epochs]: ({ variable, line }: EpochLoopDescription) => {
        note(`open ${variable} ${line}`);
        return loop;
      },
      [RUNTIME.magic]: async (name: string, { text, body }: MagicCall, code?: () => unknown) => {
        note(["magic", name, text, body].filter(Boolean).join(" "));
        await code?.();
      },
      [RUNTIME.magicEnd]: (value?: unknown) => {
        note("end");
        return value;
      },
      [RUNTIME.meta]: { url: "file:///notebook/" },
      ...Object.fromEntries(HELPER_NAMES.map((name) => [HELPER_PREFIX + name, require(HELPERS + name)])),
      require,
      note,
      /** Acts as if the user pressed Stop at this point of the cell. */
      pressStop: () => void (stop[0] = 1),
    };
    for (const [name, value] of Object.entries(runtime)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  }

  compile(text: string): Compiled {
    this.#count += 1;
    return compile(text, this.bindings, { script: String(this.#count), flush: true });
  }

  /** The value of a cell; a class or function as its source. Throws what the cell throws, with V8's stack. */
  async run(text: string): Promise<unknown> {
    const compiled = this.compile(text);
    for (const { specifier, options } of compiled.imports)
      this.#loaded.set(specifier, await this.#load(specifier, options));
    const { result, exceptionDetails } = await this.evaluate(compiled.code);
    if (exceptionDetails) throw this.#thrown(exceptionDetails);
    const names = new Set(compiled.declared.map(({ runtimeName }) => runtimeName));
    this.bindings = commit(this.bindings, compiled.declared, names);
    return result.type === "function" ? result.description : this.#valueOf(result);
  }

  evaluate(expression: string): Promise<Evaluation> {
    return this.#post<Evaluation>("Runtime.evaluate", { expression, replMode: true, awaitPromise: true });
  }

  close(): void {
    this.#session.disconnect();
  }

  async #valueOf({ objectId, value }: RemoteObject): Promise<unknown> {
    if (objectId === undefined) return value;
    const called = await this.#post<Evaluation>("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: "function () { return this; }",
      returnByValue: true,
    });
    return called.result.value;
  }

  #thrown({ text, exception }: NonNullable<Evaluation["exceptionDetails"]>): Error {
    const stack = exception?.description ?? String(exception?.value ?? text);
    return Object.assign(new Error(stack.split("\n")[0]), { stack });
  }

  #post<Result>(method: string, parameters: object): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, parameters, (error, result) => {
        if (error) reject(error);
        else resolve(result as Result);
      });
    });
  }
}
