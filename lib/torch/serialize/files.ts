// Implements `torch.load` and `torch.save`. The first bytes of a file decide how it is read; its name decides how it
// is written.
import { describe, isRecord } from "../vocabulary/arguments.ts";
import { optionsByPlace } from "../vocabulary/arguments_by_name.ts";
import type { DeviceText } from "../vocabulary/device_name.ts";
import { native } from "../engine/native.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { LENGTH_BYTES } from "./header.ts";
import { type LoadOptions, loadSafetensors, requireFile, saveSafetensors } from "./safetensors.ts";
import { INDEX_ENDING, loadIndexed } from "./safetensors_index.ts";
import { SourceFile } from "./source_file.ts";
import { loadTorch } from "./torch_file.ts";
import { saveTorch } from "./torch_writer.ts";

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

function loadAny(path: string, options: LoadOptions | undefined): unknown {
  if (path.endsWith(INDEX_ENDING)) return loadIndexed("torch.load", path, options);
  return isSafetensors(path) ? loadSafetensors(path, options) : loadTorch(path, options);
}

/**
 * Returns the contents of a file of PyTorch's torch.save, or the tensors of a safetensors file by their names, or those
 * of several files by their index. No code in a file is ever run. See `serialize.loadTorch` and
 * `serialize.loadSafetensors`.
 *
 *     model.loadStateDict(torch.load("model.pt"));
 *     model.loadStateDict(torch.load("model.safetensors.index.json"));
 *     const { epoch } = torch.load<{ epoch: number }>("checkpoint.pt");
 *
 * The type parameter states what the caller expects in the file; it is not checked here, but `loadStateDict` checks
 * what it is given.
 *
 * @throws TorchFileError, SafetensorsError
 */
export function load<Contents = any>(path: string, mapLocation?: DeviceText | null | LoadOptions): Contents;
export function load(path: string, ...given: unknown[]): unknown {
  requireFile("torch.load", path);
  return loadAny(path, optionsByPlace<LoadOptions>("torch.load", ["mapLocation"], given));
}

/**
 * Writes what `torch.load` reads, here and in PyTorch. A path that ends in `.safetensors` takes tensors by their names
 * (`torch.save(model.stateDict(), "model.safetensors")`, `safetensors.torch.load_file` in Python); any other becomes a
 * file of PyTorch's torch.save, which holds whatever is plain, tensors within:
 *
 *     torch.save({ model: model.stateDict(), optimizer: optimizer.stateDict(), epoch }, "checkpoint.pt");
 *
 * The file is there whole or not at all. See `serialize.saveTorch` for what tensors that share memory become.
 *
 * @throws TypeError for a value that is neither plain nor a tensor: a model, a function
 */
export function save(value: unknown, path: string): void {
  requireFile("torch.save", path);
  if (!path.endsWith(".safetensors")) return saveTorch(value, path);
  const isOfNames = isRecord(value);
  const other = isOfNames ? Object.entries(value).find(([, one]) => !native.isTensor(one)) : undefined;
  if (!isOfNames || other) {
    const got = other ? `${JSON.stringify(other[0])} is ${describe(other[1])}` : `got ${describe(value)}`;
    throw new TypeError(
      `torch.save: safetensors files hold tensors by their names, but ${got}; give an object of tensors, as model.stateDict(), or a path that ends in .pt.`,
    );
  }
  saveSafetensors(value as Record<string, Tensor>, path);
}
