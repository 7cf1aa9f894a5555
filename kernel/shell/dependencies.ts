// Interfaces of what the kernel is built from, so that a test can pass mocks. Loaded only after the first `kernel_info`
// reply, which has to be fast.
import type { compile } from "../cell/compile.ts";
import type { isComplete } from "../cell/parse/completeness.ts";
import type { History } from "../history/history.ts";
import type { Language } from "../language/service.ts";
import type { Session, SupervisorEvents } from "../session/supervisor.ts";

export interface KernelDependencies {
  /** The notebook's folder. */
  readonly directory: string;
  readonly compile: typeof compile;
  readonly isComplete: typeof isComplete;
  /** Starts a session process; called once. */
  session(events: SupervisorEvents): Session;
  /** Starts a language server with nothing in its notebook. */
  language(): Language;
  history(): History;
}

/**
 * Starts the session and the compiler's server, and loads the rest of the kernel while they start.
 *
 * @param directory the notebook's folder
 */
export async function loadDependencies(
  directory: string,
  log: (line: string) => void,
): Promise<KernelDependencies> {
  const [{ spawnServer }, { Supervisor }, { HeldEvents }] = await Promise.all([
    import("../language/server/spawn.ts"),
    import("../session/supervisor.ts"),
    import("../session/held_events.ts"),
  ]);
  let server = spawnServer(directory);
  const events = new HeldEvents();
  const session = new Supervisor(directory, events);
  const [{ compile }, { isComplete }, language, { History }, { historyPath }, oxc, snapshots] =
    await Promise.all([
      import("../cell/compile.ts"),
      import("../cell/parse/completeness.ts"),
      import("../language/service.ts"),
      import("../history/history.ts"),
      import("../history/location.ts"),
      import("../cell/parse/oxc.ts"),
      import("../snapshot/folder.ts"),
    ]);
  oxc.loadOxc();
  snapshots.ownSnapshots();
  return {
    directory,
    compile,
    isComplete,
    session: (listener) => {
      events.listen(listener);
      return session;
    },
    language: () => {
      const started = server;
      server = null;
      return new language.LanguageService(directory, started);
    },
    history: () => new History(historyPath(), log),
  };
}
