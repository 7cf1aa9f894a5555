// Finds which scripts V8 still holds. A function, a suspended call, or an error whose stack was not formatted yet keeps
// its script alive.
import { Session } from "node:inspector";

/**
 * Returns the URLs of the scripts. Enabling the debugger reports every script in the heap. It is disabled before any
 * code runs. A script that nothing refers to is listed until it is collected.
 */
export function liveScripts(): ReadonlySet<string> {
  const urls = new Set<string>();
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => urls.add(params.url));
  session.post("Debugger.enable");
  session.post("Debugger.disable");
  session.disconnect();
  return urls;
}
