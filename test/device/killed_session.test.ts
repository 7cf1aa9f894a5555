// A session process that is killed leaves nothing on the GPU. The driver is asked, as the process cannot be any more.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { Notebook } from "../kernel/session/notebook.ts";
import { device } from "./device_under_test.ts";

/** Returns the GPU memory of all processes, in MiB. */
function usedMebibytes(): number {
  const used = execFileSync("nvidia-smi", ["--query-gpu=memory.used", "--format=csv,noheader,nounits"], {
    encoding: "utf8",
  });
  return Number(used.split("\n")[0]);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}

const SLACK_MIB = 64;

describe("the GPU's memory", () => {
  // Only CUDA's driver tells what a GPU holds for all processes.
  it.runIf(device === "cuda").each(["SIGKILL", "SIGSEGV"])(
    "comes back when the session process ends by %s",
    async (signal) => {
      const before = usedMebibytes();
      const notebook = new Notebook();
      await notebook.run(
        'import { torch, accelerator } from "mpslab"; const kept = torch.ones([1024, 1024, 1024], { device: "cuda" }); accelerator.synchronize("cuda");',
      );
      // Tests beside this one take and give memory, too.
      expect(usedMebibytes() - before).toBeGreaterThan(3072);
      const killed = await notebook.run(`process.kill(process.pid, "${signal}"); while (true);`);
      expect(killed.done.error?.ename).toBe("SessionEnded");
      await until(() => usedMebibytes() <= before + SLACK_MIB);
      await notebook.close();
      expect(usedMebibytes()).toBeLessThanOrEqual(before + SLACK_MIB);
    },
  );
});
