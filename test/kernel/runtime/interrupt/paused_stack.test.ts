// Tests what is done about a paused stack, from the stack only, innermost frame first.
import { describe, expect, it } from "vitest";
import { decide, isContained, mayUnwind } from "../../../../kernel/runtime/interrupt/paused_stack.ts";

const frame = (functionName: string, url: string) => ({ functionName, url });
const spin = frame("spin", "file:///nb/node_modules/spinner/index.js");
const cell = frame("", "mpslab-cell:3");
const evaluate = frame("post", "node:inspector");
const ticks = frame("processTicksAndRejections", "node:internal/process/task_queues");
const timers = frame("listOnTimeout", "node:internal/timers");
const scope = frame("runInAsyncScope", "node:async_hooks");
const write = frame("write", "node:fs");
const loop = frame("asyncRunLoop", "node:internal/process/task_queues");
const runner = frame("#run", new URL("../../../../dist/kernel/runtime/cell_runner.js", import.meta.url).href);
const ours = frame(
  "encodeFrame",
  new URL("../../../../dist/kernel/session/channel.js", import.meta.url).href,
);

describe("for a paused stack", () => {
  it.each([
    ["a package's loop in the first stretch of a cell", [spin, cell, evaluate, ticks], "stop", true, true],
    ["a package's loop after an await", [spin, cell, ticks], "stop", false, true],
    ["a package's loop in a timer", [spin, timers], "stop", false, true],
    ["a package's loop inside of an AsyncResource", [spin, scope, cell, evaluate], "stop", false, true],
    ["a report that a package caused", [ours, spin, cell, evaluate], "wait for", true, false],
    ["Node's own code that a package called", [write, spin, cell, ticks], "wait for", false, true],
    ["a report on its way out", [write, ours, spin, cell, ticks], "wait for", false, false],
    ["a cell, whose own check comes next", [cell, evaluate, ticks], "resume", true, true],
    ["a cell that a package called", [cell, spin, cell, evaluate], "resume", true, true],
    ["Node's own code that a cell called", [write, cell, evaluate], "resume", true, true],
    ["code that the runner called by itself", [cell, runner, ticks], "resume", false, false],
    ["code that the runner called to be contained", [cell, evaluate, runner, ticks], "resume", true, true],
    [
      "what the runner's own function called, contained",
      [cell, runner, evaluate, runner],
      "resume",
      true,
      true,
    ],
    ["the evaluation itself", [evaluate, ticks], "resume", true, false],
    ["a timer that begins", [timers], "resume", false, false],
    ["nothing but Node", [loop], "resume", false, false],
    ["nothing", [], "resume", false, false],
  ] as const)("%s", (_name, frames, decision, contained, tearable) => {
    expect([decide(frames), isContained(frames), mayUnwind(frames)]).toEqual([decision, contained, tearable]);
  });
});
