// `distributed.checkpoint`: each rank writes its part of the tensors into a file of its own, and one index, Hugging
// Face's, says which file has which. Any number of ranks loads them. Names are those of torch/distributed/checkpoint;
// the files are not.
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { checkText, describe, isRecord, shapeText } from "../../vocabulary/arguments.ts";
import { type OpenRules, optional, readOptions } from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { loadSafetensors, readSafetensorsHeader, saveSafetensors } from "../../serialize/safetensors.ts";
import { readIndex, writeIndex } from "../../serialize/safetensors_index.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { fileFailure, makeWritableFolder } from "../../../whole_file.ts";
import { exchange } from "../exchange.ts";
import { currentWorld, groupOf, ProcessGroup } from "../process_group.ts";
import { run } from "../start.ts";
import { type Described, layOut } from "./layout.ts";

/** Options of `distributed.checkpoint.save` and `load` by name. */
export interface CheckpointOptions {
  /** The folder, which all ranks must see: "checkpoints/3". It is made if it does not exist. */
  readonly checkpointId: string;
  /** The group whose processes save together. Default: all; only this process if there is no group. */
  readonly processGroup?: ProcessGroup | null;
}

const INDEX = "model.safetensors.index.json";
/** Two beginnings of file names, so that a save over an earlier checkpoint does not overwrite its files. */
const STEMS = ["model", "model-b"] as const;
const SHARD = /^model(-b)?-\d{5}-of-\d{5}\.safetensors$/;

function readCheckpointOptions(call: string, given: CheckpointOptions) {
  const rules = {
    checkpointId: optional(checkText),
    processGroup: optional((_call, _name, value) => (value === null ? null : groupOf(call, value))),
  } satisfies OpenRules<CheckpointOptions>;
  const { checkpointId, processGroup } = readOptions(call, given, rules);
  if (checkpointId === undefined || checkpointId === "")
    throw new TypeError(`${call}: pass the folder as { checkpointId: "checkpoints/3" }.`);
  return { folder: checkpointId, group: processGroup ?? (currentWorld() && groupOf(call, null)) };
}

function checkStateDict(call: string, given: unknown): Readonly<Record<string, Tensor>> {
  const other = isRecord(given) ? Object.entries(given).find(([, one]) => !native.isTensor(one)) : undefined;
  if (!isRecord(given) || other)
    throw new TypeError(
      `${call}: expected tensors by their names, as model.stateDict() gives, ${other ? `but ${JSON.stringify(other[0])} is ${describe(other[1])}` : `got ${describe(given)}`}.`,
    );
  return given as Readonly<Record<string, Tensor>>;
}

/** Runs `body` on every rank. If it fails on one, all throw, with its reason. */
function together(call: string, group: ProcessGroup | null, subject: string, body: () => void): void {
  if (group === null) return body();
  let failure: unknown = null;
  try {
    body();
  } catch (error) {
    failure = error;
  }
  const reasons = exchange(call, group, subject, failure === null ? "" : String((failure as Error).message));
  if (failure !== null) throw failure;
  const at = reasons.findIndex((reason) => reason !== "");
  if (at >= 0) throw new Error(`${call}: rank ${group.ranks[at]} failed: ${reasons[at]}`);
}

function makeFolder(call: string, folder: string): void {
  try {
    makeWritableFolder(folder);
  } catch (error) {
    throw fileFailure(call, folder, error);
  }
}

/** The beginning of file names that the present checkpoint does not use. */
function freeStem(call: string, folder: string): string {
  const index = path.join(folder, INDEX);
  if (!existsSync(index)) return STEMS[0];
  const used = Object.values(readIndex(call, index));
  return used.some((file) => file.startsWith(`${STEMS[0]}-0`)) ? STEMS[1] : STEMS[0];
}

/** Removes the files of earlier saves that the index does not name. */
function removeOldShards(folder: string, present: ReadonlySet<string>): void {
  for (const file of readdirSync(folder))
    if (SHARD.test(file) && !present.has(file)) rmSync(path.join(folder, file), { force: true });
}

/**
 * Saves tensors as safetensors files, one a rank, and an index of Hugging Face's form. All ranks call it. A tensor that
 * several ranks have, such as a parameter under data parallelism, is written by one of them. Different tensors need
 * different names.
 *
 *     distributed.checkpoint.save(ddp.module.stateDict(), { checkpointId: "checkpoints/3" });
 *     torch.load("checkpoints/3/model.safetensors.index.json"); // all of them, on one process
 *
 * The index is written last, and replaces that of an earlier save in the folder at once: a rank that is killed
 * meanwhile leaves the earlier checkpoint as it was.
 *
 * @throws TypeError on every rank if two ranks have different tensors of one name; Error with the rank that could not
 *   write
 */
