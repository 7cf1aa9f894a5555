// Connects the debugger to the cells: which scripts ran, the notebook's names, and what is declared while code is paused.
// The debugger itself is loaded with the first question to it.
import { type Bindings, NO_BINDINGS } from "../cell/analyze.ts";
import type { Compiled } from "../cell/compile.ts";
import { listVariables, richVariable, type VariableSources } from "../editor/variables.ts";
import type { Debugger } from "../debugger/debugger.ts";
import type { CellScript } from "../debugger/sources.ts";
import type { Outputs } from "../iopub/outputs.ts";
import type { Header, Json } from "../protocol/messages.ts";
import type { FromSession, Inspection, Question } from "../session/channel.ts";
import type { Session } from "../session/supervisor.ts";
import type { KernelDependencies } from "./dependencies.ts";

export interface CellDebuggerParts {
  readonly session: Session;
  readonly compile: KernelDependencies["compile"];
  readonly outputs: Outputs;
  readonly sources: () => VariableSources;
  readonly bindings: () => Bindings;
  /** The debugger has declared a variable, without a cell. */
  readonly declared: (compiled: Compiled) => void;
}

/** How many cells' scripts are remembered for a debugger that is started later. */
const MAX_REMEMBERED = 300;

export class CellDebugger {
  readonly #parts: CellDebuggerParts;
  /** Cells that ran before the first question. */
  readonly #remembered: CellScript[] = [];
  #loading: Promise<Debugger> | null = null;
  #debugger: Debugger | null = null;
  /** The header of the client's last request, which is the parent of events. */
  #header: Header | null = null;

  constructor(parts: CellDebuggerParts) {
    this.#parts = parts;
  }

  /** Returns the content of a `debug_reply`. */
  async answer(content: Json, header: Header): Promise<Json> {
    this.#header = header;
    const loaded = await (this.#loading ??= this.#load());
    return await loaded.answer(content);
  }

  /**
   * Called with every cell before the session evaluates it. Resolves when its breakpoints are set.
   *
   * @param text the cell as the client has sent it, by which its breakpoints are found
   * @param pdb whether the state at an error is kept for `%debug`
   */
  async cellStarts(
    { url, code, map, declared }: Compiled,
    text: string,
    count: number,
    pdb: boolean,
  ): Promise<void> {
    if (pdb) await (this.#loading ??= this.#load());
    await this.#debugger?.keepThrows(pdb);
    const values = declared.filter(({ kind, typeOnly }) => !typeOnly && kind !== "import");
    const declares = values.map(({ runtimeName }) => runtimeName);
    const script = { url, code, map, text, title: `Cell [${count}]`, declares };
    if (this.#debugger !== null) return await this.#debugger.cellStarts(script);
    this.#remembered.push(script);
    if (this.#remembered.length > MAX_REMEMBERED) this.#remembered.shift();
  }

  cellEnded(): void {
    this.#debugger?.cellEnded();
  }

  sessionEnded(): void {
    this.#remembered.length = 0;
    this.#debugger?.sessionEnded();
  }

  event({ method, params }: Extract<FromSession, { type: "debuggerEvent" }>): void {
    this.#debugger?.event(method, params);
  }

  /** Answers an editor while code is paused; null if none is, or if nothing is known of the name there. */
  async inspect(question: Question): Promise<Inspection | null> {
    return this.#debugger?.isPaused ? await this.#debugger.inspect(question) : null;
  }

  async #load(): Promise<Debugger> {
    const [{ Debugger }, { ScriptMap }, { lowerExpression, lowerWork }] = await Promise.all([
      import("../debugger/debugger.ts"),
      import("../debugger/script_map.ts"),
      import("../cell/transform/expression.ts"),
    ]);
    const { session, compile, outputs, sources } = this.#parts;
    const loaded = new Debugger({
      ask: async <Result>(method: string, params?: object) => (await session.debug(method, params)) as Result,
      publish: (event) => outputs.debugEvent(this.#header, event),
      names: () => sources().names(),
      listVariables: () => listVariables(sources()),
      richVariable: (name) => richVariable(name, sources()),
      lower: lowerExpression,
      lowerWork,
      compile: (text) => {
        const { code, map } = compile(text, NO_BINDINGS, { script: "debugger", flush: false });
        return new ScriptMap(code, map);
      },
      declare: (name) => this.#declare(name),
    });
    for (const script of this.#remembered.splice(0)) await loaded.cellStarts(script);
    this.#debugger = loaded;
    return loaded;
  }

  /** Declares a variable with type `any`, because the type of a function's own variable is not known. */
  #declare(name: string): string {
    const { compile, bindings, declared } = this.#parts;
    const compiled = compile(`let ${name}: any;`, bindings(), { script: "debugger", flush: false });
    declared(compiled);
    return compiled.declared[0]?.runtimeName ?? name;
  }
}
