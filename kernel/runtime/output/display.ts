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
import { areRecords, recordsTable } from "../../../lib/views/records.ts";
import { listBundle } from "../../../lib/views/shown_as.ts";
import { tableHtml } from "../../../lib/views/table_html.ts";
import { JOINS_RANKS, type MimeBundle } from "../../session/channel.ts";
import { outputCell } from "../cells.ts";
import { isObject, isPlainObject } from "../objects.ts";
import { bundleData } from "./bundle_data.ts";
import { canvasBundle } from "./canvas.ts";
import { elementBundle } from "./element.ts";
import { jsxBundle } from "./jsx.ts";
import { behindProxies } from "./proxy_target.ts";
import { report } from "./report.ts";
import { specificationBundle } from "./vega.ts";

/** IPython prints as many entries of a dict. */
const MAX_KEYS = 1_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** The bundle of a value: from its `Symbol.for("Jupyter.display")` method, else by its kind. */
export async function bundleOf(value: unknown): Promise<MimeBundle> {
  return checkedBundle(await shownAlone(value));
}

/** The bundle before it is checked; no promise if nothing is awaited. */
export function shownAlone(value: unknown): MimeBundle | Promise<MimeBundle> {
  const own = ownDisplay(value);
  return own === null ? bundleByKind(value) : own();
}

/**
 * The method by which a value shows itself, bound to it. For a proxy it is the method of the object behind it, as with
 * `inspect.custom` in Node's `inspect`. The proxy's traps are not run: they may throw, or answer to every name.
 */
function ownDisplay(value: unknown): (() => MimeBundle | Promise<MimeBundle>) | null {
  if (!isObject(value)) return null;
  const method = (behindProxies(value) as Partial<Displayable> | null)?.[DISPLAY];
  return typeof method === "function" ? () => Reflect.apply(method, value, []) as MimeBundle : null;
}

/**
 * The bundle of a value without that method: a chart for a specification, HTML for an element, a table for records,
 * else text.
 */
function bundleByKind(value: unknown): MimeBundle | Promise<MimeBundle> {
  return (
    specificationBundle(value) ??
    jsxBundle(value) ??
    canvasBundle(value) ??
    elementBundle(value) ??
    plainBundle(value)
  );
}

function plainBundle(value: unknown): MimeBundle {
  const records = recordsBundle(value);
  return "text/plain" in records ? records : { "text/plain": textOf(value), ...records };
}

/** An HTML table for plain records. Records that show themselves give one table together, with its text. */
function recordsBundle(value: unknown): MimeBundle {
  if (areRecords(value)) return { "text/html": tableHtml(recordsTable(value)) };
  return listBundle(value) ?? {};
}

export function textOf(value: unknown): string {
  const keys = isPlainObject(value) && !(inspect.custom in value) ? Object.keys(value) : [];
  // Node's `inspect` limits the elements of a list, but not the keys of an object.
  const shown = keys.length <= MAX_KEYS ? value : firstOf(value as object, keys.slice(0, MAX_KEYS));
  const text = inspect(shown, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000 });
  const more = keys.length - MAX_KEYS;
  return more <= 0 ? text : `${text.replace(/\n\}$/, "")},\n  ... ${more} more keys\n}`;
}

const firstOf = (value: object, keys: readonly string[]): object =>
  Object.defineProperties(
    Object.create(Object.getPrototypeOf(value) as object | null) as object,
    Object.fromEntries(keys.map((key) => [key, Object.getOwnPropertyDescriptor(value, key) ?? {}])),
  );

/** Whether the value is a plain object whose keys are all MIME types. */
export function isBundle(value: unknown): value is MimeBundle {
  if (!isObject(value) || types.isProxy(value) || ownDisplay(value) !== null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const keys = Object.keys(value);
  return (prototype === Object.prototype || prototype === null) && keys.length > 0 && keys.every(isMimeType);
}

/**
 * The bundle in the form in which it is sent: each value is text, or JSON if the type says so.
 *
 * @throws TypeError if the value is no bundle, or holds something that JSON cannot
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

/** @throws TypeError for a value that is no JSON object */
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
 * Shows a bundle in the running cell. If this run of the cell has shown the id already, that output is replaced in
 * place. In another run or another cell it is shown anew, because what was there may be cleared; JupyterLab then
 * replaces the older output too.
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
 * Clears the running cell's output, except for displays that survive. The protocol cannot clear only a part, so these
 * are shown again at once, which also ends the wait of `wait: true`.
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
 * Registers output of the running cell that is still being made: the cell's `done` waits for it. If making it fails,
 * the cell fails, or if the cell has ended, there is an unhandled rejection.
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
