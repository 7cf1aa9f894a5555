// Judges steps 1 and 2 of the runbook: the processor that this process was built for, and the device that it uses.
import { macosVersion, OLDEST_MACOS_WITH_MPS } from "../../../torch/devices/mps/availability.ts";
import { formatTime } from "../../../units.ts";
import type { Gate, GateFacts, GateStatus } from "./gate.ts";

export function architectureGate({ computer, torchVersion, torchBuild }: GateFacts): Gate {
  const { platform, architecture, rosetta, processor } = computer;
  const evidence = [
    `process: ${platform} ${architecture}, ${processor ?? "processor not named"}`,
    `Rosetta: ${rosetta === null ? "not known" : rosetta ? "translated" : "not translated"}`,
    `libtorch ${torchVersion}, ${torchBuild}`,
  ];
  const gate = (status: GateStatus, action: string | null = null): Gate => ({
    step: 1,
    name: "architecture",
    status,
    evidence,
    action,
  });
  if (rosetta === true)
    return gate("fail", "Install Node for arm64: this one is x64 and runs under Rosetta, where mps is not.");
  if (torchBuild === "nightly")
    return gate(
      "fail",
      "Pin a stable libtorch for numbers to be quoted; a nightly one is for validating fixes.",
    );
  if (platform !== "darwin")
    return gate("not applicable", "No Apple processor here: repeat on a Mac before quoting numbers of one.");
  if (architecture !== "arm64") return gate("fail", "Go to Apple silicon: this Mac has an Intel processor.");
  return rosetta === null
    ? gate("not run", "Ask sysctl -n sysctl.proc_translated: 0 is what it takes.")
    : gate("pass");
}

export function deviceGate({ computer, device, mpsBuilt, mpsAvailable, matmul }: GateFacts): Gate {
  // Once Metal is simulated, libtorch reports that it was built with mps.
  const support = device.includes("simulated")
    ? "simulated by this machine's processor"
    : `${mpsBuilt ? "built" : "not built"}, ${mpsAvailable ? "available" : "not available"}`;
  const macos = computer.platform === "darwin" ? macosVersion(computer.osRelease) : null;
  const needed = `mps needs ${OLDEST_MACOS_WITH_MPS} or newer`;
  const evidence = [
    `mps: ${support}; the session works on ${device}`,
    `matmul: ran on ${matmul.resultDevice} in ${formatTime(matmul.wallMs)}, error against the CPU ${matmul.error === 0 ? "0" : matmul.error.toExponential(1)} (tolerance ${matmul.tolerance.toExponential(0)})`,
    ...(macos === null ? [] : [`macOS ${macos}: ${needed}`]),
  ];
  const gate = (status: GateStatus, action: string | null = null): Gate => ({
    step: 2,
    name: "device",
    status,
    evidence,
    action,
  });
  // Written so that NaN exceeds every tolerance.
  if (!(matmul.error <= matmul.tolerance))
    return gate(
      "fail",
      `Do not train on ${device}: a plain product is wrong there. Update the system and libtorch.`,
    );
  if (matmul.resultDevice.replace(/:\d+$/, "") !== matmul.device.replace(/:\d+$/, ""))
    return gate("fail", `The product did not run on ${matmul.device}: look for a fallback.`);
  if (device.includes("simulated"))
    return gate("not applicable", "This device is simulated: repeat on a Mac before quoting its numbers.");
  if (device !== "cpu") return gate("pass");
  if (computer.platform !== "darwin")
    return gate("not applicable", "There is no accelerator here: the session works on the CPU.");
  if (!mpsBuilt) return gate("fail", "Install a libtorch with mps: this one was built without.");
  if (mpsAvailable) return gate("fail", "Choose the device: %device mps.");
  return gate(
    "fail",
    macos !== null && macos < OLDEST_MACOS_WITH_MPS
      ? `Update macOS ${macos}: ${needed}.`
      : "macOS shows no GPU, as in a virtual machine: run on the Mac itself.",
  );
}
