// Shows a canvas as the picture that was drawn on it. Knows the canvases of the packages canvas, @napi-rs/canvas and
// skia-canvas, and a DOM's `<canvas>` that uses one of them.
import { types } from "node:util";
import type { MimeBundle } from "../../session/channel.ts";
import { isObject } from "../objects.ts";

interface CanvasLike {
  readonly width: number;
  readonly height: number;
  toBuffer?(type: "image/png"): unknown;
  toDataURL?(type: "image/png"): unknown;
}

const PNG = [0x89, 0x50, 0x4e, 0x47];
const PNG_URL = "data:image/png;base64,";

/** Null if the value is no canvas, or has no size. */
export function canvasBundle(value: unknown): MimeBundle | Promise<MimeBundle> | null {
  if (!isCanvas(value) || !(value.width > 0 && value.height > 0)) return null;
  const bytes = typeof value.toBuffer === "function" ? value.toBuffer("image/png") : null;
  if (types.isPromise(bytes)) return bytes.then((made) => pictureOf(value, made) ?? textOf(value));
  return pictureOf(value, bytes);
}

function pictureOf(canvas: CanvasLike, bytes: unknown): MimeBundle | null {
  if (bytes instanceof Uint8Array && PNG.every((byte, at) => bytes[at] === byte))
    return { "image/png": Buffer.from(bytes).toString("base64"), ...textOf(canvas) };
  const url = typeof canvas.toDataURL === "function" ? canvas.toDataURL("image/png") : null;
  if (typeof url !== "string" || !url.startsWith(PNG_URL)) return null;
  return { "image/png": url.slice(PNG_URL.length), ...textOf(canvas) };
}

const textOf = ({ width, height }: CanvasLike): MimeBundle => ({
  "text/plain": `Canvas ${width} × ${height}`,
});

function isCanvas(value: unknown): value is CanvasLike {
  if (!isObject(value) || types.isProxy(value) || !("getContext" in value)) return false;
  const { getContext, width, height } = value as Partial<CanvasLike> & { readonly getContext: unknown };
  return typeof getContext === "function" && typeof width === "number" && typeof height === "number";
}
