// `%inspect`: opens V8's inspector of the session for another debugger. `%inspect wait` holds the session until one is
// there.
import inspector from "node:inspector";
import { setTimeout } from "node:timers/promises";
import type { SessionHandler } from "./handler.ts";

/** A port that the system chooses: several notebooks may be open. */
const ANY_PORT = 0;
/** Waiting holds the thread that prints: the address must be on its way before. */
const PRINTED_MS = 100;

export const inspect: SessionHandler<"inspect"> = async ({ text }, session) => {
  if (inspector.url() === undefined) inspector.open(ANY_PORT, "127.0.0.1");
  const { host } = new URL(inspector.url() as string);
  session.print(
    `The session can be debugged at ${host}: add it to chrome://inspect, or attach "Node.js: Attach" of VS Code to port ${host.split(":")[1]}.\n`,
  );
  if (text !== "wait") return;
  await setTimeout(PRINTED_MS);
  inspector.waitForDebugger();
};
