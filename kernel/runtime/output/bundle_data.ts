// What may stand in a bundle under a MIME type, by Jupyter's rules: text, or JSON where the type says so. Bytes become the
// text of either kind, base64 or UTF-8.
import { inspect, types } from "node:util";
import { requireJson } from "../../../lib/json.ts";

/** Types whose value is JSON itself; all others hold text. */
const JSON_TYPE = /^application\/(?:.*\+)?json$/;
/** For these types bytes are UTF-8 text; for others they become base64. */
const TEXT_TYPE = /^text\/|\+xml$|^application\/(?:javascript|xml|ecmascript)$/;

/**
 * The data in the form in which it is sent.
 *
 * @throws TypeError that names the type and what it was given
 */
export function bundleData(type: string, data: unknown): unknown {
  if (JSON_TYPE.test(type)) {
    requireJson(data, type);
    return data;
  }
  if (typeof data === "string") return data;
  if (data instanceof Uint8Array) return textOfBytes(type, data);
  if (types.isAnyArrayBuffer(data)) return textOfBytes(type, new Uint8Array(data));
  if (types.isStringObject(data)) return String(data);
  if (typeof data === "number" || typeof data === "bigint" || typeof data === "boolean") return String(data);
  // A notebook's file may hold text as a list of its lines.
  if (Array.isArray(data) && data.every((line) => typeof line === "string")) return data.join("");
  throw new TypeError(`${type} holds text, not ${nameOf(data)}: ${instead(type, data)}.`);
}

function textOfBytes(type: string, bytes: Uint8Array): string {
  return Buffer.from(bytes).toString(TEXT_TYPE.test(type) ? "utf8" : "base64");
}

function nameOf(data: unknown): string {
  if (data === null || data === undefined) return String(data);
  return inspect(data, { depth: 1, breakLength: Infinity, maxStringLength: 60, maxArrayLength: 3 });
}

function instead(type: string, data: unknown): string {
  if (data instanceof Blob)
    return TEXT_TYPE.test(type)
      ? "give it await blob.text()"
      : "give it new Uint8Array(await blob.arrayBuffer())";
  if (types.isPromise(data)) return "await it first";
  if (data === null || data === undefined) return "leave the type out";
  return "give it a string, or JSON.stringify of the value; application/json holds JSON";
}
