// Starts the session and the compiler's server. They take longer to start than the kernel, and need nothing of it: so
// this is the first thing that the kernel does, and loads as little as it can.
import { type ServerProcess, spawnServer } from "../language/server/spawn.ts";
import { HeldEvents } from "../session/held_events.ts";
import { ownSnapshots } from "../snapshot/folder.ts";
import { type Session, Supervisor, type SupervisorEvents } from "../session/supervisor.ts";

export interface StartedProcesses {
  /** The session; what it reported is told to the listener, then what it reports. */
  session(listener: SupervisorEvents): Session;
  /** The compiler's server, for the first one who asks; null if it could not be started. */
  server(): ServerProcess | null;
  /** Ends what nobody asked for. */
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
