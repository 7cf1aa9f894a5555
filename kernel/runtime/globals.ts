// Defines the globals that every notebook has without an import: `display`, `clearOutput`, `prompt`, `confirm`, `In`,
// `Out`, `_`, `require`. Other files implement them.
import { randomUUID } from "node:crypto";
import { types } from "node:util";
import type { DisplayOptions } from "../../lib/display.ts";
import type { MimeBundle } from "../session/channel.ts";
import {
  checkedBundle,
  clearOutput,
  isBundle,
  keepPending,
  requireMetadata,
  showBundle,
  shownAlone,
  textOf,
} from "./output/display.ts";
import type { CellHistory } from "./history.ts";
import type { Notebook } from "./modules/imports.ts";
import { isObject } from "./objects.ts";
import type { Prompter } from "./prompt.ts";

export interface DisplayHandle {
  readonly displayId: string;
  /** Replaces what was shown, in whichever cell it was shown. */
  update(value: unknown): void;
}

const handles = new WeakSet<object>();

/**
 * Whether the value is a handle that `display(...)` returned: the value was shown already, so a cell that ends in a
 * handle shows nothing more.
 */
export function isDisplayHandle(value: unknown): boolean {
  return isObject(value) && handles.has(value);
}

/**
 * Shows a value, or a MIME bundle as it is. A second call with one `displayId` in one run of a cell replaces what the first
 * one showed.
 */
function display(
  value: unknown,
  options: { readonly displayId?: string; readonly metadata?: MimeBundle } = {},
): DisplayHandle {
  const { metadata } = options;
  requireMetadata(metadata);
  const displayId = options.displayId ?? randomUUID();
  if (typeof displayId !== "string" || displayId === "")
    throw new TypeError(`display: displayId must be a name, as "loss", got ${textOf(displayId)}.`);
  show(value, { displayId, ...(metadata && { metadata }) });
  const handle: DisplayHandle = { displayId, update: (next) => show(next, { displayId, update: true }) };
  handles.add(handle);
  return handle;
}

type Shown = DisplayOptions & { readonly displayId: string };

function show(value: unknown, options: Shown): void {
  const bundle = isBundle(value) ? value : shownAlone(value);
  if (!types.isPromise(bundle)) return showBundle(checkedBundle(bundle), options);
  keepPending(bundle.then((data: MimeBundle) => showBundle(checkedBundle(data), options)));
}

/**
 * Defines a global like the built-in ones: it is not enumerable, and a cell may declare a variable of the same name.
 */
export function defineGlobal(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

export function installGlobals(history: CellHistory, prompter: Prompter, notebook: Notebook): void {
  defineGlobal("display", display);
  defineGlobal("clearOutput", clearOutput);
  defineGlobal("prompt", prompter.prompt);
  defineGlobal("confirm", prompter.confirm);
  defineGlobal("In", history.inputs);
  defineGlobal("Out", history.outputs);
  Object.defineProperty(globalThis, "_", { get: () => history.last, configurable: true });
  defineGlobal("require", notebook.require);
  defineGlobal("__dirname", notebook.directory);
  defineGlobal("__filename", notebook.filename);
}
