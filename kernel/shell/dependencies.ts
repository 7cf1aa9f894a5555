// Interfaces of the parts that the kernel is built from, so that a test can replace them. The parts are loaded only
// after the first `kernel_info` reply, which has to be fast.
import type { compile } from "../cell/compile.ts";
import type { isComplete } from "../cell/completeness.ts";
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
  /** Starts the processes of `%%ranks`. */
  ranks(size: number, events: SupervisorEvents): Promise<RankSession>;
  /** Starts a language server with an empty notebook. */
  language(): Language;
  history(): History;
}

/** Several processes that run each cell together. */
export interface RankSession extends Session {
  readonly size: number;
  /** The ids of the processes, by rank. */
  readonly pids: readonly number[];
  /** Whether a process has ended, and with it all others: there is nothing left to run cells. */
  readonly ended: boolean;
}

/** @param directory the notebook's folder */
export async function loadDependencies(
  directory: string,
  processes: StartedProcesses,
  log: (line: string) => void,
): Promise<KernelDependencies> {
  const [{ compile }, { isComplete }, { History }, { historyPath }, oxc] = await Promise.all([
    import("../cell/compile.ts"),
    import("../cell/completeness.ts"),
    import("../history/history.ts"),
    import("../history/location.ts"),
    import("../../lib/typescript/oxc.ts"),
  ]);
  try {
    oxc.loadOxc();
  } catch (error) {
    // Jupyter starts the Node that a kernelspec names, which may not be the one that set-up has used.
    const refusal = await nodeRefusal();
    throw refusal === null ? error : new Error(`${refusal}, then restart the kernel.`, { cause: error });
  }
  return {
    directory,
    compile,
    isComplete,
    session: (events) => processes.session(events),
    async ranks(size, events) {
      const { RankGroup } = await import("../session/ranks/rank_group.ts");
      return await RankGroup.start(directory, size, events);
    },
    language: () => processes.language(),
    history: () => new History(historyPath(), log),
  };
}
