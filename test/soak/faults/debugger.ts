// A debugger that holds the code at a breakpoint for a while: then it goes on, is stopped, or loses its page or its session.
import { setTimeout as delay } from "node:timers/promises";
import { DebuggerClient } from "../../helpers/debugger_client.ts";
import type { KernelClient } from "../../helpers/kernel_client.ts";
import type { SoakedKernel } from "../soaked_kernel.ts";
import { holds, within } from "../violation.ts";
import { goesOn, tellsKill } from "./session_end.ts";

const CODE = "let summed = 0;\nfor (let i = 0; i < 3; i++) {\n  summed += i;\n}\nsummed";
const LINE = 3;
const PAUSED_MS = 60_000;

type End = (
  soaked: SoakedKernel,
  page: KernelClient,
  cell: ReturnType<KernelClient["execute"]>,
) => Promise<number>;

/** What becomes of the pause. Each leaves no debugger attached, and returns the milliseconds until the next cell has run. */
const ENDS: readonly End[] = [goesOnThere, losesPage, isStopped, losesSession];

export async function pausedDebugger(soaked: SoakedKernel, random: () => number): Promise<number> {
  const page = await soaked.connect();
  try {
    const client = new DebuggerClient(page);
    await client.start();
    await client.setBreakpoints(CODE, LINE);
    const { stopped, cell } = await within(PAUSED_MS, "A breakpoint", client.run(CODE));
    holds(
      stopped?.["reason"] === "breakpoint",
      `The debugger stopped because of ${JSON.stringify(stopped)}.`,
    );
    await delay(soaked.scale.pauseMs * (0.2 + 0.8 * random()));
    await soaked.answers();
    const completion = soaked.client.request("complete_request", { code: "summ", cursor_pos: 4 });
    const { content } = await within(PAUSED_MS, "A completion in a pause", completion);
    holds(
      JSON.stringify(content["matches"]) === '["summed"]',
      `In a pause completion offers ${JSON.stringify(content["matches"])}.`,
    );
    return await ENDS[Math.floor(random() * ENDS.length)]!(soaked, page, cell);
  } finally {
    page.close();
  }
}

async function goesOnThere(...[soaked, page, cell]: Parameters<End>): Promise<number> {
  const client = new DebuggerClient(page);
  await client.setBreakpoints(CODE);
  const resumedMs = performance.now();
  await client.ask("continue");
  const { result } = await soaked.finished(CODE, cell, page);
  holds(result === "3", `After a pause the cell's value is ${result}.`);
  await client.ask("disconnect");
  return await soaked.recovers(resumedMs);
}

/** Another page finds the pause. */
async function losesPage(...[soaked, page]: Parameters<End>): Promise<number> {
  page.close();
  await delay(soaked.scale.pauseMs / 4);
  const next = await soaked.connect();
  const client = new DebuggerClient(next);
  const info = await client.ask("debugInfo");
  holds(
    info["isStarted"] === true && JSON.stringify(info["stoppedThreads"]) === "[1]",
    `A page that was loaded again is told of a paused debugger: ${JSON.stringify(info)}`,
  );
  const resumedMs = performance.now();
  await client.ask("disconnect");
  next.close();
  soaked.acknowledged(CODE);
  const recoveryMs = await soaked.recovers(resumedMs);
  const { result } = await soaked.run("summed");
  holds(result === "3", `After its page was lost the cell summed ${result}.`);
  return recoveryMs;
}

async function isStopped(...[soaked, page, cell]: Parameters<End>): Promise<number> {
  const stoppedMs = performance.now();
  await page.request("interrupt_request", {}, "control");
  const { reply } = await soaked.finished(CODE, cell, page);
  holds(
    reply["ename"] === "KeyboardInterrupt",
    `A cell that was stopped in a pause ended with ${JSON.stringify(reply)}.`,
  );
  await new DebuggerClient(page).ask("disconnect");
  return await soaked.recovers(stoppedMs);
}

async function losesSession(...[soaked, page, cell]: Parameters<End>): Promise<number> {
  const killedMs = performance.now();
  process.kill(soaked.session!, "SIGKILL");
  tellsKill(await soaked.finished(CODE, cell, page));
  await new DebuggerClient(page).ask("disconnect");
  return await goesOn(soaked, killedMs);
}
