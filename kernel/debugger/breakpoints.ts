// Keeps a client's breakpoints by source and line, and the V8 breakpoints that implement them. These are set by URL
// before a script is evaluated, and anew for each run of a cell.
import { setTimeout as sleep } from "node:timers/promises";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { RUNTIME } from "../cell/names.ts";
import type { AskInspector, ScriptPosition } from "./inspector.ts";
import type { ScriptMap } from "./script_map.ts";
import { isAtTopLevel } from "./statements.ts";
import { isCellPath, type Sources, urlOfSource } from "./sources.ts";

/** How long a reply to a client waits for V8. */
const MAX_WAIT_MS = 500;

/** With this V8 pauses before it runs a script that has a source map: the script's breakpoints can only be set then. */
const BEFORE_MAPPED_SCRIPT = { instrumentation: "beforeScriptWithSourceMapExecution" };

/** A breakpoint as the client has set it, and where the code allows one. */
interface Breakpoint {
  readonly id: number;
  readonly wanted: DebugProtocol.SourceBreakpoint;
  readonly line: number;
  readonly verified: boolean;
  readonly message?: string;
  /** The condition as V8 evaluates it; empty if there is none. */
  readonly condition: string;
}

export interface BreakpointParts {
  readonly ask: AskInspector;
  readonly sources: Sources;
  /** The source map of a cell that has not run yet. @throws Error that says what does not parse */
  readonly compile: (text: string) => ScriptMap;
  /** Compiles a TypeScript expression to JavaScript. @throws Error that says what does not parse */
  readonly lower: (expression: string) => string;
}

