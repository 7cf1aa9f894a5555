// Compares the fingerprints of two runs: losses, tensors, bytes. Each function returns a sentence about the first
// difference, or null. Knows no outputs.
import type { Fingerprint, SessionFingerprint, StoredFingerprint, TensorSummary } from "./fingerprint.ts";

type Losses = SessionFingerprint["losses"];

export function lossDifference(stored: Losses, now: Losses, tolerance: number): string | null {
  for (const [step, before] of stored.slice(0, now.length).entries()) {
    const after = now[step] ?? null;
    if (!isClose(before, after, tolerance))
      return `the loss of step ${step} differs\n  stored  ${before}\n  now     ${after}`;
  }
  if (stored.length <= now.length) return null;
  return `training takes fewer steps\n  stored  ${stored.length} first losses\n  now     ${now.length}`;
}

function isClose(before: number | null, after: number | null, tolerance: number): boolean {
  if (before === null || after === null) return before === after;
  const apart = Math.abs(before - after);
  return apart <= Math.max(tolerance * Math.max(Math.abs(before), Math.abs(after)), tolerance * 1e-3);
}

type Tensors = SessionFingerprint["tensors"];

export function tensorDifference(stored: Tensors, now: Tensors, tolerance: number): string | null {
  for (const [name, tensor] of Object.entries(stored)) {
    const other = now[name];
    if (other === undefined) return `tensor ${name} is not there`;
    for (const part of ["shape", "dtype"] as const) {
      if (tensor[part] !== other[part])
        return `tensor ${name} differs in its ${part}\n  stored  ${tensor[part]}\n  now     ${other[part]}`;
    }
    if (tensor.sha256 !== other.sha256 && !sameSums(tensor, other, tolerance)) {
      const valuesOf = ({ sum, sha256 }: TensorSummary) => `sum ${sum}, sha256 ${sha256.slice(0, 16)}`;
      return (
        `tensor ${name} (${tensor.shape} ${tensor.dtype}) differs in its values\n` +
        `  stored  ${valuesOf(tensor)}\n  now     ${valuesOf(other)}`
      );
    }
  }
  return null;
}

/**
 * A checksum only tells whether the bits are equal. With another machine's tensors the sums are compared instead; one
 * of them is weighted by position.
 */
function sameSums(tensor: TensorSummary, other: TensorSummary, tolerance: number): boolean {
  if (tolerance === 0 || tensor.sum === null) return false;
  const scale = Math.max(1e-12, Math.abs(Number(tensor.size)));
  const parts = (["sum", "size", "order"] as const).filter((part) => part in tensor);
  return parts.every((part) => Math.abs(Number(tensor[part]) - Number(other[part])) <= tolerance * scale);
}

/**
 * Another machine's allocator rounds bytes in its own way, and has its own fallbacks: there only the number of epochs
 * is compared.
 */
export function memoryDifference(
  stored: StoredFingerprint,
  now: Fingerprint,
  isExact: boolean,
): string | null {
  for (const [at, epoch] of stored.epochs.slice(0, now.epochs.length).entries()) {
    const other = now.epochs[at] as Fingerprint["epochs"][number];
    for (const part of ["allocatedBytes", "fallbacks"] as const) {
      if (!isExact || epoch[part] === null || other[part] === null || epoch[part] === other[part]) continue;
      const where = `loop ${epoch.loop}, epoch ${epoch.epoch}`;
      return `${where} differs in ${part}\n  stored  ${epoch[part]}\n  now     ${other[part]}`;
    }
  }
  if (isExact && stored.heldBytes !== now.heldBytes)
    return `bytes of live tensors differ at the end\n  stored  ${stored.heldBytes}\n  now     ${now.heldBytes}`;
  if (stored.epochs.length === now.epochs.length) return null;
  return `the ledger differs\n  stored  ${stored.epochs.length} epochs\n  now     ${now.epochs.length} epochs`;
}
