// `npm run test:operators -- shadow`: every sample of PyTorch's own tests on this machine's GPU, under `lab.shadow`. An
// alarm is either a wrong result of the device, or something that a device may decide and `native/shadow/` does not know
// of yet.
import { accelerator, torch } from "../../lib/index.ts";
import { everySample } from "./every_sample.ts";
import type { Sample, Unwritable } from "./samples.ts";
import { watch } from "./watch.ts";

const device = accelerator.currentAccelerator();
if (device === null) {
  console.error("This machine has no GPU, and the CPU would be compared with itself.");
  process.exit(1);
}
torch.setDefaultDevice(device);

const sums = { samples: 0, calls: 0, compared: 0, alarms: 0 };
for await (const line of everySample()) {
  const sample = JSON.parse(line) as Sample | Unwritable;
  if ("unwritable" in sample) continue;
  const { calls, compared, alarm } = watch(sample, device);
  sums.samples++;
  sums.calls += calls;
  sums.compared += compared;
  if (alarm === null) continue;
  sums.alarms++;
  console.log(`${sample.operator} ${alarm}`);
}
console.log(
  `${device}: ${sums.samples} samples, ${sums.compared} of ${sums.calls} calls compared, ${sums.alarms} alarms.`,
);
process.exitCode = sums.alarms === 0 ? 0 : 1;