export class Breakpoints {
  readonly #parts: BreakpointParts;
  readonly #bySource = new Map<string, readonly Breakpoint[]>();
  /** V8's ids, by source. */
  readonly #installed = new Map<string, string[]>();
  /** V8's id of the pause before scripts with source maps. */
  #beforeMapped: string | null = null;
  /** The commands to V8, one after the other. They wait while the main thread is in a native call. */
  #work: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(parts: BreakpointParts) {
    this.#parts = parts;
  }

  /** The breakpoints in the form in which `debugInfo` lists them. */
  list(): { source: string; breakpoints: object[] }[] {
    return [...this.#bySource]
      .filter(([, breakpoints]) => breakpoints.length > 0)
      .map(([source, breakpoints]) => ({
        source,
        breakpoints: breakpoints.map(({ line, wanted }) => ({ ...wanted, line })),
      }));
  }

  /** Replaces all breakpoints of a source. */
  async set(
    source: string,
    wanted: readonly DebugProtocol.SourceBreakpoint[],
  ): Promise<DebugProtocol.Breakpoint[]> {
    const breakpoints: Breakpoint[] = [];
    for (const one of wanted) breakpoints.push(await this.#resolve(source, one));
    if (breakpoints.length > 0) this.#bySource.set(source, breakpoints);
    else this.#bySource.delete(source);
    this.#enqueue(() => this.#reinstall(source));
    // A client that resumes the code next expects the breakpoints to be set. But V8 does not answer during a native
    // call, so the wait is limited.
    await Promise.race([this.#work, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return breakpoints.map(({ id, line, verified, message }) => ({
      id,
      line,
      verified,
      source: { path: source },
      ...(message === undefined ? {} : { message }),
    }));
  }

  clear(): void {
    this.#bySource.clear();
    this.#forgetInstalled();
  }

  /**
   * V8 has lost all breakpoints, because the session is a new one or the client has attached again: they are set anew.
   */
  restore(): void {
    this.#forgetInstalled();
    for (const source of this.#bySource.keys()) this.#enqueue(() => this.#reinstall(source));
  }

  /** A cell is about to be evaluated. Resolves when V8 has its breakpoints. */
  async beforeCell(url: string, source: string): Promise<void> {
    if (this.#bySource.has(source)) this.#enqueue(() => this.#install(source, { url }));
    await this.#work;
  }

  /** A file has been loaded: the breakpoints of the sources that it was compiled from can be set now. */
  loaded(url: string): void {
    const files = [...this.#bySource.keys()].filter((source) => !isCellPath(source));
    if (files.length === 0) return;
    this.#enqueue(async () => {
      const map = await this.#parts.sources.mapOf(url);
      for (const source of files)
        if (map?.sources.includes(urlOfSource(source))) await this.#install(source, { url });
    });
  }

  /** Resolves when V8 has the breakpoints of every script that has been loaded. */
  async installed(): Promise<void> {
    await this.#work;
  }

  #forgetInstalled(): void {
    this.#installed.clear();
    this.#beforeMapped = null;
  }

  /** Sets V8's pause only while there are breakpoints in files, because it pauses for every script. */
  async #pauseBeforeMapped(): Promise<void> {
    const { ask } = this.#parts;
    const isNeeded = [...this.#bySource.keys()].some((source) => !isCellPath(source));
    if (isNeeded === (this.#beforeMapped !== null)) return;
    if (this.#beforeMapped !== null) {
      await ask("Debugger.removeBreakpoint", { breakpointId: this.#beforeMapped });
      this.#beforeMapped = null;
    } else {
      const method = "Debugger.setInstrumentationBreakpoint";
      const { breakpointId } = await ask<{ breakpointId: string }>(method, BEFORE_MAPPED_SCRIPT);
      this.#beforeMapped = breakpointId;
    }
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(() => {}); // The session has ended: `restore` follows.
  }

  async #resolve(source: string, wanted: DebugProtocol.SourceBreakpoint): Promise<Breakpoint> {
    const id = ++this.#count;
    const refused = (message: string): Breakpoint => ({
      id,
      wanted,
      line: wanted.line,
      verified: false,
      message,
      condition: "",
    });
    try {
      const condition = conditionOf(id, wanted, this.#parts.lower);
      const map = await this.#mapAt(source);
      if (map === null) return { id, wanted, line: wanted.line, verified: true, condition };
      const place = map.breakable(sourceIn(map, source), wanted.line);
      if (place === null) return refused(`There is no code at line ${wanted.line} or below it.`);
      return { id, wanted, line: place.line, verified: true, condition };
    } catch (error) {
      return refused((error as Error).message);
    }
  }

  /** The map of one of the source's scripts; null for a JavaScript file, and for a source without a known script. */
  async #mapAt(source: string): Promise<ScriptMap | null> {
    const { sources, compile } = this.#parts;
    if (isCellPath(source)) {
      const ran = sources.cellsAt(source).at(-1);
      if (ran !== undefined) return await sources.mapOf(ran.url);
      const text = await sources.textAt(source);
      return text === null ? null : compile(text);
    }
    const own = await sources.mapOf(urlOfSource(source));
    if (own !== null) return own;
    for (const { url } of sources.files) {
      const map = await sources.mapOf(url);
      if (map?.sources.includes(urlOfSource(source))) return map;
    }
    return null;
  }

  async #reinstall(source: string): Promise<void> {
    const { ask, sources } = this.#parts;
    for (const breakpointId of this.#installed.get(source) ?? [])
      await ask("Debugger.removeBreakpoint", { breakpointId });
    this.#installed.delete(source);
    await this.#pauseBeforeMapped();
    if (!this.#bySource.has(source)) return;
    if (isCellPath(source)) {
      for (const { url } of sources.cellsAt(source)) await this.#install(source, { url });
      return;
    }
    // A file has another URL each time it is loaded.
    const own = urlOfSource(source);
    await this.#install(source, { urlRegex: `^${escaped(own)}(?:\\?.*)?$` }, own);
    for (const { url } of sources.files) {
      const map = url.startsWith(own) ? null : await sources.mapOf(url);
      if (map?.sources.includes(own)) await this.#install(source, { url });
    }
  }

  async #install(
    source: string,
    script: { url: string } | { urlRegex: string },
    own?: string,
  ): Promise<void> {
    const { ask, sources } = this.#parts;
    const map = await sources.mapOf(own ?? ("url" in script ? script.url : ""));
    for (const { line, verified, condition } of this.#bySource.get(source) ?? []) {
      if (!verified) continue;
      const at: ScriptPosition | undefined =
        map === null
          ? { lineNumber: line - 1, columnNumber: 0 }
          : map.breakable(sourceIn(map, source), line)?.at;
      if (at === undefined) continue;
      try {
        const params = {
          ...script,
          ...at,
          condition: isCellPath(source) ? conditionAt(condition, map, at) : condition,
        };
        const { breakpointId } = await ask<{ breakpointId: string }>("Debugger.setBreakpointByUrl", params);
        this.#installed.set(source, [...(this.#installed.get(source) ?? []), breakpointId]);
      } catch (error) {
        // The same code may be the first of two lines.
        if (!/already exists/.test((error as Error).message)) throw error;
      }
    }
  }
}

/**
 * V8 evaluates a condition in the frame in which it would pause. At the top level of a cell that declares its names
 * again, V8 13 (Node 24) finds none of them there, and takes the condition as false.
 */
function conditionAt(condition: string, map: ScriptMap | null, at: ScriptPosition): string {
  const isGlobal = condition !== "" && map !== null && isAtTopLevel(map.code, map.offsetOf(at));
  return isGlobal ? `(0, eval)(${JSON.stringify(condition)})` : condition;
}

/** The name of a source in its map. The map of a cell has only one source. */
function sourceIn(map: ScriptMap, source: string): string {
  return isCellPath(source) ? (map.sources[0] ?? "") : urlOfSource(source);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** `5` means the fifth hit; `>= 5` and `% 5` mean what they say. */
const HIT_CONDITION = /^\s*(?<operator>[<>]=?|==?=?|%)?\s*(?<count>\d+)\s*$/;

function conditionOf(
  id: number,
  { condition, hitCondition, logMessage }: DebugProtocol.SourceBreakpoint,
  lower: (expression: string) => string,
): string {
  const parts: string[] = [];
  if (condition?.trim()) parts.push(`(${lower(condition)})`);
  if (hitCondition?.trim()) parts.push(hitTest(id, hitCondition));
  if (logMessage?.trim()) parts.push(`${RUNTIME.debugger}.log(() => ${template(logMessage, lower)})`);
  return parts.length === 0 ? "" : `${RUNTIME.debugger}.holds(() => ${parts.join(" && ")})`;
}

function hitTest(id: number, text: string): string {
  const match = HIT_CONDITION.exec(text);
  if (match === null)
    throw new Error(
      `${JSON.stringify(text)} is no hit count: write a number, as 5, or a comparison, as >= 5 or % 5.`,
    );
  const { operator = "==", count } = match.groups as { operator?: string; count: string };
  const hits = `${RUNTIME.debugger}.hit("${id}")`;
  if (operator === "%") return `${hits} % ${count} === 0`;
  return `${hits} ${operator === "=" ? "==" : operator} ${count}`;
}

/** `loss {loss.item()}` -> a JavaScript template literal. */
function template(message: string, lower: (expression: string) => string): string {
  const parts = message.split(/\{([^{}]*)\}/);
  const texts = parts.map((part, index) =>
    index % 2 === 0 ? part.replace(/[`\\$]/g, "\\$&") : `\${${lower(part)}}`,
  );
  return `\`${texts.join("")}\``;
}
