// The rooms that a kernel joins, as plain interfaces: whatever fits them will do, a mock in a test included. Loaded
// only after the first `kernel_info` reply, which has to be fast.
import type { compile } from "./cell/compile.ts";
import type { isComplete } from "./cell/completeness.ts";
import type { History } from "./history/history.ts";
import type { LanguageService } from "./language/service.ts";
import type { Supervisor, SupervisorEvents } from "./session/supervisor.ts";

/** `Pick` leaves the private members of the class behind. */
export type Session = Pick<Supervisor, keyof Supervisor>;
export type Language = Pick<LanguageService, keyof LanguageService>;

export interface Rooms {
  /** The notebook's folder. */
  readonly directory: string;
  readonly compile: typeof compile;
  readonly isComplete: typeof isComplete;
  /** Starts a session process. */
  session(events: SupervisorEvents): Session;
  /** Starts a language server with nothing in its notebook. */
  language(): Language;
  history(): History;
}

/** @param directory the notebook's folder */
export async function loadRooms(directory: string, log: (line: string) => void): Promise<Rooms> {
  const [{ compile }, { isComplete }, session, language, { History }, { historyPath }, oxc, snapshots] =
    await Promise.all([
      import("./cell/compile.ts"),
      import("./cell/completeness.ts"),
      import("./session/supervisor.ts"),
      import("./language/service.ts"),
      import("./history/history.ts"),
      import("./history/location.ts"),
      import("./cell/oxc.ts"),
      import("./snapshot/folder.ts"),
    ]);
  oxc.loadOxc();
  snapshots.ownSnapshots();
  return {
    directory,
    compile,
    isComplete,
    session: (events) => new session.Supervisor(directory, events),
    language: () => new language.LanguageService(directory),
    history: () => new History(historyPath(), log),
  };
}
