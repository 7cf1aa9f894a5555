// Keeps the latest state of every widget, by Jupyter's widget protocol (2.1) and its control comm (1.0). A reloaded
// page asks for all of it and receives it while a cell is running. Also forwards a change by one client to the others.
import type { CommMessage } from "../session/channel.ts";

export const CONTROL_TARGET = "jupyter.widget.control";
const WIDGET_TARGET = "jupyter.widget";

/** Bytes that belong at a certain place in the state. JSON cannot hold them. */
interface BinaryPart {
  /** The attribute first, then keys and indices within its value. */
  readonly path: readonly unknown[];
  readonly bytes: Uint8Array;
}

interface Attribute {
  /** The value without its binary parts; null if the value is itself binary. */
  readonly json: unknown;
  readonly parts: readonly BinaryPart[];
}

/** Attributes by name. */
type Model = Map<string, Attribute>;

/** The content of a comm message. */
export type CommContent = Pick<CommMessage, "data" | "buffers">;

export class WidgetModels {
  readonly #models = new Map<string, Model>();

  /** Records a widget that opens, or a change of its state. */
  fromSession(message: CommMessage): void {
    const { action, comm, target, data } = message;
    if (action === "open" && target === WIDGET_TARGET) this.#models.set(comm, attributesOf(message));
    else if (data["method"] === "update") assign(this.#models.get(comm), attributesOf(message));
  }

  /** The answer to a message that does not concern the session; null for any other message. */
  fromClient(message: CommMessage): CommContent | null {
    const model = this.#models.get(message.comm);
    if (model === undefined) return null;
    switch (message.data["method"]) {
      case "update": {
        // The session refuses attributes that the widget does not have, so they are left out here too.
        const known = new Map([...attributesOf(message)].filter(([name]) => model.has(name)));
        assign(model, known);
        return update("echo_update", known);
      }
      case "request_state":
        return update("update", model);
      default:
        return null;
    }
  }

  /** The answer on the control comm, null if nothing was asked. */
  control(data: CommMessage["data"]): CommContent | null {
    if (data["method"] !== "request_states") return null;
    const models = [...this.#models];
    const states = models.map(([comm, model]) => {
      const state = jsonOf(model);
      const { _model_name: model_name, _model_module: model_module } = state;
      return [
        comm,
        { model_name, model_module, model_module_version: state["_model_module_version"], state },
      ];
    });
    const parts = models.flatMap(([comm, model]) =>
      partsOf(model).map(({ path, bytes }) => ({ path: [comm, "state", ...path], bytes })),
    );
    return content({ method: "update_states", states: Object.fromEntries(states) }, parts);
  }

  forget(comm: string): void {
    this.#models.delete(comm);
  }
}

/** The state that a message carries. A client may have written anything into it. */
function attributesOf({ data, buffers }: CommContent): Model {
  const { state, buffer_paths } = data;
  const json = new Map(Object.entries(typeof state === "object" && state !== null ? state : {}));
  const parts = (Array.isArray(buffer_paths) ? (buffer_paths as unknown[]) : []).flatMap((path, index) => {
    const bytes = buffers[index];
    return Array.isArray(path) && bytes !== undefined ? [{ path: path as unknown[], bytes }] : [];
  });
  const names = new Set([...json.keys(), ...parts.map(({ path }) => String(path[0]))]);
  return new Map(
    [...names].map((name) => [
      name,
      { json: json.get(name) ?? null, parts: parts.filter(({ path }) => String(path[0]) === name) },
    ]),
  );
}

function assign(model: Model | undefined, changes: Model): void {
  for (const [name, attribute] of changes) model?.set(name, attribute);
}

function update(method: "update" | "echo_update", model: Model): CommContent {
  return content({ method, state: jsonOf(model) }, partsOf(model));
}

function content(data: CommMessage["data"], parts: readonly BinaryPart[]): CommContent {
  return {
    data: { ...data, buffer_paths: parts.map(({ path }) => path) },
    buffers: parts.map(({ bytes }) => bytes),
  };
}

function jsonOf(model: Model): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...model].map(([name, { json }]) => [name, json]));
}

function partsOf(model: Model): readonly BinaryPart[] {
  return [...model.values()].flatMap(({ parts }) => parts);
}
