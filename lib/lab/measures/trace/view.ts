// Shows a trace as the step table.
import { columns, type Table } from "../../../views/table.ts";
import { formatBytes, formatTime } from "../../../units.ts";
import type { Phase } from "./phases.ts";
import type { BackendSwitch } from "./switches.ts";
import type { Trace } from "./result.ts";

const LIKELY_FAILURE: Readonly<Record<Phase, string>> = {
  "batch assembly": "the device idles while the host decodes and collates: more workers, larger batches",
  "device move": "a copy that waits, or a batch left on the CPU: DeviceMismatchError in the first layer",
  "other operators": "an operator without a kernel on the device; tensors that were made on the host",
  "forward pass": "an operator without a kernel on the device; activations out of memory",
  "loss read": "logging that waits for the whole queue, every step",
  "backward pass": "out of memory: activations and gradients are there together",
  "optimizer step": "state on another device after a load; parameters that got no gradient",
  "captured step": "a number or a random seed that JavaScript changes, which a replay does not see",
};

const MAX_PLACES = 5;

const DEVICE_SIDE =
  "The device side was timed in another run of the step, operator by operator: it may add up to more than this run took.";

/** `4 backend switches: cpu to mps at to (Cell [3]:4); mps to cpu and back at eig, a fallback (Cell [3]:5); ...` */
function switchesText(switches: readonly BackendSwitch[]): string {
  if (switches.length === 0) return "The step stays on one kind of device.";
  const places = switches.flatMap(({ operator, from, to, line, cause }) => {
    const where = line === null ? "" : ` (${line})`;
    if (cause === "copy") return [`${from} to ${to} at ${operator}${where}`];
    return to === "cpu" ? [`${from} to ${to} and back at ${operator}, a fallback${where}`] : [];
  });
  const more = places.length > MAX_PLACES ? `; and ${places.length - MAX_PLACES} more` : "";
  const many = switches.length === 1 ? "1 backend switch" : `${switches.length} backend switches`;
  return `${many}: ${places.slice(0, MAX_PLACES).join("; ")}${more}.`;
}

/** `2 copies of 48 B between kinds of devices.` */
function copiesText(copies: Trace["copies"]): string[] {
  if (copies.length === 0) return [];
  const bytes = formatBytes(copies.reduce((sum, copy) => sum + copy.bytes, 0));
  return [
    `${copies.length === 1 ? "1 copy" : `${copies.length} copies`} of ${bytes} between kinds of devices.`,
  ];
}

export function traceTable(trace: Trace, hasQueue: boolean): Table {
  const { device, queuedMs, finishedMs, phases, switches, copies, notes } = trace;
  const queued = hasQueue ? `, queued after ${formatTime(queuedMs)}` : "";
  return {
    caption: `One step on ${device}: finished after ${formatTime(finishedMs)}${queued}`,
    columns: columns(
      "<step",
      "CPU side",
      "waits",
      "device side",
      "operators",
      "<tensors on",
      "<kernels on",
      "<sync point",
      "<likely failure",
    ),
    rows: phases.map(({ phase, hostMs, waitedMs, deviceMs, operators, locations, kernels, syncPoints }) => [
      phase,
      formatTime(hostMs),
      formatTime(waitedMs),
      deviceMs === null ? "" : formatTime(deviceMs),
      String(operators),
      locations.join(", "),
      kernels.join(", "),
      syncPoints.join(", "),
      LIKELY_FAILURE[phase],
    ]),
    notes: [switchesText(switches), ...copiesText(copies), ...(hasQueue ? [DEVICE_SIDE] : []), ...notes],
  };
}
