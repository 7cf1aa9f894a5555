// The thread of the heartbeat: how it ends, and what does not end it.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { venvProgram } from "../../../kernel/cli/project.ts";
import { Heartbeat } from "../../../kernel/protocol/heartbeat.ts";
import { KernelProcess, newConnection } from "../../helpers/kernel_process.ts";
import { KernelClient } from "../../helpers/kernel_client.ts";
import { parseConnection, readConnection } from "../../../kernel/protocol/connection.ts";

describe("the heartbeat", () => {
  it("stops while the garbage collector runs", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const stopped: unknown[] = [];
    for (let time = 0; time < 10; time++) {
      const { heartbeat: address } = parseConnection(
        JSON.stringify(await newConnection()),
        "connection.json",
      );
      const heartbeat = new Heartbeat();
      await heartbeat.start(address);
      const stopping = heartbeat.stop();
      collectGarbage();
      stopped.push(await stopping);
    }
    expect(stopped).toHaveLength(10);
  });

  // Elsewhere no program can send a signal to one thread, and the system mostly chooses another one.
  it.runIf(process.platform === "linux")("answers after a signal that its thread was given", async () => {
    const kernel = await KernelProcess.start();
    const pid = kernel.process.pid!;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      // As when a child of the kernel ends.
      const program = `import ctypes, signal; ctypes.CDLL(None).tgkill(${pid}, ${thread}, signal.SIGCHLD)`;
      execFileSync(venvProgram("python"), ["-c", program]);
    }
    // What was sent before the kernel listened again is lost; Jupyter asks again too.
    await expect.poll(() => answers(kernel)).toBe(true);
    expect(kernel.log).toBe("");
    await kernel.stop();
  });
});

async function answers(kernel: KernelProcess): Promise<boolean> {
  const client = await KernelClient.attach(readConnection(kernel.connectionFile));
  const echo = await Promise.race([client.beat().catch(() => ""), delay(300, "")]);
  client.close();
  return echo === "ping";
}
