// SIGSTOP of the session or the kernel for a while, as a laptop's lid or a debugger does it. Then it goes on.
import { setTimeout as delay } from "node:timers/promises";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds } from "../violation.ts";

export async function stop(soaked: SoakedKernel, random: () => number): Promise<number> {
  const ofKernel = random() < 0.5;
  const pid = ofKernel ? soaked.pid : soaked.session;
  holds(pid !== null, "No session runs.");
  const code =
    "let counted = 0; for (; counted < 200; counted++) { console.log(counted); await null; } counted";
  const running = random() < 0.5;
  const early = running ? soaked.client.execute(code) : null;
  if (running) await delay(random() * 50);
  process.kill(pid, "SIGSTOP");
  const late = early ?? soaked.client.execute(code);
  try {
    // The kernel answers while its session does not.
    if (!ofKernel) await soaked.answers();
    await delay(soaked.scale.pauseMs * (0.2 + 0.8 * random()));
  } finally {
    process.kill(pid, "SIGCONT");
  }
  const resumedMs = performance.now();
  const { result, stdout } = await soaked.finished(code, late);
  const lines = Array.from({ length: 200 }, (_, line) => `${line}\n`).join("");
  holds(result === "200" && stdout === lines, `A stopped process lost output: ${result}, ${stdout}`);
  return await soaked.recovers(resumedMs);
}
