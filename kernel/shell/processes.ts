// Starts the session and the compiler's server. They take longer to start than the kernel and need nothing from it. So
// the kernel starts them first, and this file imports as little as possible before that.
import { spawnServer } from "../language/server/spawn.ts";
import type { Language } from "../language/service.ts";
import { HeldEvents } from "../session/held_events.ts";
import { ownSnapshots } from "../snapshot/folder.ts";
import { type Session, Supervisor, type SupervisorEvents } from "../session/supervisor.ts";

export interface StartedProcesses {
  /** The session. The listener gets what it has reported so far, and then everything that it reports. */
  session(listener: SupervisorEvents): Session;
  /** A checker with an empty notebook. The first caller gets the one that was started. */
  language(): Language;
  /** Ends the processes that nobody asked for. */
  close(): Promise<void>;
}

/**
 * Before its first check, the compiler's server reads all declarations of TypeScript and Node. That takes longer than
 * loading the kernel, so the server is asked before the kernel is loaded.
 *
 * @param directory the notebook's folder
 */
export async function startProcesses(directory: string): Promise<StartedProcesses> {
  ownSnapshots();
  const server = spawnServer(directory);
  const events = new HeldEvents();
  const session = new Supervisor(directory, events);
  let isHeard = false;
  const { LanguageService } = await import("../language/service.ts");
  let first: Language | null = new LanguageService(directory, server);
  return {
    session(listener) {
      isHeard = true;
      events.listen(listener);
      return session;
    },
    language() {
      const language = first ?? new LanguageService(directory);
      first = null;
      return language;
    },
    async close() {
      first?.close();
      if (!isHeard) await session.close();
    },
  };
}
