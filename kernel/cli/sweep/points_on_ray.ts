// Runs the points of a sweep on a Ray cluster: all are handed over in the sweep's order, and each comes back as its
// notebook with outputs. Knows nothing of how Ray is spoken to.
import { dirname, join } from "node:path";
import { packageManifest } from "../../../lib/installation/package.ts";
import { type ClusterOptions, RayCluster } from "../../../lib/lab/ray/cluster.ts";
import { PointLostError, RayError } from "../../../lib/lab/ray/errors.ts";
import { nodeName, type PointRequest } from "../../../lib/lab/ray/point_messages.ts";
import { interrupted } from "../client/interruption.ts";
import { notebookPieces, parseNotebook, writeNotebook } from "../notebook/file.ts";
import type { Point } from "../../../lib/records/parameters.ts";
import type { PointRecord } from "./journal.ts";
import { noteOf, parameterized, resultsOf } from "./point_run.ts";
import type { SweepWork } from "./points_here.ts";
import { say } from "../terminal.ts";

/**
 * @param take gets each record as it comes
 * @throws UnfinishedRun after a signal, RayError if no cluster takes points
 */
export async function runOnRay(
  work: SweepWork,
  points: readonly { readonly point: Point; readonly name: string }[],
  options: ClusterOptions,
  take: (record: PointRecord) => void,
): Promise<void> {
  if (points.length === 0) return;
  const cluster = RayCluster.start(options, {
    refused: (node, why) => say(`${nodeName(node)} takes no points: ${why}.\n`),
    lost: (node, why) =>
      say(
        `A point was lost${node === null ? "" : ` on ${nodeName(node)}`}, and is handed over again: ${why}.\n`,
      ),
  });
  try {
    await Promise.race([cluster.connected, interrupted()]);
    const handedOver = points.map(({ point, name }) => runOne(cluster, work, point, name, take));
    await Promise.race([Promise.all(handedOver), interrupted()]);
  } finally {
    await cluster.close();
  }
}

async function runOne(
  cluster: RayCluster,
  work: SweepWork,
  point: Point,
  name: string,
  take: (record: PointRecord) => void,
): Promise<void> {
  const beganMs = performance.now();
  const file = `${name}.ipynb`;
  try {
    const { node, ran } = await cluster.run(requestOf(work, point, file));
    const { status, error, wallSeconds } = ran;
    const notebook = parseNotebook(ran.notebook);
    if (notebook === null) throw new RayError(`${nodeName(node)} sent back no notebook for ${name}.`);
    writeNotebook(notebook, join(work.output, file));
    take({ point, status, error, wallSeconds, file, results: resultsOf(notebook), node: nodeName(node) });
  } catch (error) {
    if (!(error instanceof PointLostError)) throw error;
    const wallSeconds = (performance.now() - beganMs) / 1000;
    const { message, nodes: node } = error;
    take({ point, status: "died", error: message, wallSeconds, file, results: {}, node });
  }
}

function requestOf(
  { notebook: swept, source, output, timeout }: SweepWork,
  point: Point,
  file: string,
): PointRequest {
  return {
    version: packageManifest().version,
    notebook: [...notebookPieces(parameterized(swept, point))].join(""),
    papermill: noteOf(point, source, join(output, file)),
    folder: dirname(source),
    session: source,
    timeoutSeconds: timeout ?? null,
  };
}
