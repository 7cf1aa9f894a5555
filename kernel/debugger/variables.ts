// Variables as a client sees them: scopes of a frame, what is inside a value, the value of an expression. The session
// describes values (`shown_values.ts`); this file keeps the references with which a client asks for more.
import type { Runtime } from "node:inspector";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { RESERVED_PREFIX, RUNTIME, userName } from "../cell/names.ts";
import type { NotebookName } from "../session/channel.ts";
import type { ShownFrame } from "./frames.ts";
import { type AskInspector, type CallFrame, FAILURE_GROUP } from "./inspector.ts";
import { DebuggerRefusal } from "./protocol.ts";

/** A variable in the session's description. */
interface Shown {
  readonly name: string;
  readonly access: string | null;
  readonly value: string;
  readonly type: string;
  readonly expandable: boolean;
}

/** The names of one scope, and the frame in which they are read; the frame is null for the notebook's variables. */
interface ScopeVariables {
  readonly kind: "scope";
  readonly frame: ShownFrame | null;
  readonly names: () => Promise<readonly ScopeName[]>;
}

interface ScopeName {
  readonly name: string;
  readonly runtimeName: string;
  /** The type as TypeScript writes it, if it is known. */
  readonly type?: string | null;
}

/** What is inside a value. */
interface ValueParts {
  readonly kind: "value";
  /** The number under which the session holds the value. */
  readonly find: () => Promise<number>;
  readonly expression: string | null;
}

/** The types of V8's scopes that belong to the function itself. */
const LOCAL_SCOPES: ReadonlySet<string> = new Set(["local", "block", "catch", "with", "eval"]);

export interface VariableParts {
  readonly ask: AskInspector;
  /** What the cells have declared. */
  readonly names: () => Promise<readonly NotebookName[]>;
  /** Names of a frame that have no value yet. */
  readonly undeclared: (frame: ShownFrame) => Promise<ReadonlySet<string>>;
  /** The innermost frame of a pause; null while the code runs. */
  readonly pausedAt: () => CallFrame | null;
  /** The names that a running cell declares. */
  readonly declaredBy: (url: string) => readonly string[];
}

export class Variables {
  readonly #parts: VariableParts;
  /** Whether a client gets the types of variables. JupyterLab's tree shows the type instead of the value. */
  withTypes = true;
  readonly #references = new Map<number, ScopeVariables | ValueParts>();
  #count = 0;
  /** Whether the session holds values for the debugger. */
  #holds = false;

  constructor(parts: VariableParts) {
    this.#parts = parts;
  }

