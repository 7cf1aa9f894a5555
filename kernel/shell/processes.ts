// Starts the session and the compiler's server. They take longer to start than the kernel and need nothing from it. So
// the kernel starts them first, and this file imports as little as possible.
import { type ServerProcess, spawnServer } from "../language/server/spawn.ts";
import { HeldEvents } from "../session/held_events.ts";
import { ownSnapshots } from "../snapshot/folder.ts";
import { type Session, Supervisor, type SupervisorEvents } from "../session/supervisor.ts";

export interface StartedProcesses {
  /** The session. The listener gets what it has reported so far, and then everything that it reports. */
  session(listener: SupervisorEvents): Session;
  /** The compiler's server. Only the first caller gets it; null if it could not be started. */
  server(): ServerProcess | null;
  /** Ends the processes that nobody asked for. */
  close(): Promise<void>;
}

/** @param directory the notebook's folder */
export function startProcesses(directory: string): StartedProcesses {
  ownSnapshots();
  let server = spawnServer(directory);
  const events = new HeldEvents();
  const session = new Supervisor(directory, events);
  let isHeard = false;
  return {
    session(listener) {
      isHeard = true;
      events.listen(listener);
      return session;
    },
    server() {
      const started = server;
      server = null;
      return started;
    },
    async close() {
      server?.kill();
      if (!isHeard) await session.close();
    },
  };
}
