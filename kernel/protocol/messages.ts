// Types of Jupyter messages, and the making of them: a client's requests, a kernel's replies and broadcasts. `requests.ts`
// checks the contents; `wire.ts` encodes them.
import { randomUUID } from "node:crypto";

export const PROTOCOL_VERSION = "5.5";

export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
  /** The subshell that is meant; the main shell if the field is missing or null. */
  readonly subshell_id?: string | null;
}

/** A JSON object as received: nothing about it has been checked yet. */
export type Json = Readonly<Record<string, unknown>>;

export interface Message {
  /** Router frames before the delimiter: whom to answer; on iopub the topic. Any number, any length. */
  readonly identities: readonly Buffer[];
  readonly header: Header;
  /** Empty if no message caused this one. */
  readonly parent_header: Header | Record<string, never>;
  readonly metadata: Json;
  readonly content: Json;
  readonly buffers: readonly Buffer[];
}

const KERNEL_SESSION: string = randomUUID();

let sent = 0;

/** Every message gets a fresh id: clients refuse a signature that they have seen. */
function newHeader(type: string, username: string, session = KERNEL_SESSION): Header {
  return {
    msg_id: `${session}_${process.pid}_${sent++}`,
    msg_type: type,
    session,
    username,
    date: new Date().toISOString(),
    version: PROTOCOL_VERSION,
  };
}

/**
 * A message to a kernel from a client with that session id. `fields` are added to the header, for example
 * `subshell_id`.
 */
export function newRequest(
  session: string,
  type: string,
  content: Json,
  fields: Partial<Header> = {},
): Message {
  return {
    identities: [],
    header: { ...newHeader(type, "mpslab", session), ...fields },
    parent_header: {},
    metadata: {},
    content,
    buffers: [],
  };
}

/** A message to the client that sent `request`, on the same channel. */
export function newReply(request: Message, type: string, content: Json): Message {
  return {
    identities: request.identities,
    header: newHeader(type, request.header.username),
    parent_header: request.header,
    metadata: {},
    content,
    buffers: [],
  };
}

/** A message for every client. `parent` is the header of the request that caused it, if one did. */
export function newBroadcast(parent: Header | null, type: string, content: Json): Message {
  return {
    identities: [Buffer.from(`kernel.${KERNEL_SESSION}.${type}`)],
    header: newHeader(type, parent?.username ?? "kernel"),
    parent_header: parent ?? {},
    metadata: {},
    content,
    buffers: [],
  };
}
