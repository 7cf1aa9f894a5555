// When a thread's heap is compacted: once, and only where nobody waits.
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const posted: string[] = [];
vi.mock("node:inspector", () => ({
  Session: class {
    connect(): void {}
    disconnect(): void {
      posted.push("disconnect");
    }
    post(method: string, done: () => void): void {
      posted.push(method);
      done();
    }
  },
}));
const { IdleHeap } = await import("../../../kernel/process/idle_heap.ts");
const COMPACTED = ["HeapProfiler.collectGarbage", "disconnect"];

beforeEach(() => {
  posted.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

it("is compacted a second after the last request, and never again", async () => {
  const heap = new IdleHeap();
  for (let request = 0; request < 5; request++) {
    await vi.advanceTimersByTimeAsync(900);
    heap.busy();
  }
  expect(posted).toEqual([]);
  await vi.advanceTimersByTimeAsync(1100);
  expect(posted).toEqual(COMPACTED);
  heap.busy();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posted).toEqual(COMPACTED);
});

it("is compacted once more after code was loaded", async () => {
  const heap = new IdleHeap();
  await vi.advanceTimersByTimeAsync(1100);
  heap.loaded();
  heap.busy();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(posted).toEqual([...COMPACTED, ...COMPACTED]);
});

it("is left alone while its owner has something to do", async () => {
  let idle = false;
  new IdleHeap(() => idle);
  await vi.advanceTimersByTimeAsync(5000);
  expect(posted).toEqual([]);
  idle = true;
  await vi.advanceTimersByTimeAsync(1100);
  expect(posted).toEqual(COMPACTED);
});
