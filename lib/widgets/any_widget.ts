// A widget with its own front end, in anywidget's format: a cell and every open page share its state over Jupyter's
// widget protocol 2.1.
import { inspect } from "node:util";
import { bindHandler, later } from "../comms/handlers.ts";
import { type Comm, openComm, pollComms } from "../comms/comms.ts";
import type { CommData, CommMessage, CommOptions } from "../comms/transport.ts";
import { DISPLAY, type MimeBundle } from "../display.ts";
import { requireJson } from "../json.ts";
import { UpdatePace } from "./update_pace.ts";
import { joinState, splitState } from "./binary_state.ts";

export interface AnyWidgetOptions<State extends object> {
  /** An ES module: `export default { render({ model, el }) { ... } }`, or the URL of one. See anywidget.dev. */
  readonly esm: string;
  /** Style sheet for `esm`'s elements. Default: none. */
  readonly css?: string;
  /**
   * The state that the page and the cell share: JSON values, and bytes anywhere in them (typed arrays; from the page
   * they come as `Uint8Array`). As in JSON, `NaN` and infinities arrive as `null`.
   */
  readonly state: State;
  /**
   * Checks of values from the page, by attribute: whether the value may be taken. A refused value is undone in the
   * page. Default: none.
   */
  readonly accepts?: { readonly [Key in keyof State]?: (value: unknown) => boolean };
}

type Changes<State> = { readonly [Key in keyof State]?: State[Key] };
type ChangeHandler = (value: unknown, previous: unknown) => unknown;
type MessageHandler = (content: unknown, buffers: readonly Uint8Array[]) => unknown;

/** The versions of anywidget's front end that speak as this file does. */
const ANYWIDGET = { module: "anywidget", version: "~0.11.*" };
const PROTOCOL_VERSION = "2.1.0";
const VIEW_MIME = "application/vnd.jupyter.widget-view+json";

/**
 * A value of the page is there as soon as the cell asks for it, in a synchronous loop too. Handlers run at awaits, at
 * the ends of epochs and between cells.
 *
 * @example
 * const counter = new AnyWidget({
 *   esm: `export default { render({ model, el }) {
 *     el.textContent = model.get("count");
 *     el.onclick = () => { model.set("count", model.get("count") + 1); model.save_changes(); };
 *     model.on("change:count", () => (el.textContent = model.get("count")));
 *   } }`,
 *   state: { count: 0 },
 * });
 * counter.on("change:count", (count) => console.log(count));
 * counter
 */
export class AnyWidget<State extends object = Record<string, unknown>> {
  readonly #comm: Comm;
  readonly #state: Record<string, unknown>;
  readonly #accepts: Readonly<Record<string, ((value: unknown) => boolean) | undefined>>;
  readonly #changeHandlers = new Map<string, Set<ChangeHandler>>();
  readonly #messageHandlers = new Set<MessageHandler>();
  /** Changes that handlers have not received yet: attributes with the value that they last saw. */
  readonly #changed = new Map<string, unknown>();
  readonly #pace = new UpdatePace((names) => this.#sendState(names));

