// Measures the points of a sweep on a Ray cluster, and keeps what each node reported about itself. Every point is a
// task with a kernel of its own on a node that Ray chooses. Therefore there is no smoke window beforehand, and the
// set-up cell runs for each point.
import { packageManifest } from "../../installation/package.ts";
import { withCurrentSpreadKeys } from "../../statistics/spread.ts";
import { declaredCell, draftCell, pointCell } from "../remote/cells.ts";
import { RefusedError } from "../remote/errors.ts";
import { type Ended, endText, failureOf } from "../remote/failed_cell.ts";
import { printFrom } from "../remote/journaled_sweep.ts";
import { migratedRun } from "../remote/migrated_run.ts";
import type { RemotePlan } from "../remote/options.ts";
import { FIRST_CELLS_MS, SLACK_MS } from "../remote/remote_worker.ts";
import type { WorkerFacts } from "../remote/result.ts";
import type { WorkerPool } from "../remote/run.ts";
import type { ShareWorker } from "../remote/share.ts";
import { type Point, type PointRecord, unmeasured } from "../../records/batch_sweeps/point.ts";
import { notebookOf, ranCells } from "./cells_notebook.ts";
import { type ClusterOptions, RayCluster } from "./cluster.ts";
import { PointLostError } from "./errors.ts";
import { nodeName, type PointRequest, type RayNode } from "./point_messages.ts";

type Facts = Omit<WorkerFacts, "records">;

export class RayWorkerPool implements WorkerPool {
  readonly #plan: RemotePlan;
  readonly #engine: string;
  readonly #cluster: RayCluster;
  readonly #nodes = new Map<string, Facts>();

  /** @throws RayError if no Python with Ray is found */
  constructor(plan: RemotePlan, options: ClusterOptions) {
    this.#plan = plan;
    this.#engine = options.engine;
    this.#cluster = RayCluster.start(options, {
      refused: (node, reason) => this.#note(node, { status: "refused", reason }),
      lost: (node, reason) => {
        if (node !== null) this.#note(node, { status: "lost", reason });
      },
    });
  }

  machines(): readonly Facts[] {
    return [...this.#nodes.values()];
  }

  /** One worker for each piece: Ray gets all of them, and decides how many run at once. */
  workersFor(pieces: number): readonly ShareWorker[] {
    return Array.from({ length: pieces }, (_, at) => ({
      name: `task ${at + 1} of Ray`,
      prepare: async () => {
        await this.#cluster.connected;
        return true;
      },
      measure: (point) => this.#measure(point),
      // Nothing to do: the cluster hands the point over again by itself.
      lost() {},
    }));
  }

  close(): Promise<void> {
    return this.#cluster.close();
  }

  /** @throws RayError if no node can take it */
  async #measure(point: Point): Promise<PointRecord> {
    const startedAt = new Date().toISOString();
    const beganMs = performance.now();
    const failed = (name: string, status: PointRecord["status"], error: string): PointRecord => ({
      ...unmeasured(point, status, error),
      ...{ remote: name, startedAt, wallMs: performance.now() - beganMs },
    });
    try {
      for (;;) {
        const { node, ran } = await this.#cluster.run(this.#requestOf(point));
        const name = nodeName(node);
        const [setUp, declared, drafted, measured] = ranCells(ran);
        if (this.#plan.show)
          for (const cell of [setUp, measured]) if (cell?.printed) printFrom(name, cell.printed);
        const why = refusalOf(setUp?.end, declared?.end, drafted?.end) ?? this.#welcome(node, drafted!.end);
        if (why !== null) this.#cluster.avoid(node, why);
        else if (measured?.end?.status === "ok")
          return { ...(withCurrentSpreadKeys(measured.end.payloads[0]) as PointRecord), remote: name };
        else
          return failed(
            name,
            ...failureOf(measured!.end as Exclude<Ended, { status: "ok" }>, this.#plan.deadlineMs),
          );
      }
    } catch (thrown) {
      if (!(thrown instanceof PointLostError)) throw thrown;
      return failed(thrown.nodes, "crashed", thrown.message);
    }
  }

  #requestOf(point: Point): PointRequest {
    const { setup, given, deadlineMs } = this.#plan;
    return {
      version: packageManifest().version,
      notebook: notebookOf([setup, declaredCell(), draftCell(given), pointCell(point, this.#plan)]),
      papermill: {},
      folder: process.cwd(),
      session: `${this.#plan.name}.ipynb`,
      timeoutSeconds: Math.ceil(Math.max(FIRST_CELLS_MS, deadlineMs + SLACK_MS) / 1000),
    };
  }

  /** Keeps the first run that each node drafts. Returns why the node cannot take part, null if it can. */
  #welcome(node: RayNode, drafted: Ended | null): string | null {
    if (this.#nodes.get(node.id)?.run) return null;
    try {
      const { run, notes } = migratedRun(drafted?.status === "ok" ? drafted.payloads[0] : null);
      this.#note(node, { run, notes, greeting: packageManifest() });
      return null;
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown;
      return thrown.message;
    }
  }

  #note(node: RayNode, told: Partial<Facts>): void {
    const known = this.#nodes.get(node.id) ?? {
      ...{ name: nodeName(node), url: this.#engine, status: "ready", reason: null, roundTripMs: null },
      ...{ smoke: null, greeting: null, run: null, notes: [] },
    };
    this.#nodes.set(node.id, { ...(known as Facts), ...told });
  }
}

/** Null if the cells before that of the point succeeded. */
function refusalOf(setUp?: Ended | null, declared?: Ended | null, drafted?: Ended | null): string | null {
  if (setUp?.status !== "ok")
    return `the set-up cell failed there: ${setUp ? endText(setUp) : "it did not run"}`;
  const why = "the set-up cell declares no setup as a sweep takes it";
  if (declared?.status !== "ok") return `${why}: ${declared ? endText(declared) : "it was not reached"}`;
  const type = String(declared.payloads[0]);
  if (type !== "function") return `${why}, but a value of type ${type}`;
  if (drafted?.status === "ok") return null;
  return `its logbook drafts no run: ${drafted ? endText(drafted) : "it was not reached"}`;
}
