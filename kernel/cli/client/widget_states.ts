// Collects the widgets' state from their messages, in the form in which a notebook keeps it for pages without a kernel.
import type { Message } from "../../protocol/messages.ts";
import type { JsonObject, Notebook } from "../notebook/format.ts";

const STATE_TYPE = "application/vnd.jupyter.widget-state+json";

interface Widget {
  readonly state: JsonObject;
  /** Binary buffers, by their paths in the state. */
  readonly buffers: Map<string, { path: unknown; data: string; encoding: "base64" }>;
}

export class WidgetStates {
  readonly #widgets = new Map<string, Widget>();

  take({ header, content, buffers }: Message): void {
    if (!header.msg_type.startsWith("comm")) return;
    const { state, buffer_paths: paths = [] } = (content["data"] ?? {}) as {
      state?: JsonObject;
      buffer_paths?: readonly unknown[];
    };
    if (state === undefined) return;
    const id = String(content["comm_id"]);
    const widget = this.#widgets.get(id) ?? { state: {}, buffers: new Map() };
    this.#widgets.set(id, widget);
    Object.assign(widget.state, state);
    for (const [at, path] of paths.entries()) {
      const data = buffers[at]?.toString("base64");
      if (data !== undefined) widget.buffers.set(JSON.stringify(path), { path, data, encoding: "base64" });
    }
  }

  /** Does not change the notebook if no cell has made a widget. */
  storeIn(notebook: Notebook): void {
    if (this.#widgets.size === 0) return;
    const state: JsonObject = {};
    for (const [id, widget] of this.#widgets) {
      if (!("_model_name" in widget.state)) continue;
      state[id] = {
        model_name: widget.state["_model_name"],
        model_module: widget.state["_model_module"],
        model_module_version: widget.state["_model_module_version"],
        state: widget.state,
        ...(widget.buffers.size > 0 ? { buffers: [...widget.buffers.values()] } : {}),
      };
    }
    notebook.metadata["widgets"] = { [STATE_TYPE]: { state, version_major: 2, version_minor: 0 } };
  }
}