export function save(stateDict: Readonly<Record<string, Tensor>>, options: CheckpointOptions): void {
  const call = "distributed.checkpoint.save";
  const { folder, group } = readCheckpointOptions(call, options);
  const given = checkStateDict(call, stateDict);
  const rank = group?.rank() ?? 0;
  if (group) ProcessGroup.handleOf(call, group);
  let stem: string = STEMS[0];
  together(call, group, "the folder", () => {
    if (rank !== 0) return;
    makeFolder(call, folder);
    stem = freeStem(call, folder);
  });
  const own = Object.entries(given).map(([name, tensor]): Described => [
    name,
    native.dtype(tensor),
    native.shape(tensor),
  ]);
  const texts = group
    ? exchange(call, group, "the tensors", JSON.stringify([stem, own]))
    : [JSON.stringify([stem, own])];
  const said = texts.map((text) => JSON.parse(text) as [string, Described[]]);
  const layout = layOut(
    call,
    said.map(([, list]) => list),
    said[0]![0],
  );
  together(call, group, "the file", () => {
    const file = layout.fileOf[rank];
    if (typeof file !== "string") return;
    const part = Object.entries(given).filter(([name]) => layout.files[name] === file);
    saveSafetensors(Object.fromEntries(part), path.join(folder, file), { metadata: { format: "pt" } });
  });
  together(call, group, "the index", () => {
    if (rank !== 0) return;
    const present = new Set(Object.values(layout.files));
    const missing = [...present].find((file) => !existsSync(path.join(folder, file)));
    if (missing !== undefined)
      throw new Error(
        `${missing}, which another rank wrote, is not in ${path.resolve(folder)}: checkpointId must be a folder that all ranks see`,
      );
    writeIndex(call, path.join(folder, INDEX), layout.files, layout.totalBytes);
    removeOldShards(folder, present);
  });
  // After this the process that keeps the store may end, because all ranks have read it.
  if (group) run({ call, name: "barrier", group, outputs: [], inputs: [] }, false);
}

/**
 * Fills tensors with the saved tensors of the same names, in place, on their devices. Each rank reads only the tensors
 * that it asks for. The number of ranks may differ from that of the save, and no group is needed.
 *
 *     distributed.checkpoint.load(model.stateDict(), { checkpointId: "checkpoints/3" });
 *
 * @throws Error if there is no complete checkpoint, RangeError if a name is missing or a shape differs; then nothing is
 *   loaded
 */
export function load(stateDict: Readonly<Record<string, Tensor>>, options: CheckpointOptions): void {
  const call = "distributed.checkpoint.load";
  const { folder } = readCheckpointOptions(call, options);
  const wanted = checkStateDict(call, stateDict);
  const index = path.join(folder, INDEX);
  if (!existsSync(index))
    throw new Error(
      `${call}: there is no ${INDEX} in ${path.resolve(folder)}: no checkpoint was saved there to its end.`,
    );
  const map = readIndex(call, index);
  const names = Object.keys(wanted);
  const missing = names.filter((name) => !Object.hasOwn(map, name));
  if (missing.length > 0)
    throw new RangeError(
      `${call}: ${index} has no ${missing
        .slice(0, 3)
        .map((name) => JSON.stringify(name))
        .join(", ")}${missing.length > 3 ? ` and ${missing.length - 3} more` : ""}. Nothing was loaded.`,
    );
  const shards = new Set(names.map((name) => map[name]!));
  const of = (shard: string): string[] => names.filter((name) => map[name] === shard);
  for (const shard of shards) {
    const { tensors } = readSafetensorsHeader(path.join(folder, shard));
    for (const name of of(shard)) {
      const [own, saved] = [native.shape(wanted[name]!), tensors[name]?.shape];
      if (saved === undefined || shapeText(own) !== shapeText(saved))
        throw new RangeError(
          `${call}: ${JSON.stringify(name)} is ${saved ? shapeText(saved) : "missing"} in ${shard}, and ${shapeText(own)} here. Nothing was loaded.`,
        );
    }
  }
  noGrad(() => {
    for (const shard of shards) {
      const saved = loadSafetensors(path.join(folder, shard), { mmap: true });
      for (const name of of(shard)) wanted[name]!.copy_(saved[name]!);
      for (const tensor of Object.values(saved)) native.dispose(tensor);
    }
  });
}
