// `%inspect`: opens V8's inspector of the session for another debugger, and closes it. `%inspect wait` holds the session
// until one is there.
import inspector from "node:inspector";
import { setTimeout } from "node:timers/promises";
import type { SessionHandler } from "./handler.ts";

/** A port that the system chooses: several notebooks may be open. */
const ANY_PORT = 0;
/** Waiting holds the thread that prints: the address must be on its way before. */
const PRINTED_MS = 100;

/** Its path is a token. The session is started so that the port tells it to nobody (`session/process.ts`). */
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
