// When a package's loop may be terminated: the decision from the stack alone, innermost frame first.
import { describe, expect, it } from "vitest";
import { decide } from "../../../kernel/runtime/pause.ts";

const frame = (functionName: string, url: string) => ({ functionName, url });
const spin = frame("spin", "file:///nb/node_modules/spinner/index.js");
const cell = frame("", "mpslab-cell:3");
const evaluate = frame("post", "node:inspector");
const ticks = frame("processTicksAndRejections", "node:internal/process/task_queues");
const ours = frame("report", new URL("../../../kernel/runtime/report.ts", import.meta.url).href);

describe("the decision for a paused stack", () => {
  it.each([
    ["a package's loop in the first stretch of a cell", [spin, cell, evaluate, ticks], "terminate"],
    ["a cell, whose own check comes next", [cell, evaluate, ticks], "resume"],
    ["a package's loop after an await", [spin, cell, ticks], "resume"],
    ["a package's loop in a timer", [spin, frame("listOnTimeout", "node:internal/timers")], "resume"],
    [
      "a package's loop inside of an AsyncResource",
      [spin, frame("runInAsyncScope", "node:async_hooks"), cell, evaluate],
      "resume",
    ],
    ["a report that is being written", [ours, spin, cell, evaluate], "step out"],
    ["Node's own code", [frame("write", "node:fs"), ours, spin, cell, evaluate], "step out"],
    ["the evaluation itself", [evaluate, ticks], "resume"],
    ["nothing", [], "resume"],
  ] as const)("%s", (_name, frames, decision) => {
    expect(decide(frames)).toBe(decision);
  });
});
