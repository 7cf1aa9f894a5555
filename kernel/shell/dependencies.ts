// Interfaces of what the kernel is built from, so that a test can pass mocks. Loaded only after the first `kernel_info`
// reply, which has to be fast.
import type { compile } from "../cell/compile.ts";
import type { isComplete } from "../cell/parse/completeness.ts";
import type { History } from "../history/history.ts";
import type { Language } from "../language/service.ts";
import { nodeRefusal } from "../../lib/installation/node_support.ts";
import type { StartedProcesses } from "./processes.ts";
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

/** @param directory the notebook's folder */
export async function loadDependencies(
  directory: string,
  processes: StartedProcesses,
  log: (line: string) => void,
): Promise<KernelDependencies> {
  const [{ compile }, { isComplete }, language, { History }, { historyPath }, oxc] = await Promise.all([
    import("../cell/compile.ts"),
    import("../cell/parse/completeness.ts"),
    import("../language/service.ts"),
    import("../history/history.ts"),
    import("../history/location.ts"),
    import("../cell/parse/oxc.ts"),
  ]);
  try {
    oxc.loadOxc();
  } catch (error) {
    // Jupyter starts the Node that a kernelspec names, which may have become another one since set-up.
    const refusal = await nodeRefusal();
    throw refusal === null ? error : new Error(`${refusal}, then restart the kernel.`, { cause: error });
  }
  return {
    directory,
    compile,
    isComplete,
    session: (events) => processes.session(events),
    language: () => new language.LanguageService(directory, processes.server()),
    history: () => new History(historyPath(), log),
  };
}
