// `%inspect`: opens V8's inspector of the session for another debugger, and closes it. `%inspect wait` holds the session
// until one is there.
import inspector from "node:inspector";
import { setTimeout } from "node:timers/promises";
import type { SessionHandler } from "./handler.ts";

/** The system chooses a free port, because several notebooks may be open. */
const ANY_PORT = 0;
/** Time to print the address before the session waits: waiting blocks the thread that prints. */
const PRINTED_MS = 100;

/**
 * The path in the address is a token. The session is started with options that keep the port from telling it
 * (`session/process.ts`).
 */
export const inspect: SessionHandler<"inspect"> = async ({ text }, session) => {
  if (text === "off") {
    const wasOpen = inspector.url() !== undefined;
    inspector.close();
    return session.print(
      wasOpen ? "The session is closed to debuggers.\n" : "No debugger can attach: it is off.\n",
    );
  }
  if (inspector.url() === undefined) inspector.open(ANY_PORT, "127.0.0.1");
  const address = inspector.url() as string;
  session.print(
    `The session can be debugged at ${address}\n` +
      `Attach VS Code with "websocketAddress": "${address}", or open devtools://devtools/bundled/js_app.html?ws=${address.slice("ws://".length)} in Chrome.\n` +
      "Whoever knows the address runs code as you; %inspect off closes it.\n",
  );
  if (text !== "wait") return;
  await setTimeout(PRINTED_MS);
  inspector.waitForDebugger();
};
