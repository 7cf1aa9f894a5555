// Tests that nothing is lost of what a session reports before the kernel listens.
import { expect, it } from "vitest";
import type { FromSession } from "../../../kernel/session/channel.ts";
import { HeldEvents } from "../../../kernel/session/held_events.ts";

it("passes on what came before there was a listener, then what comes, in order and never at once", async () => {
  const events = new HeldEvents();
  const heard: string[] = [];
  const ready = (pid: number): FromSession => ({ type: "ready", pid });
  events.message(ready(1));
  events.died("It ended.", "x is lost.");
  events.listen({
    message: (message) => heard.push(message.type === "ready" ? `ready ${message.pid}` : message.type),
    died: (reason, lost) => heard.push(`${reason} ${lost}`),
  });
  events.message(ready(2));
  expect(heard).toEqual([]);
  await Promise.resolve();
  expect(heard).toEqual(["ready 1", "It ended. x is lost.", "ready 2"]);
  events.message(ready(3));
  expect(heard.at(-1)).toBe("ready 3");
});
