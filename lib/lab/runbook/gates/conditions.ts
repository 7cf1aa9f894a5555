// Judges the conditions that distort measurements: memory limits, power, heat, other programs.
import { type Computer, FULL_LOAD_PER_CORE } from "../../core/system_info.ts";
import { formatBytes } from "../../../units.ts";
import type { Gate, GateFacts, GateStatus } from "./gate.ts";

export function memoryGate({ memory, device }: GateFacts): Gate {
  const { driverBytes, recommendedBytes, swapBytes, pressure, availableBytes } = memory;
  const told = (bytes: number | null) => (bytes === null ? "not known" : formatBytes(bytes));
  const evidence = [
    `lab.memory(): ${formatBytes(driverBytes)} held on ${device}, recommended limit ${recommendedBytes > 0 ? formatBytes(recommendedBytes) : "none"}`,
    `machine: ${told(availableBytes)} available, swap ${told(swapBytes)}, pressure ${pressure ?? "not known"}`,
  ];
  const gate = (status: GateStatus, action: string | null = null): Gate => ({
    step: null,
    name: "memory limits",
    status,
    evidence,
    action,
  });
  if (recommendedBytes > 0 && driverBytes > recommendedBytes)
    return gate("fail", "Lower the batch: the device's recommended limit is passed.");
  if (pressure === "warning" || pressure === "critical")
    return gate("fail", "Close programs or lower the batch: the system is short of memory.");
  return pressure === null && recommendedBytes <= 0
    ? gate("not run", "The system tells neither a limit nor its pressure.")
    : gate("pass");
}

/** If the sensors report nothing, uses what a user recorded in the logbook's last run. */
export function conditionGates({ computer, evidence: { logbook = [] } }: GateFacts): Gate[] {
  const run = logbook.findLast((entry) => entry.type === "run");
  const known = <Name extends "powerAdapter" | "lowPowerMode" | "thermalState">(name: Name) => {
    const recorded = run?.fields[name] ?? null;
    const from = computer[name] !== null || recorded === null ? "machine" : `logbook run ${run?.id}`;
    return { value: (computer[name] ?? recorded) as Computer[Name], from };
  };
  const [adapter, lowPower, thermal] = [known("powerAdapter"), known("lowPowerMode"), known("thermalState")];
  const told = (value: boolean | string | null) =>
    value === null ? "not known" : value === true ? "yes" : value === false ? "no" : value;
  const condition = (name: string, evidence: string[], failed: string | null, open: string | null): Gate => ({
    step: null,
    name,
    status: failed !== null ? "fail" : open !== null ? "not run" : "pass",
    evidence,
    action: failed ?? open,
  });
  const load = computer.loadPerCore;
  return [
    condition(
      "power",
      [
        `${adapter.from}: power adapter ${told(adapter.value)}`,
        `${lowPower.from}: Low Power Mode ${told(lowPower.value)}`,
      ],
      adapter.value === false
        ? "Connect the power adapter."
        : lowPower.value === true
          ? "Switch Low Power Mode off."
          : null,
      adapter.value === null || lowPower.value === null
        ? "Look, and write it down: lab.logbook.record({ powerAdapter: true, lowPowerMode: false })."
        : null,
    ),
    condition(
      "thermals",
      [`${thermal.from}: thermal state ${told(thermal.value)}`],
      thermal.value !== null && thermal.value !== "nominal"
        ? "Let the machine cool down, then measure again."
        : null,
      thermal.value === null
        ? 'Look, and write it down: lab.logbook.record({ thermalState: "nominal" }).'
        : null,
    ),
    condition(
      "background load",
      [
        `machine: ${load === null ? "load not known" : `${load} runnable processes a core in the last minute`}`,
      ],
      load !== null && load > FULL_LOAD_PER_CORE
        ? "Close other programs: there is more work than cores."
        : null,
      load === null ? "Look at the system's monitor: nothing tells the load here." : null,
    ),
  ];
}
