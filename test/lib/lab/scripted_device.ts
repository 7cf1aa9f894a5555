// Implements a device for tests: the script sets its memory, it logs its calls, and it uses vitest's fake clock in
// whole milliseconds.
import { vi } from "vitest";
import type { DeviceInterface } from "../../../lib/lab/core/device_interface.ts";
import { Collector } from "../../../lib/lab/core/collector.ts";
import { installSession, type Session } from "../../../lib/session.ts";
import type { MemoryStats } from "../../../lib/torch/engine/native.ts";

export const MIB = 2 ** 20;

export class ScriptedDevice implements DeviceInterface {
  readonly label: string;
  readonly asynchronous: boolean;
  readonly calls: string[] = [];
  /** Bytes of tensors that somebody holds, of tensors that nobody holds any more, and of cached blocks. */
  held = 0;
  garbage = 0;
  cached = 0;
  /** How much of the garbage a minor collection finds. */
  young = 0;
  /** Bytes of JavaScript's own heap. */
  heap = 10 * MIB;
  peak = 0;
  recommended = 1000 * MIB;
  /** Milliseconds of work in the queue. */
  queuedMs = 0;
  waited: number | null = 0;
  fellBack: number | null = 0;

  constructor(label = "mps", asynchronous = true) {
    this.label = label;
    this.asynchronous = asynchronous;
  }

  /** A step of training: some milliseconds on the host, more in the queue, and tensors that are dropped at its end. */
  train({ hostMs = 0, queuedMs = 0, keeps = 0, drops = 0 }): void {
    vi.advanceTimersByTime(hostMs);
    this.queuedMs += queuedMs;
    this.held += keeps;
    this.garbage += drops;
    this.peak = Math.max(this.peak, this.held + this.garbage);
  }

  /** A collector that frees this device's garbage, at a price in milliseconds; a minor one frees what is young. */
  collector(fullMs = 0, minorMs = 0): Collector {
    return new Collector({
      collect: (kind) => {
        this.calls.push(`collect ${kind}`);
        vi.advanceTimersByTime(kind === "full" ? fullMs : minorMs);
        const freed = kind === "full" ? this.garbage : Math.min(this.garbage, this.young);
        this.cached += freed;
        this.garbage -= freed;
        this.young = 0;
      },
      usedBytes: () => this.heap,
    });
  }

  memoryStats(): MemoryStats {
    this.calls.push("sample");
    const allocatedBytes = this.held + this.garbage;
    return {
      allocatedBytes,
      driverBytes: allocatedBytes + this.cached,
      recommendedBytes: this.recommended,
      peakBytes: Math.max(this.peak, allocatedBytes),
      allocations: 0,
    };
  }

  resetPeak(): void {
    this.calls.push("reset peak");
    this.peak = this.held + this.garbage;
  }

  synchronize(): void {
    this.calls.push("synchronize");
    vi.advanceTimersByTime(this.queuedMs);
    this.queuedMs = 0;
  }

  emptyCache(): number {
    this.calls.push("empty cache");
    const released = this.cached;
    this.cached = 0;
    return released;
  }

  waitedMs(): number | null {
    return this.waited;
  }

  fallbacks(): number | null {
    return this.fellBack;
  }
}

/** Time stands still but where a test moves it. */
export function useScriptedClock(): void {
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  heldMs = 0;
}

let heldMs = 0;

/** The user's debugger holds the code for that long. */
export function pauseByDebugger(forMs: number): void {
  installSession({ pausedMs: () => heldMs, cellSignal: () => undefined } as Partial<Session> as Session);
  vi.advanceTimersByTime(forMs);
  heldMs += forMs;
}
