// Judges steps 3 to 5 of the runbook, each from a record of this run: batch sweep, allocator discipline, split
// decision.
import { citeLoop, lastLoop } from "../evidence.ts";
import { growthRemedy, memoryGrowth } from "../../epochs/growth.ts";
import { quotedGrowth } from "../../epochs/growth_text.ts";
import { pointText } from "../../../records/parameters.ts";
import { capitalized } from "../../../words.ts";
import type { Gate, GateFacts, GateStatus } from "./gate.ts";

/** Fewer points do not make a curve. */
const MIN_POINTS = 3;

export function sweepGate({ evidence: { sweep, logbook = [] }, origins, device }: GateFacts): Gate {
  const name = "batch sweep";
  if (sweep === undefined) {
    const action =
      "Run lab.sweep({ batch: { from: 16 }, setup }), and lab.logbook.record({ results: { sweep }, workers }).";
    return { step: 3, name, status: "not run", evidence: [], action };
  }
  const measured = sweep.points.filter(({ status }) => status === "measured");
  const best = sweep.choices
    .map(({ bestBatch, parameters }) => pointText({ batch: bestBatch, ...parameters }).replace("batch ", ""))
    .join("; ");
  const workers = logbook.findLast((entry) => entry.type === "run")?.fields.workers ?? null;
  const evidence = [
    `${origins.sweep ?? "as given"}: ${sweep.name} on ${sweep.device}, ${measured.length} of ${sweep.points.length} points measured${best === "" ? "" : `, best batch ${best}`}`,
    ...sweep.ends.map((end) => end.replace(/\.$/, "")),
    `workers: ${workers === null ? "not recorded" : String(workers)}`,
  ];
  const gate = (status: GateStatus, action: string | null): Gate => ({
    step: 3,
    name,
    status,
    evidence,
    action,
  });
  if (sweep.device !== device) return gate("fail", `Sweep on ${device}: this one is of ${sweep.device}.`);
  if (measured.length < MIN_POINTS || best === "")
    return gate("fail", `Measure ${MIN_POINTS} batches at least: begin lower, or make the step smaller.`);
  if (sweep.choices.some(({ uncertain }) => uncertain))
    return gate(
      "fail",
      "Sweep again on a quiet machine: spreads are so wide that chance may have chosen the best batch.",
    );
  if (workers === null)
    return gate(
      "fail",
      "Fix the data loader's workers and write them down: lab.logbook.record({ workers: 0 }).",
    );
  return gate("pass", null);
}

export function allocatorGate({ evidence: { epochs = [] } }: GateFacts): Gate {
  const loop = lastLoop(epochs);
  const gate = (status: GateStatus, evidence: string[], action: string | null = null): Gate => ({
    step: 4,
    name: "allocator discipline",
    status,
    evidence,
    action,
  });
  if (loop.length === 0)
    return gate("not run", [], `${sentence(growthRemedy(loop))} Each is flushed and recorded.`);
  const cite = citeLoop(loop);
  const flushed = loop.filter(({ collection }) => collection !== "none").length;
  const found = memoryGrowth(loop);
  const evidence = [
    `${cite}: ${flushed} of ${loop.length} flushed`,
    ...(found.rise === null ? [] : [`${cite}: ${quotedGrowth(found)}`]),
  ];
  if (flushed < loop.length) return gate("fail", evidence, "Switch the flush on again: %flush on.");
  if (found.verdict === "growing")
    return gate(
      "fail",
      evidence,
      found.metric === "allocatedBytes" || found.metric === "hostBytes"
        ? "Find what keeps tensors: lab.diagnose(); keep losses as numbers, with item() at the epoch's end."
        : "Find what grows beside the tensors: lab.diagnose() says where, and what to ask first.",
    );
  if (found.verdict === "undecided") return gate("not run", evidence, sentence(growthRemedy(loop)));
  return gate("pass", evidence);
}

export function splitGate({ decision }: GateFacts): Gate {
  const { lane, rule, action, missing, cites } = decision;
  const evidence = cites.map(({ from }) => from);
  const common = { step: 5, name: "split decision" } as const;
  if (lane === null)
    return {
      ...common,
      status: "not run",
      evidence,
      action: missing.length === 0 ? action : `Find ${missing.join("; and ")}.`,
    };
  return {
    ...common,
    status: "pass",
    evidence: [`lab.decide: ${lane}, by the rule "${rule}"`, ...evidence],
    action,
  };
}

/** `run it` -> `Run it.` */
const sentence = (text: string): string => `${capitalized(text)}.`;
