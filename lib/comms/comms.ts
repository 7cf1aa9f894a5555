// Comms: two-way message channels between a cell and the front end, as Jupyter's widgets use them. Does not depend on
// the kernel: `transport.ts` is the seam.
import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { requireJson } from "../json.ts";
import { bindHandler, causedBy, currentCause, later, runHandlers } from "./handlers.ts";
import {
  type CommData,
  type CommMessage,
  type CommOptions,
  type CommPacket,
  commTransport,
} from "./transport.ts";

type Handler = (message: CommMessage) => unknown;
type CommEvent = "message" | "close";

const NOTHING: CommData = {};
const targets = new Map<string, (comm: Comm, message: CommMessage) => void>();
const open = new Map<string, Comm>();

/** One end of a channel; the other is in the front end. */
export class Comm {
  readonly id: string;
  readonly target: string;
  #closed = false;
  readonly #handlers: Readonly<Record<CommEvent, Set<Handler>>> = { message: new Set(), close: new Set() };
  readonly #arrived: ((message: CommMessage) => void) | undefined;

  /** Made by `comms.open`, and when the front end opens a registered target. */
  constructor(id: string, target: string, arrived?: (message: CommMessage) => void) {
    this.id = id;
    this.target = target;
    this.#arrived = arrived;
    open.set(id, this);
  }

  /** Whether either side has closed it. */
  get closed(): boolean {
    return this.#closed;
  }

  /** @throws Error on a closed comm; TypeError for data that is no object, or that JSON cannot hold */
  send(data: CommData, options: CommOptions = {}): void {
    if (this.#closed) {
      throw new Error(`The comm to "${this.target}" is closed: open another one with comms.open.`);
    }
    emit({ action: "message", comm: this.id, ...contentOf(data, options) });
  }

  /** Closes both ends. A closed comm cannot be opened again. */
  close(data: CommData = NOTHING): void {
    if (this.#closed) return;
    emit({ action: "close", comm: this.id, ...contentOf(data, {}) });
    this.#forget();
  }

  /**
   * Calls `handler` with each message of the front end, or when the front end closes the comm. What the handler prints
   * goes to the cell that registered it.
   *
   * @returns a function that takes the handler away again
   */
  on(event: CommEvent, handler: Handler): () => void {
    const handlers = Object.hasOwn(this.#handlers, event) ? this.#handlers[event] : undefined;
    if (handlers === undefined || typeof handler !== "function") {
      const given = `${inspect(event)} and ${inspect(handler, { depth: 0 })}`;
      throw new TypeError(`comm.on takes "message" or "close" and a function, not ${given}.`);
    }
    const bound = bindHandler(handler);
    handlers.add(bound);
    return () => void handlers.delete(bound);
  }

  /** Takes a packet from the front end. It is read now and handled later, by the handlers that are registered then. */
  take(packet: CommPacket): void {
    const event = packet.action === "close" ? "close" : "message";
    if (event === "close") this.#forget();
    else this.#arrived?.(packet);
    if (this.#handlers[event].size > 0 || this.#arrived === undefined) {
      later(() => this.#handlers[event].forEach((handler) => handler(packet)));
    }
  }

  #forget(): void {
    this.#closed = true;
    open.delete(this.id);
  }
}

/** The object that cells see as `comms`. */
export const comms = {
  /**
   * Opens a comm to a target that the front end has registered.
   *
   *     const comm = comms.open("progress", { total: 10 });
   *     comm.on("message", ({ data }) => console.log(data));
   */
  open(target: string, data: CommData = NOTHING, options: CommOptions = {}): Comm {
    return openComm(target, data, options);
  },

  /** Calls `handler` with each comm that the front end opens to this target. A second handler replaces the first. */
  register(target: string, handler: (comm: Comm, message: CommMessage) => unknown): void {
    if (typeof target !== "string" || target === "" || typeof handler !== "function") {
      const given = `${inspect(target)} and ${inspect(handler, { depth: 0 })}`;
      throw new TypeError(`comms.register takes the name of a target and a function, not ${given}.`);
    }
    targets.set(target, bindHandler(handler));
    commTransport().announce(target, true);
  },

  /** Refuses new comms to this target from now on; those that are open stay open. */
  unregister(target: string): void {
    if (typeof target !== "string")
      throw new TypeError(`comms.unregister takes the name of a target, not ${inspect(target)}.`);
    if (targets.delete(target)) commTransport().announce(target, false);
  },
};

/**
 * @param options.arrived called with each message as it is read, which may be in the middle of synchronous code: it
 *   must run nothing of the user's
 */
export function openComm(
  target: string,
  data: CommData,
  options: CommOptions & { readonly arrived?: (message: CommMessage) => void },
): Comm {
  if (typeof target !== "string" || target === "") {
    throw new TypeError(`comms.open takes the name of a target, not ${inspect(target)}.`);
  }
  const content = contentOf(data, options);
  const comm = new Comm(randomUUID().replaceAll("-", ""), target, options.arrived);
  emit({ action: "open", comm: comm.id, target, ...content });
  return comm;
}

/** Reads what has arrived. The handlers stay in their queue. */
export function pollComms(): void {
  commTransport().poll(receive);
}

/**
 * Reads what has arrived and runs the handlers that wait. Called only where no synchronous code is interrupted: in the
 * event loop, at an await, at the end of an epoch.
 */
export function deliverComms(options: { readonly synchronous?: boolean } = {}): void {
  pollComms();
  runHandlers(options);
}

function receive(packet: CommPacket): void {
  causedBy(packet.cause, () => {
    if (packet.action !== "open") return open.get(packet.comm)?.take(packet);
    const target = packet.target ?? "";
    const handler = targets.get(target);
    const comm = new Comm(packet.comm, target);
    // The target was unregistered while the message was on its way.
    if (handler === undefined) comm.close();
    else later(() => handler(comm, packet));
  });
}

function emit(packet: CommPacket): void {
  const cause = currentCause();
  commTransport().send(cause === undefined ? packet : { ...packet, cause });
}

function contentOf(data: CommData, options: CommOptions): CommMessage {
  if (typeof options !== "object" || options === null || options instanceof Date)
    throw new TypeError(
      `The options of a comm are an object like { buffers: [...] }, not ${inspect(options)}.`,
    );
  const { metadata = NOTHING, buffers = [], ...others } = options;
  const unknown = Object.keys(others).find((name) => name !== "arrived");
  if (unknown !== undefined)
    throw new TypeError(`A comm has no option ${unknown}; it has metadata and buffers.`);
  if (!Array.isArray(buffers))
    throw new TypeError(`The buffers of a comm are a list of them, not ${inspect(buffers, { depth: 0 })}.`);
  return { data: plain(data, "data"), metadata: plain(metadata, "metadata"), buffers: buffers.map(bytesOf) };
}

function plain(value: CommData, name: string): CommData {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) {
    throw new TypeError(`The ${name} of a comm is an object such as { step: 1 }, not ${inspect(value)}.`);
  }
  requireJson(value, name);
  return value;
}

/** The bytes themselves, not a copy. @throws TypeError */
export function bytesOf(buffer: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer);
  if (ArrayBuffer.isView(buffer)) return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  throw new TypeError(
    `A buffer of a comm is an ArrayBuffer or a typed array, not ${inspect(buffer, { depth: 0 })}.`,
  );
}
