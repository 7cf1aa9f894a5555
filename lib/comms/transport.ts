// Declares what comm messages carry, and the transport that the session's runtime installs. A plain Node program has no
// front end: comms can be opened there, but their messages are dropped.

/** The data of a comm message beside its buffers: an object that JSON can hold. */
export type CommData = Readonly<Record<string, unknown>>;

export interface CommMessage {
  readonly data: CommData;
  readonly metadata: CommData;
  readonly buffers: readonly Uint8Array[];
}

/** A message on its way, in either direction. */
export interface CommPacket extends CommMessage {
  readonly action: "open" | "message" | "close";
  /** Id of the comm. */
  readonly comm: string;
  /** Set for `open` only. */
  readonly target?: string;
  /** The message that caused this one, as the transport knows it; opaque here. */
  readonly cause?: unknown;
}

export interface CommTransport {
  send(packet: CommPacket): void;
  /** A target of that name is registered or unregistered. */
  announce(target: string, registered: boolean): void;
  /** Hands to `receive` what has arrived. Must cost next to nothing where nothing has: loops call it. */
  poll(receive: (packet: CommPacket) => void): void;
  /**
   * Calls a handler in a way that lets the session stop it without stopping the code below it on the stack. Throws what
   * the handler throws.
   */
  call(handler: () => void): void;
  /**
   * A handler threw; called in the async context of the handler. May throw in turn, to stop the code that waits for the
   * handlers (`synchronous`), as for an interrupt.
   */
  failed(error: unknown, synchronous: boolean): void;
}

export interface CommOptions {
  /** Metadata for the front end, beside the data. Default: `{}`. */
  readonly metadata?: CommData;
  /** Bytes that travel beside the data, as they are. Default: none. */
  readonly buffers?: readonly (ArrayBufferView | ArrayBuffer)[];
}

const unheard: CommTransport = {
  send() {},
  announce() {},
  poll() {},
  call(handler) {
    handler();
  },
  failed(error) {
    throw error;
  },
};

let transport: CommTransport = unheard;

export function commTransport(): CommTransport {
  return transport;
}

/** Called once by the session's runtime, before any comm is opened. */
export function installCommTransport(next: CommTransport): void {
  transport = next;
}
