// Separates bytes from a widget's JSON state and puts them back. Bytes travel beside the JSON, each with the path to
// its place (Jupyter's widget protocol 2.1, "buffer_paths").
import { inspect } from "node:util";
import { bytesOf } from "../comms/comms.ts";
import { faultOf, type Path, placeIn } from "../json.ts";
import { isPlainObject } from "../plain_object.ts";

export interface SplitState {
  readonly state: Readonly<Record<string, unknown>>;
  readonly paths: readonly Path[];
  readonly buffers: readonly Uint8Array[];
}

/**
 * Takes the bytes out: `{ a: [bytes, 1] }` -> `{ a: [null, 1] }`, `["a", 0]`. In an object their key goes too.
 *
 * @throws TypeError for what JSON cannot hold, with the path to it
 */
export function splitState(state: Readonly<Record<string, unknown>>): SplitState {
  const paths: Path[] = [];
  const buffers: Uint8Array[] = [];
  const split = (value: unknown, path: Path, around: readonly unknown[]): unknown => {
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      paths.push(path);
      buffers.push(bytesOf(value));
      return undefined;
    }
    const fault = faultOf(value, around);
    if (fault !== null) throw new TypeError(`${placeIn("state", path)} ${fault}`);
    if (value === undefined) return refuse(value, path);
    if (typeof value !== "object" || value === null) return value;
    const inside = [...around, value];
    if (Array.isArray(value))
      return value.map((item, index) => split(item, [...path, index], inside) ?? null);
    if (!isPlainObject(value)) return refuse(value, path);
    const entries = Object.entries(value).map(([key, item]) => [key, split(item, [...path, key], inside)]);
    return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
  };
  return { state: split(state, [], []) as SplitState["state"], paths, buffers };
}

/** Puts the bytes of a message back into their places. Paths that lead nowhere are ignored. */
export function joinState(
  state: Readonly<Record<string, unknown>>,
  paths: unknown,
  buffers: readonly Uint8Array[],
): Record<string, unknown> {
  const joined: Record<string, unknown> = { ...state };
  for (const [index, path] of (Array.isArray(paths) ? paths : []).entries()) {
    if (!Array.isArray(path) || path.length === 0 || index >= buffers.length) continue;
    const inner = path.slice(0, -1).reduce<unknown>((place, key) => own(place, key), joined);
    if (typeof inner === "object" && inner !== null) put(inner, path.at(-1), buffers[index]);
  }
  return joined;
}

function own(place: unknown, key: unknown): unknown {
  if (typeof place !== "object" || place === null || !Object.hasOwn(place, String(key))) return undefined;
  return (place as Record<string, unknown>)[String(key)];
}

/** Defined, not assigned: the key comes from outside and may be `__proto__`. */
function put(place: object, key: unknown, value: unknown): void {
  Object.defineProperty(place, String(key), { value, writable: true, enumerable: true, configurable: true });
}

function refuse(value: unknown, path: Path): never {
  throw new TypeError(
    `${placeIn("state", path)} is ${inspect(value, { depth: 0 })}: a widget's state holds what JSON holds, and bytes.`,
  );
}
