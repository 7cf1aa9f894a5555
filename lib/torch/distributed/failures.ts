// Says which rank failed, and where. libtorch only reports that a connection was closed. So each rank that notices a
// failure writes into the store what it was doing; the message then says which ranks did not, because they are gone or
// stopped.
import { setBackwardFailureExplainer } from "../autograd/autograd.ts";
import { DistBackendError, DistStoreError, isOfLibtorch, libtorchText } from "./errors.ts";
import { type Activity, currentWorld, ProcessGroup, type World } from "./process_group.ts";
import { listed } from "./rendezvous.ts";

/** How long the other ranks may take to report that they noticed the failure. */
const PATIENCE_MS = 1000;

const activityText = ({ call, what, count }: Activity): string =>
  `${call}${what === "" ? "" : ` of ${what}`}${count === 0 ? "" : ` (call ${count} of the group)`}`;

/** libtorch's reason in a user's words. */
function reasonOf(text: string): string {
  const waited = /Timed out (?:waiting|after) (\d+)\s*ms|Timeout\(ms\)=(\d+)/.exec(text);
  if (waited) return `nothing came from another rank within ${waited[1] ?? waited[2]} ms`;
  if (/Connection (closed|reset)|Application timeout|broken pipe|Socket/i.test(text))
    return "a connection to another rank was closed";
  if (/length|nbytes/.test(text)) return "another rank sent another number of bytes";
  return text.split("\n")[0]!;
}

/** The key under which a rank writes what it was doing when it failed. */
const keyOf = (world: World, group: ProcessGroup, rank: number): string =>
  `${world.prefix}/failure/${group.name}/${rank}`;

/** Tells the other ranks that this one failed. Without it, they would only notice that it is silent. */
export function tellFailure(group: ProcessGroup, activity: Activity): void {
  const world = currentWorld();
  if (world !== null) world.store.set(keyOf(world, group, world.group.rank()), activityText(activity));
}

/** What the ranks wrote, in their order; null for those that wrote nothing. */
function reportsOf(world: World, group: ProcessGroup, activity: Activity): (string | null)[] {
  const own = world.group.rank();
  tellFailure(group, activity);
  const deadline = performance.now() + PATIENCE_MS;
  return group.ranks.map((rank) => {
    if (rank === own) return activityText(activity);
    try {
      return world.store
        .get(keyOf(world, group, rank), Math.max(1, Math.ceil(deadline - performance.now())))
        .toString();
    } catch (error) {
      if (error instanceof DistStoreError && error.message.includes("nobody has set")) return null;
      throw error;
    }
  });
}

/** What is known of the other ranks, and which are silent. */
function othersText(world: World, group: ProcessGroup, activity: Activity): readonly [string, number[]] {
  let reports: (string | null)[];
  try {
    reports = reportsOf(world, group, activity);
  } catch {
    return [
      `The store at ${world.store.host}:${world.store.port} does not answer: the process that keeps it, rank 0 or the launcher, has ended or is stopped.`,
      [0],
    ];
  }
  const own = world.group.rank();
  const silent = group.ranks.filter((_, i) => reports[i] === null);
  const elsewhere = group.ranks.flatMap((rank, i) => {
    const report = reports[i];
    if (rank === own || report === null || report === activityText(activity)) return [];
    return [`rank ${rank} was in ${report}`];
  });
  const texts = [
    ...(silent.length === 0
      ? []
      : [
          `No word from rank${silent.length > 1 ? "s" : ""} ${listed(silent)}: ${silent.length > 1 ? "they have" : "it has"} ended, ${silent.length > 1 ? "are" : "is"} stopped, or work${silent.length > 1 ? "" : "s"} on something else.`,
        ]),
    ...(elsewhere.length === 0 ? [] : [`Meanwhile ${elsewhere.join(", ")}.`]),
  ];
  if (texts.length === 0) texts.push("All other ranks failed in the same call.");
  return [texts.join(" "), silent];
}

/**
 * The error to throw in place of one from a collective. The interruption, and errors of arguments, are returned
 * unchanged.
 */
export function explainFailure(error: unknown, group: ProcessGroup, activity: Activity): unknown {
  const world = currentWorld();
  if (!isOfLibtorch(error) || world === null) return error;
  const text = libtorchText(error);
  const shared = sharedGpuText(activity.call, text);
  if (shared !== null) return new DistBackendError(shared, world.group.rank(), [], error.cause);
  if (/^Invalid scalar type|data type .*NCCL/i.test(text))
    return new TypeError(
      `${activity.call}: ${text.includes("NCCL") ? "NCCL" : "gloo"} does not carry ${activity.what}: convert the tensor to another dtype.`,
      {
        cause: error.cause,
      },
    );
  if (!isOfNetwork(text)) return error;
  const [others, silent] = othersText(world, group, activity);
  return new DistBackendError(
    `${activityText(activity)}: rank ${world.group.rank()} of ${world.group.size()}: ${reasonOf(text)}. ${others}`,
    world.group.rank(),
    silent,
    error.cause,
  );
}

/** Explains NCCL's error that two ranks use one GPU; null for another error. */
export function sharedGpuText(call: string, text: string): string | null {
  const ranks = /Duplicate GPU detected : rank (\d+) and rank (\d+)/.exec(text);
  if (ranks === null) return null;
  return `${call}: ranks ${ranks[1]} and ${ranks[2]} use the same GPU, and NCCL wants one for each: call cuda.setDevice(distributed.getNodeLocalRank()) before the first tensor, or connect with { backend: "gloo" }.`;
}

/** The error of a wait for the GPU. What failed there began in an earlier call, which has returned. */
export function explainGpuFailure(handle: number, reason: string): unknown {
  const world = currentWorld();
  const group = ProcessGroup.withHandle(handle);
  if (world === null || group === null) return new Error(`A collective on the GPU failed: ${reason}.`);
  const last = ProcessGroup.last(group) ?? { call: "a collective", what: "", count: 0 };
  const why = reason === "timeout" ? `it took longer than ${group.timeoutMs} ms` : reason;
  const [others, silent] = othersText(world, group, last);
  return new DistBackendError(
    `${activityText(last)}, or one before it, failed on the GPU of rank ${world.group.rank()} of ${world.group.size()}: ${why}. What it gave has no meaning. ${others}`,
    world.group.rank(),
    silent,
    undefined,
  );
}

// Gradients are reduced during backward, so an error of backward may be one of a collective.
setBackwardFailureExplainer((error) => {
  const world = currentWorld();
  if (world === null) return error;
  return explainFailure(error, world.group, { call: "backward", what: "", count: 0 });
});

/** Other errors of libtorch concern arguments, such as a dtype that gloo does not have. */
const isOfNetwork = (text: string): boolean =>
  /\bgloo\/|NCCL|Timed out|timeout|Connection|socket|Detected mismatch/i.test(text);
