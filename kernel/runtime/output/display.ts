// Converts a value to the MIME bundle that a notebook shows. Also the sink through which libraries display.
import { inspect, types } from "node:util";
import {
  DISPLAY,
  type Displayable,
  type DisplayOptions,
  installOutputSink,
  metadataOf,
  withMetadata,
} from "../../../lib/display.ts";
import { requireJson } from "../../../lib/json.ts";
import { JOINS_RANKS, type MimeBundle } from "../../session/channel.ts";
import { outputCell } from "../cells.ts";
import { isObject } from "../objects.ts";
import { bundleData } from "./bundle_data.ts";
import { canvasBundle } from "./canvas.ts";
import { withOriginalBuiltins } from "../primordials.ts";
import { elementBundle } from "./element.ts";
import { jsxBundle } from "./jsx.ts";
import { behindProxies } from "./proxy_target.ts";
import { recordsBundle } from "./records.ts";
import { report } from "./report.ts";
import { specificationBundle } from "./vega.ts";

/** As many as IPython writes of a dict. */
const MAX_KEYS = 1_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** How a value shows itself: by its `Symbol.for("Jupyter.display")` method, else as text. */
export async function bundleOf(value: unknown): Promise<MimeBundle> {
  return checkedBundle(await shownAlone(value));
}

/** The same before it is checked; at once where nothing is awaited. */
export function shownAlone(value: unknown): MimeBundle | Promise<MimeBundle> {
  const own = ownDisplay(value);
  return own === null ? bundleByKind(value) : own();
}

/**
 * The method by which a value shows itself, bound to it. Of a proxy it is that of the object behind it, as `inspect` takes
 * `inspect.custom`: no trap is asked, which may throw, or have an answer to every name.
 */
function ownDisplay(value: unknown): (() => MimeBundle | Promise<MimeBundle>) | null {
  if (!isObject(value)) return null;
  const method = (behindProxies(value) as Partial<Displayable> | null)?.[DISPLAY];
  return typeof method === "function" ? () => Reflect.apply(method, value, []) as MimeBundle : null;
}

/** The bundle of a value without that method: of a chart's specification, of an element, of records, else its text. */
function bundleByKind(value: unknown): MimeBundle | Promise<MimeBundle> {
  return (
    withOriginalBuiltins(() => specificationBundle(value)) ??
    jsxBundle(value) ??
    canvasBundle(value) ??
    elementBundle(value) ??
    plainBundle(value)
  );
}

function plainBundle(value: unknown): MimeBundle {
  // While the user's code runs, as `inspect` methods, a cell's replacements of built-ins apply: not to what reads plain data.
  const records = withOriginalBuiltins(() => recordsBundle(value));
  return "text/plain" in records ? records : { "text/plain": textOf(value), ...records };
}

export function textOf(value: unknown): string {
  const keys = isPlainObject(value) ? Object.keys(value) : [];
  // Node's `inspect` has a limit for the elements of a list and none for the keys of an object.
  const shown = keys.length <= MAX_KEYS ? value : firstOf(value as object, keys.slice(0, MAX_KEYS));
  const text = inspect(shown, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000 });
  const more = keys.length - MAX_KEYS;
  return more <= 0 ? text : `${text.replace(/\n\}$/, "")},\n  ... ${more} more keys\n}`;
}

function isPlainObject(value: unknown): value is object {
  if (!isObject(value) || types.isProxy(value) || inspect.custom in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const firstOf = (value: object, keys: readonly string[]): object =>
  Object.defineProperties(
    Object.create(Object.getPrototypeOf(value) as object | null) as object,
    Object.fromEntries(keys.map((key) => [key, Object.getOwnPropertyDescriptor(value, key) ?? {}])),
  );

/** A plain object of which every key is a MIME type. */
export function isBundle(value: unknown): value is MimeBundle {
  if (!isObject(value) || types.isProxy(value) || ownDisplay(value) !== null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const keys = Object.keys(value);
  return (prototype === Object.prototype || prototype === null) && keys.length > 0 && keys.every(isMimeType);
}

/**
 * Ready to be sent: text, and JSON where the type says so.
 *
 * @throws TypeError if the bundle is none, or holds what JSON cannot
 */
export function checkedBundle(bundle: unknown): MimeBundle {
  if (!isBundle(bundle)) {
    throw new TypeError(
      `${inspect(bundle, { depth: 0 })} is not a MIME bundle: return an object such as { "text/html": "<b>hi</b>" }.`,
    );
  }
  const entries = Object.entries(bundle).map(([type, data]) => [type, bundleData(type, data)]);
  return withMetadata(Object.fromEntries(entries), metadataOf(bundle));
}

/** @throws TypeError for what is no object of JSON */
export function requireMetadata(metadata: unknown): void {
  if (metadata !== undefined && !isPlainObject(metadata)) {
    const example = '{ "image/png": { width: 300 } }';
    throw new TypeError(
      `metadata is an object by MIME type, as ${example}, not ${inspect(metadata, { depth: 0 })}.`,
    );
  }
  requireJson(metadata, "metadata");
}

/**
 * Shows a bundle in the running cell. An id that this run of the cell shows already is replaced in place. In another run
 * or another cell it is shown anew, because what was there may be cleared; JupyterLab then replaces the older output too.
 */
export function showBundle(data: MimeBundle, options: DisplayOptions = {}): void {
  const cell = outputCell();
  if (cell === null) return;
  const { displayId, metadata = metadataOf(data), survivesClear = false } = options;
  if (displayId === undefined) {
    report({ type: "display", cell: cell.id, data, metadata, update: false });
    return;
  }
  const { update = cell.displays.has(displayId) } = options;
  if (!update || cell.displays.has(displayId))
    cell.displays.set(displayId, survivesClear ? { data, metadata } : null);
  report({ type: "display", cell: cell.id, data, metadata, update, displayId });
}

/**
 * Clears the output of the running cell, except for what survives: the protocol knows no clearing of a part, so that is
 * shown anew at once. It ends the wait of `wait: true`.
 */
export function clearOutput(options: { readonly wait?: boolean } = {}): void {
  const cell = outputCell();
  if (cell === null) return;
  const displays = [...cell.displays];
  cell.shown = new WeakSet();
  cell.displays.clear();
  report({ type: "clear", cell: cell.id, wait: options.wait ?? false });
  for (const [displayId, surviving] of displays) {
    if (surviving !== null) showBundle(surviving.data, { ...surviving, displayId, survivesClear: true });
  }
}

/**
 * Output of the running cell that is still being made: its `done` waits for it. A failure is an error of the cell, or a
 * late one, an unhandled rejection, if the cell has ended.
 */
export function keepPending(work: Promise<void>): void {
  const cell = outputCell();
  if (cell === null) return;
  const settled = work
    .catch((thrown: unknown) => {
      if (!cell.running) throw thrown;
      cell.outputFailure ??= { thrown };
    })
    .finally(() => cell.pendingOutput.delete(settled));
  cell.pendingOutput.add(settled);
}

export function installSink(): void {
  installOutputSink({
    live: true,
    joinsRanks: process.env[JOINS_RANKS] === "1",
    display(data, options) {
      requireMetadata(options.metadata);
      showBundle(checkedBundle(data), options);
    },
    clear: clearOutput,
    holds: (value) => void outputCell()?.shown.add(value),
    currentCell: () => outputCell()?.name ?? null,
    pending: keepPending,
  });
}

function isMimeType(key: string): boolean {
  return MIME_TYPE.test(key);
}
