// A trace as the step table. Measures nothing.
import { columns, type Table } from "../table.ts";
import { formatBytes, formatTime } from "../../units.ts";
import type { Phase } from "./phases.ts";
import type { BackendSwitch, Trace } from "./trace.ts";

const LIKELY_FAILURE: Readonly<Record<Phase, string>> = {
  "batch assembly": "the device idles while the host decodes and collates: more workers, larger batches",
  "device move": "a copy that waits, or a batch left on the CPU: DeviceMismatchError in the first layer",
  "forward pass": "an operator without a kernel on the device; activations out of memory",
  "loss read": "logging that waits for the whole queue, every step",
  "backward pass": "out of memory: activations and gradients are there together",
  "optimizer step": "state on another device after a load; parameters that got no gradient",
};

const MOST_SWITCHES = 5;

/** `2: mps to cpu at add (Cell [3]:4); cpu to mps at mul (Cell [3]:5)` */
function listed(switches: readonly BackendSwitch[]): string {
  const shown = switches
    .slice(0, MOST_SWITCHES)
    .map(
      ({ operator, from, to, line }) => `${from} to ${to} at ${operator}${line === null ? "" : ` (${line})`}`,
    );
  const more = switches.length > MOST_SWITCHES ? `; and ${switches.length - MOST_SWITCHES} more` : "";
  return `${switches.length}: ${shown.join("; ")}${more}`;
}

/** Of a step that computes on one kind of device. */
function copiesText(copies: Trace["copies"]): string {
  if (copies.length === 0) return "The step stays on one kind of device.";
  const bytes = formatBytes(copies.reduce((sum, copy) => sum + copy.bytes, 0));
  const many = copies.length === 1 ? "1 copy" : `${copies.length} copies`;
  return `The step computes on one kind of device, with ${many} of ${bytes} to or from another.`;
}

export function traceTable({ device, wallMs, phases, switches, copies, notes }: Trace): Table {
  const deliberate = switches.filter(({ cause }) => cause === "copy");
  const fallbacks = switches.filter(({ cause }) => cause === "fallback");
  const summary =
    switches.length === 0
      ? copiesText(copies)
      : [
          ...(deliberate.length > 0 ? [`Backend switches by copies: ${listed(deliberate)}.`] : []),
          ...(fallbacks.length > 0 ? [`Fallbacks, there and back: ${listed(fallbacks)}.`] : []),
        ].join(" ");
  return {
    caption: `One step on ${device}, ${formatTime(wallMs)}`,
    columns: columns(
      "<step",
      "CPU side",
      "waits",
      "device side",
      "operators",
      "<tensors on",
      "<sync point",
      "<likely failure",
    ),
    rows: phases.map(({ phase, hostMs, waitedMs, deviceMs, operators, locations, syncPoints }) => [
      phase,
      formatTime(hostMs),
      formatTime(waitedMs),
      deviceMs === null ? "" : formatTime(deviceMs),
      String(operators),
      locations.join(", "),
      syncPoints.join(", "),
      LIKELY_FAILURE[phase],
    ]),
    notes: [summary, ...notes],
  };
}
