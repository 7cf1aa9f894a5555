// A client that subscribes and does not read, while a cell prints much: the kernel's memory stays bounded, the other client
// gets everything, and the slow one may read on later. The session may be killed while it waits for that client: the next one
// waits too.
import { setTimeout as delay } from "node:timers/promises";
import { Subscriber } from "zeromq";
import { residentOf } from "../processes.ts";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds, within } from "../violation.ts";
import { goesOn, tellsKill } from "./session_end.ts";

/** A thousand portions of 131 kB, 16 MB that wait for them, and garbage that V8 has not collected yet. Measured: 240 to 250. */
const MOST_MEGABYTES = 350;
const WELCOME_MS = 20_000;
const LOOK_MS = 100;
const PRINTING_MS = 300;

export async function slow(soaked: SoakedKernel, random: () => number): Promise<number> {
  const mute = new Subscriber({ linger: 0, receiveHighWaterMark: 1, receiveBufferSize: 1 << 16 });
  mute.connect(soaked.connection.iopub);
  mute.subscribe();
  try {
    await within(WELCOME_MS, "A slow client's welcome", mute.receive());
    const isKilled = random() < 0.3;
    if (isKilled) await killsPrinter(soaked);
    const megabytes = Math.max(1, Math.floor(soaked.scale.printedMegabytes * (0.2 + 0.8 * random())));
    const code = `for (let i = 0; i < ${megabytes}; i++) process.stdout.write(\`\${"y".repeat(1e6 - 1)}\\n\`);`;
    const before = residentOf(soaked.pid);
    const printing = soaked.client.execute(code);
    const ended = printing.then(() => true);
    let max = before;
    while (!(await Promise.race([ended, delay(LOOK_MS, false)]))) max = Math.max(max, residentOf(soaked.pid));
    const { stdout, reply } = await soaked.finished(code, printing);
    holds(reply["status"] === "ok", `The printing cell ended with ${JSON.stringify(reply)}.`);
    holds(
      stdout.length === megabytes * 1e6,
      `${stdout.length} of ${megabytes} MB came to the client that reads.`,
    );
    holds(
      max - before < MOST_MEGABYTES,
      `With a client that does not read the kernel grew from ${before.toFixed(0)} to ${max.toFixed(0)} MB.`,
    );
    const endedMs = performance.now();
    if (random() < 0.5)
      for (let message = 0; message < 20; message++) await within(WELCOME_MS, "A late read", mute.receive());
    const recoveryMs = await soaked.recovers(endedMs);
    if (isKilled) await goesOn(soaked, endedMs);
    return recoveryMs;
  } finally {
    mute.close();
  }
}

async function killsPrinter(soaked: SoakedKernel): Promise<void> {
  const code = `while (true) process.stdout.write(\`\${"z".repeat(1e5)}\\n\`);`;
  const begun = soaked.client.nextPublished(({ content }) => String(content["text"]).startsWith("z"));
  const running = soaked.client.execute(code);
  await begun;
  await delay(PRINTING_MS);
  process.kill(soaked.session!, "SIGKILL");
  tellsKill(await soaked.finished(code, running));
}
