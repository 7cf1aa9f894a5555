// Writes what TensorBoard shows: PyTorch's SummaryWriter (`torch/utils/tensorboard/writer.py`), and the metrics of epochs
// that `lab.log` recorded.
import os from "node:os";
import path from "node:path";
import type { EpochRecord } from "../../records/epochs.ts";
import { EventFile, type EventValue, type ImageSummary } from "../../records/tensorboard/event_file.ts";
import { encodePng } from "../../torch/data/images/png.ts";
import { native } from "../../torch/engine/native.ts";
import { torchFunctions } from "../../torch/tensor/operators.ts";
import { tidy } from "../../torch/tensor/scope.ts";
import type { Tensor } from "../../torch/tensor/tensor.ts";
import {
  checkInteger,
  checkNumber,
  checkText,
  describe,
  isRecord,
  shapeText,
} from "../../torch/vocabulary/arguments.ts";
import { choice, readOptions, type Rules } from "../../torch/vocabulary/options.ts";
import { fileFailure } from "../../whole_file.ts";
import { ledger } from "../core/ledger.ts";
import { histogramOf } from "./histogram.ts";

export interface SummaryWriterOptions {
  /** Ends the name of the folder that is made where none is given. Default: "". */
  readonly comment?: string;
  /** Ends the name of the event file. Default: "". */
  readonly filenameSuffix?: string;
}

export interface ImageOptions {
  /** The order of the image's dimensions. Default: `"CHW"`. */
  readonly dataformats?: "CHW" | "HWC" | "HW";
}

const CALL = "lab.SummaryWriter";
const RULES: Rules<SummaryWriterOptions> = {
  comment: { fallback: "", check: checkText },
  filenameSuffix: { fallback: "", check: checkText },
};
const IMAGE_RULES: Rules<ImageOptions> = { dataformats: choice("CHW", ["CHW", "HWC", "HW"]) };

/** `runs/Nov30_01-23-45_mac-mini`, as PyTorch names it. */
function ownFolder(comment: string): string {
  const [, month, day, , time] = new Date().toString().split(" ");
  return path.join("runs", `${month}${day}_${time!.replaceAll(":", "-")}_${os.hostname()}${comment}`);
}

/**
 * Writes event files for TensorBoard: `tensorboard --logdir runs` shows them. Every value stands on the disk when its call
 * returns.
 *
 *     const writer = new lab.SummaryWriter("runs/first");
 *     for (let epoch = 0; epoch < 10; epoch++) writer.addScalar("loss", train(), epoch);
 *     writer.addEpochs();   // what lab.log recorded
 */
export class SummaryWriter {
  /** The folder of the run. */
  readonly logDir: string;
  readonly #suffix: string;
  readonly #file: EventFile;
  /** The files of `addScalars`, by the folder of each. */
  readonly #beside = new Map<string, EventFile>();
  readonly #written = new WeakSet<EpochRecord>();
  #isClosed = false;

  /** @param logDir the folder. Default: one under `runs` with the time and the machine's name */
  constructor(logDir?: string | null, options?: SummaryWriterOptions) {
    const { comment, filenameSuffix } = readOptions<SummaryWriterOptions>(CALL, options, RULES);
    this.logDir = logDir == null ? ownFolder(comment) : checkText(CALL, "logDir", logDir);
    this.#suffix = filenameSuffix;
    this.#file = this.#open(this.logDir);
  }

