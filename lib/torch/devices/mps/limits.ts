// Limits how much of the device's memory this session may use. Warns about a fraction that lets macOS swap, and when
// tensors hold nearly what Metal recommends. The addon defines the threshold of the second warning
// (`native/addon/near_limit.cc`).
import { observeCells, torchIsLoaded } from "../../../session.ts";
import { formatBytes } from "../../../units.ts";
import { checkNumber } from "../../vocabulary/arguments.ts";
import { collectGarbage } from "../../engine/garbage.ts";
import { native, whenLoaded } from "../../engine/native.ts";
import { requireMetal } from "./availability.ts";

/**
 * Limits this process to a fraction of the recommended memory, 0 to 2: above it allocations fail with
 * OutOfMemoryError. 0 is no limit at all, and the machine may start to swap or stop.
 */
export function setPerProcessMemoryFraction(fraction: number): void {
  checkNumber("mps.setPerProcessMemoryFraction", "fraction", fraction, { min: 0, max: 2 });
  requireMetal("mps.setPerProcessMemoryFraction");
  native.setMemoryFraction("mps", fraction);
  if (fraction === 0 || fraction > 1) {
    process.emitWarning(
      fraction === 0
        ? "mps.setPerProcessMemoryFraction(0): memory has no limit now; macOS may swap, or end this session."
        : `mps.setPerProcessMemoryFraction(${fraction}): this session may use more memory than Metal recommends; macOS may swap.`,
    );
  }
}

/** A loop that comes near the limit in every step gets one warning in each cell, and one in a plain program. */
let warned = false;

function warnNearLimit(nearBytes: number): void {
  if (warned) return;
  // Garbage is collected first, because it is no reason to warn.
  collectGarbage("full");
  const { allocatedBytes, recommendedBytes } = native.memoryStats("mps");
  if (allocatedBytes < nearBytes) return;
  warned = true;
  const percent = Math.floor((allocatedBytes / recommendedBytes) * 100);
  process.emitWarning(
    `Tensors on mps hold ${formatBytes(allocatedBytes)}, ${percent}% of the ${formatBytes(recommendedBytes)} that Metal recommends; beyond them macOS may swap. Take a smaller batch, or free tensors with tidy() and dispose().`,
  );
}

function listen(): void {
  warned = false;
  native.setNearLimitHandler(warnNearLimit);
}

whenLoaded(listen);
observeCells({ cellStarted: () => void (torchIsLoaded() && listen()) });