  /** @throws TypeError for a state that cannot travel */
  constructor(options: AnyWidgetOptions<State>) {
    if (typeof options !== "object" || options === null || !("esm" in options))
      throw new TypeError(`A widget is made of { esm, state }, not of ${inspect(options)}.`);
    const { esm, css = "", state, accepts = {}, ...others } = options;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      throw new TypeError(`A widget has no option ${unknown}; it has esm, css, state and accepts.`);
    if (Object.prototype.toString.call(accepts) !== "[object Object]")
      throw new TypeError(`accepts of a widget is an object of functions, not ${inspect(accepts)}.`);
    if (typeof esm !== "string" || esm.trim() === "" || typeof css !== "string") {
      throw new TypeError(
        `A widget needs esm, the text of an ES module, and may have css, the text of a style sheet, not ${inspect(esm)} and ${inspect(css)}.`,
      );
    }
    if (typeof state !== "object" || state === null || Array.isArray(state) || "toJSON" in state) {
      throw new TypeError(`The state of a widget is an object such as { count: 0 }, not ${inspect(state)}.`);
    }
    const reserved = Object.keys(state).find((name) => name.startsWith("_"));
    if (reserved !== undefined) {
      throw new TypeError(
        `state.${reserved}: names with a leading underscore are the widget protocol's own.`,
      );
    }
    this.#state = { ...(state as Record<string, unknown>) };
    this.#accepts = accepts as Readonly<Record<string, (value: unknown) => boolean>>;
    const { state: json, paths, buffers } = splitState(this.#state);
    const data = {
      state: { ...protocolState(esm, css, this.constructor.name), ...json },
      buffer_paths: paths,
    };
    this.#comm = openComm("jupyter.widget", data, {
      metadata: { version: PROTOCOL_VERSION },
      buffers,
      arrived: (message) => this.#arrived(message),
    });
  }

  /** The present value, as the cell or a page has last set it. */
  get<Key extends keyof State & string>(name: Key): State[Key] {
    pollComms();
    return this.#state[this.#known(name)] as State[Key];
  }

  /**
   * Sets attributes here and in every page. Of changes in quick succession pages see 30 a second, and always the last.
   *
   * @throws RangeError for an attribute that the widget does not have; TypeError for a value that cannot travel
   */
  set<Key extends keyof State & string>(name: Key, value: State[Key]): void;
  set(changes: Changes<State>): void;
  set(nameOrChanges: string | Changes<State>, value?: unknown): void {
    const isRecord = Object.prototype.toString.call(nameOrChanges) === "[object Object]";
    if (typeof nameOrChanges !== "string" && !isRecord)
      throw new TypeError(
        `widget.set takes an attribute and its value, or several as { count: 2 }, not ${inspect(nameOrChanges)}.`,
      );
    const changes = typeof nameOrChanges === "string" ? { [nameOrChanges]: value } : { ...nameOrChanges };
    splitState(changes);
    for (const name of Object.keys(changes)) this.#known(name);
    // Earlier changes from pages are read first, so that changes keep their order.
    pollComms();
    this.#pace.changed(this.#apply(changes));
  }

  /**
   * `change:lr` calls with the new value and the one before, `change` with all that changed at once. Several changes
   * before the handler can run are one.
   *
   * @returns a function that takes the handler away again
   */
  on<Key extends keyof State & string>(
    event: `change:${Key}`,
    handler: (value: State[Key], previous: State[Key]) => unknown,
  ): () => void;
  on(event: "change", handler: (changes: Changes<State>) => unknown): () => void;
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads say what each event's handler takes
  on(event: string, handler: (...values: any[]) => unknown): () => void {
    if (typeof handler !== "function") {
      throw new TypeError(`widget.on takes a function, not ${inspect(handler, { depth: 0 })}.`);
    }
    const name = /^change(?::(.+))?$/.exec(String(event));
    if (name === null) {
      throw new RangeError(
        `There is no event ${inspect(event)}: use "change", or "change:" and an attribute.`,
      );
    }
    const key = name[1] === undefined ? "" : this.#known(name[1]);
    const handlers = this.#changeHandlers.get(key) ?? new Set();
    this.#changeHandlers.set(key, handlers);
    return register(handlers, bindHandler(handler));
  }

  /**
   * A message to the page's `model.on("msg:custom", (content, buffers) => ...)`.
   *
   * @throws TypeError for content that JSON cannot hold
   */
  send(content: unknown, buffers: CommOptions["buffers"] = []): void {
    requireJson(content, "content");
    this.#pace.flush();
    this.#comm.send({ method: "custom", content }, { buffers });
  }

  /** Calls `handler` with what the page's `model.send(content)` sends. Returns a function that takes it away again. */
  onMessage(handler: MessageHandler): () => void {
    if (typeof handler !== "function") {
      throw new TypeError(`widget.onMessage takes a function, not ${inspect(handler, { depth: 0 })}.`);
    }
    return register(this.#messageHandlers, bindHandler(handler));
  }

  /** Removes the widget from every page. Its state can still be read and set here. */
  close(): void {
    this.#pace.flush();
    this.#comm.close();
  }

  [DISPLAY](): MimeBundle {
    const text = { "text/plain": inspect(this) };
    if (this.#comm.closed) return text;
    return { [VIEW_MIME]: { version_major: 2, version_minor: 0, model_id: this.#comm.id }, ...text };
  }

  [inspect.custom](): string {
    const state = Object.entries(this.#state).map(
      ([name, value]) => `${name}: ${inspect(value, { depth: 0, maxArrayLength: 3, maxStringLength: 40 })}`,
    );
    return `${this.constructor.name}(${state.join(", ")})`;
  }

  #known(name: string): string {
    if (Object.hasOwn(this.#state, name)) return name;
    const names = Object.keys(this.#state).join(", ");
    throw new RangeError(`The widget has no attribute ${inspect(name)}: it has ${names || "none"}.`);
  }

  /**
   * Takes changes from the page. It runs in the middle of any code that asked for a value, so it calls nothing of the
   * user's but `accepts`.
   */
  #arrived({ data, buffers }: CommMessage): void {
    if (data["method"] === "custom") {
      const { content } = data;
      later(() => this.#messageHandlers.forEach((handler) => handler(content, buffers)));
    }
    if (data["method"] !== "update") return;
    const state = joinState(asObject(data["state"]), data["buffer_paths"], buffers);
    const known = Object.entries(state).filter(([name]) => Object.hasOwn(this.#state, name));
    const taken = known.filter(([name, value]) => this.#accepts[name]?.(value) ?? true);
    this.#apply(Object.fromEntries(taken));
    const refused = known.filter((entry) => !taken.includes(entry));
    if (refused.length > 0) this.#sendState(refused.map(([name]) => name));
  }

  /** @returns the attributes whose values changed */
  #apply(values: Readonly<Record<string, unknown>>): string[] {
    const changed = Object.keys(values).filter((name) => !Object.is(values[name], this.#state[name]));
    if (changed.length > 0 && this.#changed.size === 0) later(() => this.#tellHandlers());
    for (const name of changed) {
      if (!this.#changed.has(name)) this.#changed.set(name, this.#state[name]);
      this.#state[name] = values[name];
    }
    return changed;
  }

  #tellHandlers(): void {
    const changed = [...this.#changed].filter(([name, previous]) => !Object.is(previous, this.#state[name]));
    this.#changed.clear();
    for (const [name, previous] of changed) {
      this.#changeHandlers.get(name)?.forEach((handler) => handler(this.#state[name], previous));
    }
    const all = Object.fromEntries(changed.map(([name]) => [name, this.#state[name]]));
    if (changed.length > 0) this.#changeHandlers.get("")?.forEach((handler) => handler(all, undefined));
  }

  #sendState(names: readonly string[]): void {
    if (this.#comm.closed) return;
    const { state, paths, buffers } = splitState(
      Object.fromEntries(names.map((name) => [name, this.#state[name]])),
    );
    this.#comm.send({ method: "update", state, buffer_paths: paths }, { buffers });
  }
}

function protocolState(esm: string, css: string, className: string): CommData {
  const { module, version } = ANYWIDGET;
  return {
    _model_module: module,
    _model_module_version: version,
    _model_name: "AnyModel",
    _view_module: module,
    _view_module_version: version,
    _view_name: "AnyView",
    _view_count: null,
    _anywidget_id: `mpslab.${className}`,
    _esm: esm,
    _css: css,
  };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function register<Handler>(handlers: Set<Handler>, handler: Handler): () => void {
  handlers.add(handler);
  return () => void handlers.delete(handler);
}
