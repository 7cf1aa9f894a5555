// Judges all gates together, and decides whether throughput may be quoted. gates.ts collects the facts.
import { shownAs } from "../../../views/shown_as.ts";
import { columns, type Table } from "../../../views/table.ts";
import { conditionGates, memoryGate } from "./conditions.ts";
import type { Gate, GateFacts, Gates } from "./gate.ts";
import { allocatorGate, splitGate, sweepGate } from "./measured_steps.ts";
import { architectureGate, deviceGate } from "./setup_steps.ts";

export function judge(facts: GateFacts): Gates {
  const [architecture, device, sweep, allocator] = [
    architectureGate(facts),
    deviceGate(facts),
    sweepGate(facts),
    allocatorGate(facts),
  ];
  const proofs: readonly (readonly [Gate, string])[] = [
    [architecture, "proof of arm64"],
    [device, "a device log"],
    [sweep, "a batch sweep"],
    [allocator, "a memory curve"],
  ];
  const notQuotableFor = proofs.filter(([{ status }]) => status !== "pass").map(([, proof]) => proof);
  const all = [
    architecture,
    device,
    sweep,
    allocator,
    splitGate(facts),
    memoryGate(facts),
    ...conditionGates(facts),
  ];
  return shownAs({ gates: all, quotable: notQuotableFor.length === 0, notQuotableFor }, gatesTable);
}

function gatesTable({ gates, quotable, notQuotableFor }: Gates): Table {
  return {
    caption: "The runbook's gates",
    columns: columns("step", "<gate", "<status", "<<evidence", "<<next"),
    rows: gates.map(({ step, name, status, evidence, action }) => [
      step === null ? "" : String(step),
      name,
      status,
      evidence.join("\n"),
      action ?? "",
    ]),
    marked: gates.flatMap(({ status }, at) => (status === "fail" ? [at] : [])),
    notes: [
      quotable
        ? "Throughput may be quoted."
        : `Throughput is not quotable: what is missing is ${notQuotableFor.join(", ")}.`,
    ],
  };
}
