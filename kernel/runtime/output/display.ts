// Converts a value to the MIME bundle that a notebook shows. Also the sink through which libraries display.
import { inspect } from "node:util";
import { DISPLAY, installOutputSink, type Displayable } from "../../../lib/display.ts";
import { requireJson } from "../../../lib/json.ts";
import type { MimeBundle } from "../../session/channel.ts";
import { outputCell } from "../cells.ts";
import { isObject } from "../objects.ts";
import { htmlOf } from "./jsx.ts";
import { report } from "./report.ts";

const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const NOTHING: MimeBundle = {};

/** How a value shows itself: by its `Symbol.for("Jupyter.display")` method, else as text. */
export async function bundleOf(value: unknown): Promise<MimeBundle> {
  if (isDisplayable(value)) return checkedBundle(await value[DISPLAY]());
  return plainBundle(value);
}

/** How a value is shown that does not show itself. */
export function plainBundle(value: unknown): MimeBundle {
  const html = htmlOf(value);
  return html === null ? { "text/plain": textOf(value) } : { "text/html": html, "text/plain": html };
}

function textOf(value: unknown): string {
  return inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000 });
}

export function isDisplayable(value: unknown): value is Displayable {
  return isObject(value) && typeof (value as Partial<Displayable>)[DISPLAY] === "function";
}

/** A plain object of which every key is a MIME type. */
export function isBundle(value: unknown): value is MimeBundle {
  if (!isObject(value) || isDisplayable(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const keys = Object.keys(value);
  return (prototype === Object.prototype || prototype === null) && keys.length > 0 && keys.every(isMimeType);
}

/**
 * Ready to be sent: bytes as base64, as Jupyter wants binary data.
 *
 * @throws TypeError if the bundle is none, or holds what JSON cannot
 */
export function checkedBundle(bundle: unknown): MimeBundle {
  if (!isBundle(bundle)) {
    throw new TypeError(
      `${inspect(bundle, { depth: 0 })} is not a MIME bundle: return an object such as { "text/html": "<b>hi</b>" }.`,
    );
  }
  const entries = Object.entries(bundle).map(([type, data]) => {
    if (data instanceof Uint8Array) return [type, Buffer.from(data).toString("base64")];
    requireJson(data, type);
    return [type, data];
  });
  return Object.fromEntries(entries) as MimeBundle;
}

export function showBundle(
  data: MimeBundle,
  options: {
    readonly displayId?: string | undefined;
    readonly update?: boolean;
    readonly metadata?: MimeBundle;
  } = {},
): void {
  const cell = outputCell();
  if (cell === null) return;
  const { displayId, update = false, metadata = NOTHING } = options;
  const id = displayId === undefined ? {} : { displayId };
  report({ type: "display", cell: cell.id, data, metadata, update, ...id });
}

export function clearOutput(options: { readonly wait?: boolean } = {}): void {
  const cell = outputCell();
  if (cell === null) return;
  cell.shown = new WeakSet();
  report({ type: "clear", cell: cell.id, wait: options.wait ?? false });
}

/** Output of the running cell that is still being made: its `done` waits for it. */
export function keepPending(work: Promise<void>): void {
  const cell = outputCell();
  if (cell === null) return;
  const settled = work.finally(() => cell.pendingOutput.delete(settled));
  cell.pendingOutput.add(settled);
}

export function installSink(): void {
  installOutputSink({
    live: true,
    display(data, options) {
      requireJson(options.metadata, "metadata");
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
