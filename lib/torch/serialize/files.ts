// `torch.load` and `torch.save`: which format a file is of, its first bytes say; what is written is safetensors, which
// can hold no code.
import { describe, isRecord } from "../arguments.ts";
import { native } from "../native.ts";
import type { Tensor } from "../tensor.ts";
import { LENGTH_BYTES } from "./header.ts";
import { type LoadOptions, loadSafetensors, requireFile, saveSafetensors } from "./safetensors.ts";
import { SourceFile } from "./source_file.ts";
import { loadTorch } from "./torch_file.ts";

/** A safetensors file begins with its header's length, below 2^32, and a brace. */
function isSafetensors(path: string): boolean {
  using file = new SourceFile("torch.load", path);
  const start = Buffer.alloc(Math.min(LENGTH_BYTES + 1, file.bytes));
  return (
    file.fill(start, 0) &&
    start.length > LENGTH_BYTES &&
    start.readUInt32LE(4) === 0 &&
    start[LENGTH_BYTES] === 0x7b
  );
}

/**
 * `torch.load("model.pt")`: what is in a file of PyTorch's torch.save, or the tensors of a safetensors file by their
 * names. No code in a file is ever run. See `serialize.loadTorch` and `serialize.loadSafetensors`.
 *
 * @throws TorchFileError, SafetensorsError
 */
export function load(path: string, options?: LoadOptions): unknown {
  requireFile("torch.load", path);
  return isSafetensors(path) ? loadSafetensors(path, options) : loadTorch(path, options);
}

/**
 * `torch.save(model.stateDict(), "model.safetensors")` writes tensors by their names as safetensors, which PyTorch reads
 * with `safetensors.torch.load_file`. Other values cannot be written.
 */
export function save(tensors: Readonly<Record<string, Tensor>>, path: string): void {
  requireFile("torch.save", path);
  const given: unknown = tensors;
  const isOfNames = isRecord(given);
  const other = isOfNames ? Object.entries(given).find(([, value]) => !native.isTensor(value)) : undefined;
  if (!isOfNames || other) {
    const got = other ? `${JSON.stringify(other[0])} is ${describe(other[1])}` : `got ${describe(given)}`;
    throw new TypeError(
      `torch.save: safetensors files hold tensors by their names, but ${got}; give an object of tensors, as model.stateDict().`,
    );
  }
  saveSafetensors(tensors, path);
}