  /** One number at a step: `writer.addScalar("train/loss", loss, step)`. */
  addScalar(tag: string, value: number | Tensor, globalStep = 0, walltime?: number | null): void {
    const call = `${CALL}.addScalar`;
    this.#write(
      call,
      { tag: checkText(call, "tag", tag), scalar: numberOf(call, "value", value) },
      globalStep,
      walltime,
    );
  }

  /** Several numbers in one chart: each has a folder of its own, as in PyTorch. */
  addScalars(
    mainTag: string,
    values: Readonly<Record<string, number | Tensor>>,
    globalStep = 0,
    walltime?: number | null,
  ): void {
    const call = `${CALL}.addScalars`;
    checkText(call, "mainTag", mainTag);
    if (!isRecord(values))
      throw new TypeError(`${call} takes numbers by their names, got ${describe(values)}.`);
    for (const [name, value] of Object.entries(values)) {
      const folder = path.join(this.logDir, `${mainTag.replaceAll("/", "_")}_${name}`);
      let file = this.#beside.get(folder);
      if (file === undefined) this.#beside.set(folder, (file = this.#open(folder)));
      this.#write(call, { tag: mainTag, scalar: numberOf(call, name, value) }, globalStep, walltime, file);
    }
  }

  /** How the values of a tensor are distributed. Values that are not finite are left out. */
  addHistogram(
    tag: string,
    values: Tensor | readonly number[],
    globalStep = 0,
    walltime?: number | null,
  ): void {
    const call = `${CALL}.addHistogram`;
    checkText(call, "tag", tag);
    const list = numbersOf(call, values).filter((value) => Number.isFinite(value));
    if (list.length === 0)
      throw new RangeError(`${call}: ${tag} has no finite value, got ${describe(values)}.`);
    this.#write(call, { tag, histogram: histogramOf(list) }, globalStep, walltime);
  }

  /** An image: uint8, or floats from 0 to 1. */
  addImage(tag: string, image: Tensor, globalStep = 0, options?: ImageOptions): void {
    const call = `${CALL}.addImage`;
    checkText(call, "tag", tag);
    const { dataformats } = readOptions<ImageOptions>(call, options, IMAGE_RULES);
    this.#write(call, { tag, image: imageOf(call, image, dataformats) }, globalStep, null);
  }

  /** A text, which TensorBoard reads as Markdown. */
  addText(tag: string, content: string, globalStep = 0, walltime?: number | null): void {
    const call = `${CALL}.addText`;
    checkText(call, "tag", tag);
    this.#write(
      call,
      { tag: `${tag}/text_summary`, text: checkText(call, "content", content) },
      globalStep,
      walltime,
    );
  }

  /**
   * The metrics that `lab.log` recorded, each at its epoch. Epochs that this writer has written are left out, so that it may
   * be called after every epoch.
   *
   * @param epochs the records. Default: all of `lab.ledger.epochs`
   */
  addEpochs(epochs: readonly EpochRecord[] = ledger.epochs): void {
    const call = `${CALL}.addEpochs`;
    const given: unknown = epochs;
    if (!Array.isArray(given) || !Array.from(given).every(isRecord))
      throw new TypeError(`${call} takes records of epochs, got ${describe(given)}.`);
    for (const record of epochs) {
      if (this.#written.has(record)) continue;
      this.#written.add(record);
      for (const [tag, value] of Object.entries(record.metrics ?? {}))
        if (value !== null) this.#write(call, { tag, scalar: value }, record.epoch, null);
    }
  }

  /** Does nothing: every value is on the disk already. */
  flush(): void {}

  /** Closes the files; nothing can be written afterwards. */
  close(): void {
    this.#isClosed = true;
    for (const file of [this.#file, ...this.#beside.values()]) file.close();
  }

  /** `using writer = ...` closes it at the end of its block. */
  [Symbol.dispose](): void {
    this.close();
  }

  #open(folder: string): EventFile {
    try {
      return new EventFile(folder, this.#suffix);
    } catch (error) {
      throw fileFailure(CALL, folder, error);
    }
  }

  #write(
    call: string,
    value: EventValue,
    globalStep: number,
    walltime: number | null | undefined,
    file = this.#file,
  ): void {
    if (this.#isClosed) throw new Error(`${call}: the writer is closed; make another.`);
    const step = checkInteger(call, "globalStep", globalStep, -Infinity);
    const seconds = walltime == null ? Date.now() / 1000 : checkNumber(call, "walltime", walltime);
    try {
      file.write(value, step, seconds);
    } catch (error) {
      throw fileFailure(call, file.path, error);
    }
  }
}

function numberOf(call: string, name: string, value: unknown): number {
  if (native.isTensor(value)) {
    if (native.numel(value) !== 1)
      throw new RangeError(
        `${call}: ${name} has the shape ${shapeText(native.shape(value))}; give one number.`,
      );
    return Number(value.item());
  }
  if (typeof value === "number") return value;
  throw new TypeError(
    `${call}: ${name} must be a number or a tensor of one element, got ${describe(value)}.`,
  );
}

function numbersOf(call: string, values: unknown): number[] {
  if (native.isTensor(values)) return values.detach().flatten().to("float64").tolist() as number[];
  if (Array.isArray(values) && values.every((value) => typeof value === "number")) return values as number[];
  throw new TypeError(`${call}: values must be a tensor or a list of numbers, got ${describe(values)}.`);
}

function imageOf(call: string, image: unknown, order: "CHW" | "HWC" | "HW"): ImageSummary {
  if (!native.isTensor(image))
    throw new TypeError(`${call}: image must be a tensor, got ${describe(image)}.`);
  const shape = native.shape(image);
  const channelsAt = order.indexOf("C");
  const channels = channelsAt < 0 ? 1 : shape[channelsAt]!;
  if (shape.length !== order.length || ![1, 3, 4].includes(channels))
    throw new RangeError(
      `${call}: an image of ${order} has ${order.length} dimensions and 1, 3 or 4 channels, got ${shapeText(shape)}.`,
    );
  return tidy(() => {
    const last = order === "CHW" ? image.permute([1, 2, 0]) : order === "HW" ? image.unsqueeze(2) : image;
    const isBytes = native.dtype(image) === "uint8";
    const scaled = isBytes ? last : last.detach().mul(255).clamp({ min: 0, max: 255 }).to("uint8");
    const [height, width] = native.shape(last) as [number, number];
    const values = torchFunctions.flatten(scaled.cpu().contiguous()).data() as Uint8Array;
    return {
      width,
      height,
      channels,
      png: encodePng({ width, height, channels, values: Uint8Array.from(values) }),
    };
  });
}
