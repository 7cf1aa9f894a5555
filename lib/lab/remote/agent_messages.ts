// Declares the messages between the session and its remote agent: numbered requests, their answers, and output. They
// are plain data, because they cross a pipe as JSON.

/** The address of a Jupyter server, as the agent needs it. */
export interface ServerAddress {
  /** The URL, with a slash at its end and without a token. */
  readonly baseUrl: string;
  readonly token: string;
  /** The folder in which the kernel starts, below the server's root; null for the root. */
  readonly folder: string | null;
  /** A server that is silent for longer counts as lost. */
  readonly reconnectMs: number;
}

export type AgentRequest =
  | { readonly type: "connect"; readonly remote: number; readonly address: ServerAddress }
  | { readonly type: "run"; readonly remote: number; readonly code: string }
  | { readonly type: "interrupt" | "restart"; readonly remote: number }
  /** Interrupts and shuts down every kernel that the agent started. The agent ends after its answer. */
  | { readonly type: "close" };

export type Numbered<Request> = Request & { readonly id: number };

/** What a server and its kernel report about themselves. */
export interface Greeting {
  readonly implementation: string;
  readonly version: string;
  /** The duration of each of several requests to the server, made one after the other on an open connection. */
  readonly roundTripsMs: readonly number[];
}

/** How a cell on the remote ended. */
export type CellEnd =
  | { readonly status: "ok"; readonly payloads: readonly unknown[] }
  | { readonly status: "error"; readonly name: string; readonly message: string }
  /** The kernel's process ended and was started anew, so that its state is lost. */
  | { readonly status: "restarted" };

export type AgentAnswer =
  | { readonly id: number; readonly value: Greeting | CellEnd | null }
  /** `lost`: the server or the kernel is gone for good. `refused`: it is there, but refused. */
  | { readonly id: number; readonly kind: "refused" | "lost"; readonly message: string };

export interface AgentOutput {
  readonly remote: number;
  readonly text: string;
}

/** The MIME type of results, which distinguishes them from what a cell displays itself. */
export const PAYLOAD_TYPE = "application/vnd.mpslab.remote.v1+json";