  /** What the client has inspected is out of date: lets the session release the values. */
  async forget(): Promise<void> {
    this.#references.clear();
    if (!this.#holds) return;
    this.#holds = false;
    await this.#look("forgetHeld").catch(() => {}); // The session has ended.
  }

  scopes(frame: ShownFrame): DebugProtocol.Scope[] {
    const scopes: DebugProtocol.Scope[] = [];
    const add = (name: string, names: ScopeVariables["names"], expensive: boolean): void => {
      const variablesReference = this.#refer({ kind: "scope", frame, names });
      scopes.push({ name, variablesReference, expensive });
    };
    const chain = frame.callFrame?.scopeChain ?? [];
    const objectsOf = (wanted: (type: string) => boolean): string[] =>
      chain.filter(({ type }) => wanted(type)).map(({ object }) => object.objectId ?? "");
    const locals = objectsOf((type) => LOCAL_SCOPES.has(type));
    const isTopLevel = !chain.some(({ type }) => type === "local");
    add("Locals", async () => this.#locals(locals, isTopLevel ? frame : null), false);
    for (const [type, name] of [
      ["closure", "Closure"],
      ["module", "Module"],
    ] as const) {
      const objects = objectsOf((one) => one === type);
      if (objects.length > 0) add(name, async () => await this.#namesIn(objects), false);
    }
    add("Globals", async () => await this.#notebookNames(frame), false);
    return scopes;
  }

  /** A reference to the variables of the notebook. */
  async notebookVariables(): Promise<DebugProtocol.Variable[]> {
    return await this.#list({
      kind: "scope",
      frame: null,
      names: async () => await this.#notebookNames(null),
    });
  }

  async variables(reference: number): Promise<DebugProtocol.Variable[]> {
    if (reference === 0) return [];
    const referred = this.#references.get(reference);
    if (referred === undefined)
      throw new DebuggerRefusal("The variables are out of date: the code has gone on since.");
    if (referred.kind === "scope") return await this.#list(referred);
    const number = await referred.find();
    const parts = await this.#look<Shown[]>("parts", number);
    return parts.map((part, index) => {
      const expression =
        referred.expression === null || part.access === null ? null : referred.expression + part.access;
      const find = async (): Promise<number> => await this.#look("holdPart", number, index);
      return this.#variable(part, expression, find);
    });
  }

  /**
   * The value of an expression, in a frame or among the notebook's variables.
   *
   * @param work a function that computes it
   * @throws DebuggerRefusal with what it throws
   */
  async evaluate(work: string, frame: ShownFrame | null): Promise<DebugProtocol.EvaluateResponse["body"]> {
    const number = await this.#hold(work, frame);
    const find = async (): Promise<number> => number;
    const shown = await this.#look<Shown>("describe", number);
    const variablesReference = shown.expandable ? this.#refer({ kind: "value", find, expression: null }) : 0;
    return { result: shown.value, type: shown.type, variablesReference };
  }

  /** The bundle of the value that a function computes. */
  async rich(work: string, frame: ShownFrame | null): Promise<object> {
    return await this.#look("rich", await this.#hold(work, frame));
  }

  /** Makes the session keep a frame's variables for `%debug`. */
  async keep(frame: ShownFrame, place: object): Promise<void> {
    const chain = frame.callFrame?.scopeChain ?? [];
    const objects = chain
      .filter(({ type }) => LOCAL_SCOPES.has(type) || type === "closure")
      .map(({ object }) => object.objectId ?? "");
    const isTopLevel = !chain.some(({ type }) => type === "local");
    const undeclared = await this.#parts.undeclared(frame);
    const names = (await this.#locals(objects, isTopLevel ? frame : null)).filter(
      ({ name }) => !undeclared.has(name),
    );
    const readers = frame.callFrame === null ? "null" : `[${names.map(reader).join(", ")}]`;
    const expression = `${RUNTIME.debugger}.keepFrame(${JSON.stringify(place)}, ${readers})`;
    await this.#evaluate(expression, frame.callFrame === null ? null : frame);
  }

  /** All frames of this error have been kept. */
  async keepThrow(failure: string): Promise<void> {
    await this.#evaluate(`${RUNTIME.debugger}.keepThrow(${JSON.stringify(failure)})`, null);
  }

  async forgetKept(): Promise<void> {
    await this.#evaluate(`${RUNTIME.debugger}.forgetThrow()`, null);
  }

  /**
   * The names that code in the frame may use, nearest scope first. The running cell's own names come last, because
   * their types are known only when it has ended.
   */
  async namesAt(frame: ShownFrame): Promise<string[]> {
    const objects = (frame.callFrame?.scopeChain ?? [])
      .filter(({ type }) => LOCAL_SCOPES.has(type) || type === "closure" || type === "module")
      .map(({ object }) => object.objectId ?? "");
    return (await this.#locals(objects, frame)).map(({ name }) => name);
  }

  /** The session's description of a value, for an editor. Null if there is no such variable. */
  async inspect(
    name: string,
    frame: ShownFrame,
    keys: readonly (string | number)[],
    about: string,
  ): Promise<unknown> {
    try {
      const expression = `${RUNTIME.debugger}.inspect(${name}, ${JSON.stringify(keys)}, ${JSON.stringify(about)})`;
      return JSON.parse(String((await this.#evaluate(expression, frame)).value)) as unknown;
    } catch {
      return null;
    }
  }

  #refer(referred: ScopeVariables | ValueParts): number {
    this.#references.set(++this.#count, referred);
    return this.#count;
  }

  async #list({ frame, names }: ScopeVariables): Promise<DebugProtocol.Variable[]> {
    const wanted = await names();
    const expression = `${RUNTIME.debugger}.list([${wanted.map(reader).join(", ")}])`;
    const shown = JSON.parse(String((await this.#evaluate(expression, frame)).value)) as Shown[];
    const undeclared = frame === null ? new Set() : await this.#parts.undeclared(frame);
    return shown.map((one, index) => {
      if (one.value === "undefined" && undeclared.has(one.name)) return notInitialised(one.name);
      const { runtimeName, type } = wanted[index] as ScopeName;
      const find = async (): Promise<number> => await this.#hold(`() => ${runtimeName}`, frame);
      return this.#variable({ ...one, type: one.type || (type ?? "") }, one.name, find);
    });
  }

  #variable(
    { name, value, type, expandable }: Shown,
    expression: string | null,
    find: ValueParts["find"],
  ): DebugProtocol.Variable {
    const variablesReference = expandable ? this.#refer({ kind: "value", find, expression }) : 0;
    const variable = { name, value, variablesReference, evaluateName: expression ?? name };
    return this.withTypes ? { ...variable, type } : variable;
  }

  /** At the top level of a cell, readers expect the names that the cell declares among the locals. */
  async #locals(objects: readonly string[], topLevel: ShownFrame | null): Promise<ScopeName[]> {
    const names = await this.#namesIn(objects);
    if (topLevel === null) return names;
    const declared = this.#parts.declaredBy(topLevel.url).map(named);
    return [...names, ...declared.filter(({ name }) => !names.some((one) => one.name === name))];
  }

  /** Each name once: a name in an inner scope hides the same name in an outer one. */
  async #namesIn(objects: readonly string[]): Promise<ScopeName[]> {
    const names = new Map<string, ScopeName>();
    for (const objectId of objects) {
      const { result } = await this.#parts.ask<{ result: { name: string }[] }>("Runtime.getProperties", {
        objectId,
        ownProperties: true,
      });
      for (const { name } of result)
        if (isShown(name) && !names.has(name)) names.set(name, { name, runtimeName: name });
    }
    return [...names.values()];
  }

  async #notebookNames(frame: ShownFrame | null): Promise<ScopeName[]> {
    const names = new Map<string, ScopeName>();
    for (const { name, runtimeName, kind, type } of await this.#parts.names())
      if (kind !== "import") names.set(name, { name, runtimeName, type });
    for (const runtimeName of frame === null ? [] : this.#parts.declaredBy(frame.url)) {
      const declared = named(runtimeName);
      if (!names.has(declared.name)) names.set(declared.name, declared);
    }
    return [...names.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The number of the value that the work computes. */
  async #hold(work: string, frame: ShownFrame | null): Promise<number> {
    this.#holds = true;
    return Number((await this.#evaluate(`${RUNTIME.debugger}.hold(${work})`, frame)).value);
  }

  /** Calls one of the session's functions for the debugger, and parses its answer. */
  async #look<Result>(
    name: "describe" | "parts" | "rich" | "holdPart" | "forgetHeld",
    ...numbers: number[]
  ): Promise<Result> {
    const expression = `${RUNTIME.debugger}.${name}(${numbers.join(", ")})`;
    return JSON.parse(String((await this.#evaluate(expression, null)).value ?? null)) as Result;
  }

  /** Evaluates in the frame, or without one among the notebook's variables. */
  async #evaluate(expression: string, frame: ShownFrame | null): Promise<Runtime.RemoteObject> {
    const { ask, pausedAt } = this.#parts;
    if (frame !== null && frame.callFrame === null)
      throw new DebuggerRefusal("The frame awaits: its variables cannot be read before it goes on.");
    const scope = frame?.callFrame && hasScopes(frame.callFrame) ? frame.callFrame : null;
    const at = scope ?? pausedAt();
    const given = { silent: true, objectGroup: FAILURE_GROUP };
    // While the code is paused, V8 can stop an evaluation only if it runs in a frame.
    const { result, exceptionDetails } = await (at === null
      ? ask<Runtime.EvaluateReturnType>("Runtime.evaluate", { ...given, expression })
      : ask<Runtime.EvaluateReturnType>("Debugger.evaluateOnCallFrame", {
          ...given,
          expression: scope === null ? `(0, eval)(${JSON.stringify(expression)})` : expression,
          callFrameId: at.callFrameId,
        }));
    if (exceptionDetails === undefined) return result;
    await ask("Runtime.releaseObjectGroup", { objectGroup: FAILURE_GROUP });
    throw new DebuggerRefusal(wordsOf(exceptionDetails));
  }
}

const reader = ({ name, runtimeName }: ScopeName): string =>
  `[${JSON.stringify(name)}, () => ${runtimeName}]`;

/**
 * Whether the frame has variables besides the notebook's. If it has none, as at the top level of a cell, code is
 * evaluated without the frame: in a cell that declares its names again, V8 13 (Node 24) finds none of them there.
 */
const hasScopes = ({ scopeChain }: CallFrame): boolean =>
  scopeChain.some(({ type }) => type !== "script" && type !== "global");

/** The first line of what was thrown. */
const wordsOf = ({ exception, text }: Runtime.ExceptionDetails): string =>
  exception?.description?.split("\n")[0] ?? String(exception?.value ?? text);

const notInitialised = (name: string): DebugProtocol.Variable => ({
  name,
  value: "not initialised",
  variablesReference: 0,
  evaluateName: name,
});

const named = (runtimeName: string): ScopeName => ({ name: userName(runtimeName), runtimeName });

/** Leaves out the runtime's own variables, and names that are no identifiers. */
const isShown = (name: string): boolean =>
  !name.startsWith(RESERVED_PREFIX) && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
