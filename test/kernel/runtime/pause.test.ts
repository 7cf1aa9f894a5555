// What is done about a paused stack, from the stack alone, innermost frame first.
import { describe, expect, it } from "vitest";
import { decide, mayTerminate } from "../../../kernel/runtime/pause.ts";

const frame = (functionName: string, url: string) => ({ functionName, url });
const spin = frame("spin", "file:///nb/node_modules/spinner/index.js");
const cell = frame("", "mpslab-cell:3");
const evaluate = frame("post", "node:inspector");
const ticks = frame("processTicksAndRejections", "node:internal/process/task_queues");
const timers = frame("listOnTimeout", "node:internal/timers");
const scope = frame("runInAsyncScope", "node:async_hooks");
const write = frame("write", "node:fs");
const ours = frame("encodeFrame", new URL("../../../kernel/session/channel.ts", import.meta.url).href);

describe("for a paused stack", () => {
  it.each([
    ["a package's loop in the first stretch of a cell", [spin, cell, evaluate, ticks], "stop", true],
    ["a package's loop after an await", [spin, cell, ticks], "stop", false],
    ["a package's loop in a timer", [spin, timers], "stop", false],
    ["a package's loop inside of an AsyncResource", [spin, scope, cell, evaluate], "stop", false],
    ["a report that a package caused", [ours, spin, cell, evaluate], "step out", true],
    ["Node's own code that a package called", [write, ours, spin, cell, ticks], "step out", false],
    ["a cell, whose own check comes next", [cell, evaluate, ticks], "resume", true],
    ["a cell that a package called", [cell, spin, cell, evaluate], "resume", true],
    ["Node's own code that a cell called", [write, cell, evaluate], "resume", true],
    ["the evaluation itself", [evaluate, ticks], "resume", true],
    ["a timer that begins", [timers], "resume", false],
    ["nothing", [], "resume", false],
  ] as const)("%s", (_name, frames, decision, terminable) => {
    expect([decide(frames), mayTerminate(frames)]).toEqual([decision, terminable]);
  });
});
