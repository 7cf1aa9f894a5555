// SIGKILL of the session: while a cell runs, while none does, and in the moment when a cell is on its way.
import { setTimeout as delay } from "node:timers/promises";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { eventually, holds } from "../violation.ts";
import { goesOn, saves, tellsKill } from "./session_end.ts";

const TOLD_MS = 20_000;
const RUNNING_MS = 300;

/** What runs when the kill comes. Each prints when it has begun, and none ends. */
const ENDLESS = [
  'console.log("begun"); while (true) {}',
  'console.log("begun"); await new Promise(() => setInterval(() => {}, 1000));',
  'console.log("begun"); while (true) { sgd.zeroGrad(); model(x).sub(y).pow(2).mean().backward(); sgd.step(); }',
  'console.log("begun"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
  'console.log("begun"); while (true) console.log("more");',
] as const;

export async function kill(soaked: SoakedKernel, random: () => number): Promise<number> {
  if (random() < 0.5) await saves(soaked);
  const pid = soaked.session;
  holds(pid !== null, "No session runs.");
  const killedMs = await [whileRunning, whileIdle, withACell][Math.floor(random() * 3)]!(soaked, pid, random);
  const recoveryMs = await goesOn(soaked, killedMs);
  holds(soaked.session !== pid, "The killed session runs.");
  return recoveryMs;
}

async function whileRunning(soaked: SoakedKernel, pid: number, random: () => number): Promise<number> {
  const code = ENDLESS[Math.floor(random() * ENDLESS.length)]!;
  const begun = soaked.client.nextPublished(({ content }) => String(content["text"]).startsWith("begun"));
  const running = soaked.client.execute(code);
  await begun;
  await delay(random() * RUNNING_MS);
  const killedMs = performance.now();
  process.kill(pid, "SIGKILL");
  tellsKill(await soaked.finished(code, running));
  return killedMs;
}

/** The cell that ran last says so. */
async function whileIdle(soaked: SoakedKernel, pid: number): Promise<number> {
  const killedMs = performance.now();
  process.kill(pid, "SIGKILL");
  const isTold = () =>
    soaked.client.published.some(
      ({ header, content }) => header.msg_type === "stream" && String(content["text"]).includes("SIGKILL"),
    );
  await eventually(TOLD_MS, () => "Nobody was told that the idle session was killed.", isTold);
  return killedMs;
}

/** The kernel may send the cell to the session that is dying: then the cell says that it has ended. */
async function withACell(soaked: SoakedKernel, pid: number, random: () => number): Promise<number> {
  const killedMs = performance.now();
  process.kill(pid, "SIGKILL");
  await delay(random() * 30);
  const execution = await soaked.finished("2 + 2", soaked.client.execute("2 + 2"));
  if (execution.reply["status"] === "error") tellsKill(execution);
  else holds(execution.result === "4", `2 + 2 is ${execution.result}.`);
  return killedMs;
}
