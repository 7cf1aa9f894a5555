// The disk becomes full under the history, the snapshots, the logbook, the log and the temporary files. Cells go on; what
// could not be written says so; and when there is room again nothing that was acknowledged is missing.
import { setTimeout as delay } from "node:timers/promises";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds } from "../violation.ts";
import { goesOn, saves, tellsKill } from "./session_end.ts";

const READ_NOTES =
  "console.log(lab.logbook.read().entries.map((entry) => (entry as { text?: string }).text).join());";

export async function fullDisk(soaked: SoakedKernel, random: () => number): Promise<number> {
  await saves(soaked);
  const note = `note ${soaked.cells}`;
  await soaked.run(`lab.logbook.note(${JSON.stringify(note)});`);
  soaked.disk.fill(soaked.tree);
  let killedMs: number | null = null;
  try {
    await soaked.run('const on_full_disk = torch.ones([4]); console.log("on a full disk");');
    await fails(soaked, "%snapshot");
    // The file's last page may have room for a short one.
    await fails(soaked, 'lab.logbook.note("on a full disk ".repeat(1000));');
    await showsKept(soaked);
    // A session that begins on a full disk.
    if (random() < 0.5) killedMs = await kills(soaked);
    await delay(soaked.scale.pauseMs * random());
    await soaked.answers();
  } finally {
    soaked.disk.free(soaked.tree);
  }
  const freedMs = performance.now();
  const recoveryMs = await soaked.recovers(freedMs);
  if (killedMs !== null) await goesOn(soaked, killedMs);
  const { stdout } = await soaked.run(READ_NOTES);
  holds(stdout.split(/[,\n]/).includes(note), `The logbook has lost ${note}: ${stdout}`);
  await soaked.run(`lab.logbook.note("after ${note}");`);
  await soaked.compareHistory();
  await saves(soaked);
  return recoveryMs;
}

/** What needs room says that there is none. An older snapshot stays. */
async function fails(soaked: SoakedKernel, code: string): Promise<void> {
  const { reply } = await soaked.finished(code, soaked.client.execute(code));
  const said = String(reply["evalue"]);
  holds(
    reply["status"] === "error" && /no room|No space|ENOSPC|EFBIG|too large|bytes went/i.test(said),
    `${code} on a full disk ended with ${JSON.stringify(reply)}.`,
  );
}

async function showsKept(soaked: SoakedKernel): Promise<void> {
  const code = 'console.log("kept in memory");';
  await soaked.run(code);
  const { stdout } = await soaked.run("%outputs");
  holds(stdout.includes("kept in memory"), `On a full disk %outputs shows ${stdout}`);
}

async function kills(soaked: SoakedKernel): Promise<number> {
  const killedMs = performance.now();
  process.kill(soaked.session!, "SIGKILL");
  const execution = await soaked.finished("3 + 3", soaked.client.execute("3 + 3"));
  if (execution.reply["status"] === "error") tellsKill(execution);
  const { result } = await soaked.run("torch.ones([4]).sum().item()");
  holds(result === "4", `In a session that began on a full disk torch.ones([4]).sum() is ${result}.`);
  return killedMs;
}
