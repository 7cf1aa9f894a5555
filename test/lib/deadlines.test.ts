// A deadline follows the work that it was set for, through timers and promises, and nothing else is under it.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Deadline, DeadlineError, expiredDeadlineError } from "../../lib/deadlines.ts";

it("is over for the work that it was set for, however late that runs, and for nothing beside it", async () => {
  const deadline = new Deadline(0);
  const late = deadline.run(async () => {
    await sleep(1);
    return expiredDeadlineError();
  });
  const beside = (async () => {
    await sleep(1);
    return expiredDeadlineError();
  })();
  expect(expiredDeadlineError()).toBeNull();
  expect(await late).toEqual(new DeadlineError(0));
  expect(await beside).toBeNull();
});

it("is not over before its time, and stops nothing once the work has ended", () => {
  const deadline = new Deadline(0);
  expect(new Deadline(60_000).run(() => expiredDeadlineError())).toBeNull();
  expect(deadline.run(() => expiredDeadlineError(true))).toEqual(new DeadlineError(0, true));
  deadline.disarm();
  expect(deadline.run(() => expiredDeadlineError())).toBeNull();
});

it("within another one: the outer one counts where both are over, the inner one where it alone is", () => {
  const inOuter = (outerMs: number, innerMs: number) =>
    new Deadline(outerMs).run(() => new Deadline(innerMs).run(() => expiredDeadlineError()?.message ?? null));
  expect(inOuter(0, 0)).toBe(
    "The measurement ran longer than its deadline (deadlineMs: 0) and was stopped. Raise deadlineMs, or make the step smaller.",
  );
  expect(inOuter(-1, 0)).toBe(
    "The measurement ran longer than its deadline (deadlineMs: -1) and was stopped. Raise deadlineMs, or make the step smaller.",
  );
  expect(inOuter(-1, 60_000)).toBe(
    "The measurement ran longer than its deadline (deadlineMs: -1) and was stopped. Raise deadlineMs, or make the step smaller.",
  );
  expect(inOuter(60_000, -1)).toBe(
    "The measurement ran longer than its deadline (deadlineMs: -1) and was stopped. Raise deadlineMs, or make the step smaller.",
  );
  expect(inOuter(60_000, 60_000)).toBeNull();
});

it("rejects what is awaited under it, under those within it too, and tells whether there was anything", () => {
  const outer = new Deadline(5);
  const inner = outer.run(() => new Deadline(7));
  const rejected: string[] = [];
  const reject = (name: string) => (reason: Error) => void rejected.push(`${name}: ${reason.message}`);
  const settled = reject("settled");
  outer.awaitBegins(reject("outer"));
  inner.awaitBegins(reject("inner"));
  inner.awaitBegins(settled);
  inner.awaitEnds(settled);
  expect(outer.rejectAwaits(0)).toBe(true);
  expect(rejected).toEqual([
    "outer: The measurement ran longer than its deadline (deadlineMs: 5) and was stopped. Raise deadlineMs, or make the step smaller.",
    "inner: The measurement ran longer than its deadline (deadlineMs: 5) and was stopped. Raise deadlineMs, or make the step smaller.",
  ]);
  expect(outer.rejectAwaits(0)).toBe(false);
});

it("spares what it rejected while that cleans up, and not a deadline within it", () => {
  const late = new Deadline(-1);
  late.rejectAwaits(60_000);
  expect(late.outermostExpired()).toBeNull();
  const within = late.run(() => new Deadline(-1));
  expect(within.outermostExpired()).toBe(within);
  late.rejectAwaits(0);
  expect(within.outermostExpired()).toBe(late);
});

it("keeps the first error that escaped from its work, and tells it where it is asked", () => {
  const outer = new Deadline(60_000);
  const inner = outer.run(() => new Deadline(60_000));
  inner.throwEscaped();
  inner.escapes(new RangeError("first"));
  inner.escapes(new RangeError("second"));
  expect(() => inner.throwEscaped()).toThrow(new RangeError("first"));
  expect(() => outer.throwEscaped()).toThrow(new RangeError("first"));
});
