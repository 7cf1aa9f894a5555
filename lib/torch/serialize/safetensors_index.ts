// Reads and writes Hugging Face's index of a model in several safetensors files: `{ metadata: { total_size }, weight_map:
// { name: file } }`. Treats the index as hostile: it may name files of its own folder only.
import path from "node:path";
import { isRecord } from "../vocabulary/arguments.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { readJsonFile, writeWholeText } from "../../whole_file.ts";
import { SafetensorsError } from "./header.ts";
import { type LoadOptions, loadSafetensors } from "./safetensors.ts";

export const INDEX_ENDING = ".safetensors.index.json";

/** The file of each tensor, by the tensor's name. */
export type WeightMap = Readonly<Record<string, string>>;

/** @throws SafetensorsError for an invalid index */
export function readIndex(call: string, file: string): WeightMap {
  const refusal = (reason: string) => new SafetensorsError(`${file} cannot be loaded: ${reason}.`);
  const refuse = (reason: string): never => {
    throw refusal(reason);
  };
  const index = readJsonFile(call, file, (why) => refusal(`it ${why}`));
  const map = isRecord(index) ? index["weight_map"] : undefined;
  if (!isRecord(map)) return refuse("it has no weight_map, which says the file of each tensor");
  for (const [name, shard] of Object.entries(map)) {
    if (typeof shard !== "string" || shard !== path.basename(shard) || !shard.endsWith(".safetensors"))
      refuse(
        `${JSON.stringify(name)} must lie in a .safetensors file beside it, not in ${JSON.stringify(shard)}`,
      );
  }
  return map as WeightMap;
}

export function writeIndex(call: string, file: string, map: WeightMap, totalBytes: number): void {
  const sorted = Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const index = { metadata: { total_size: totalBytes }, weight_map: sorted };
  writeWholeText(call, file, `${JSON.stringify(index, null, 2)}\n`);
}

/** The tensors of all files that the index names, by their names. */
export function loadIndexed(call: string, file: string, options?: LoadOptions): Record<string, Tensor> {
  const map = readIndex(call, file);
  const loaded: Record<string, Tensor> = {};
  for (const shard of new Set(Object.values(map))) {
    const place = path.join(path.dirname(file), shard);
    const tensors = loadSafetensors(place, options);
    for (const [name, of] of Object.entries(map)) {
      if (of !== shard) continue;
      const tensor = tensors[name];
      if (tensor === undefined)
        throw new SafetensorsError(
          `${place} has no tensor ${JSON.stringify(name)}, which ${file} says is there.`,
        );
      loaded[name] = tensor;
    }
  }
  return loaded;
}
