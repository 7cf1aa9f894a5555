// The Debug Adapter Protocol as Jupyter carries it: requests and responses are the content of `debug_request` and
// `debug_reply`, events that of `debug_event`. Jupyter adds commands of its own (`dumpCell`, `debugInfo`, ...).
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Json } from "../protocol/messages.ts";

/** The only thread that a client sees: it runs the cells. */
export const THREAD = 1;

/** Refuses a request; clients show the message. */
export class DebuggerRefusal extends Error {}

/** A request as received. Its fields are checked where they are read. */
export interface DebuggerRequest {
  readonly seq: number;
  readonly command: string;
  readonly arguments: Json;
}

export function readDebuggerRequest(content: Json): DebuggerRequest {
  const { seq, command, arguments: given } = content;
  return {
    seq: typeof seq === "number" ? seq : 0,
    command: typeof command === "string" ? command : String(command ?? ""),
    arguments: typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Json) : {},
  };
}

let sent = 0;

export function response({ seq, command }: DebuggerRequest, body: object): Json {
  const content: DebugProtocol.Response = {
    type: "response",
    seq: ++sent,
    request_seq: seq,
    command,
    success: true,
    body,
  };
  return { ...content };
}

export function refusal({ seq, command }: DebuggerRequest, message: string): Json {
  const content: DebugProtocol.Response = {
    type: "response",
    seq: ++sent,
    request_seq: seq,
    command,
    success: false,
    message,
    // Some clients show `message`, others this text.
    body: { error: { id: 1, format: message } },
  };
  return { ...content };
}

export function debuggerEvent(event: string, body: object): Json {
  const content: DebugProtocol.Event = { type: "event", seq: ++sent, event, body };
  return { ...content };
}

/** @throws DebuggerRefusal */
export function stringArgument({ command, arguments: given }: DebuggerRequest, name: string): string {
  const value = given[name];
  if (typeof value !== "string") throw new DebuggerRefusal(`${command} needs the argument ${name}.`);
  return value;
}

/** @throws DebuggerRefusal */
export function numberArgument({ command, arguments: given }: DebuggerRequest, name: string): number {
  const value = given[name];
  if (typeof value !== "number") throw new DebuggerRefusal(`${command} needs the argument ${name}.`);
  return value;
}

/** Undefined where it is missing. */
export function optionalNumber({ arguments: given }: DebuggerRequest, name: string): number | undefined {
  const value = given[name];
  return typeof value === "number" ? value : undefined;
}

export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsEvaluateForHovers: true,
  supportsSetVariable: true,
  supportsModulesRequest: true,
  supportsExceptionInfoRequest: true,
  exceptionBreakpointFilters: [
    { filter: "all", label: "All errors", description: "Pauses where an error is thrown.", default: false },
    {
      filter: "uncaught",
      label: "Errors that no code catches",
      description: "Pauses where an error is thrown that no try of the running code catches.",
      default: false,
    },
  ],
};
