// Declares what a node is asked and what it answers: plain data, because it travels between machines as JSON. The
// notebook travels as the text of its file, and comes back with its outputs.

export interface PointRequest {
  /** The version of mpslab that asks; a node with another version refuses. */
  readonly version: string;
  /** The text of a notebook's file. Its code cells are run until one fails. */
  readonly notebook: string;
  /** Papermill's metadata, apart from times. */
  readonly papermill: Readonly<Record<string, unknown>>;
  /** Where the cells run if the node has that folder; otherwise they run in an empty one. */
  readonly folder: string;
  /** The path that the session takes for that of its notebook. */
  readonly session: string;
  /** Seconds that a cell may take; null for no limit. */
  readonly timeoutSeconds: number | null;
}

export type PointStatus = "ok" | "failed" | "timeout" | "died";

export type PointAnswer =
  /** The node cannot run points. The text is the reason; it is shown after the node's name and a colon. */
  | { readonly refused: string }
  | {
      readonly status: PointStatus;
      /** The error of the cell that failed; null if none did. */
      readonly error: string | null;
      readonly notebook: string;
      readonly wallSeconds: number;
    };

export type RanPoint = Exclude<PointAnswer, { readonly refused: string }>;

export interface RayNode {
  readonly id: string;
  readonly host: string;
}

/** `gpu-4 3f2a9c`: one machine may have several nodes. */
export function nodeName({ host, id }: RayNode): string {
  return `${host} ${id.slice(0, 6)}`;
}

export type DriverLine =
  | { readonly type: "connected"; readonly version: string }
  | {
      readonly type: "answered";
      readonly id: number;
      readonly node: RayNode;
      /** What `mpslab ray-point` wrote to stdout, with the answer in its last line. */
      readonly answer?: string;
      readonly refused?: string;
    }
  | {
      readonly type: "lost";
      readonly id: number;
      /** Null if Ray does not tell it. */
      readonly node: RayNode | null;
      readonly message: string;
    }
  /** The cluster is gone, and nothing can run any more. */
  | { readonly type: "ended"; readonly message: string };
