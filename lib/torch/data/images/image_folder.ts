// Reads images in folders named after their classes, `root/cat/12.png` and `root/dog/x/y.jpg`, as a dataset:
// torchvision's ImageFolder. `decode.ts` decodes the files.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { checkInteger, describe } from "../../vocabulary/arguments.ts";
import { boolean, callback, type OpenRules, type Read, readOptions } from "../../vocabulary/options.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { readImage } from "./decode.ts";

export interface ImageFolderOptions {
  /** A function or `transforms.Compose` that is applied to each image, uint8 [3, height, width]. Default: none. */
  readonly transform?: (image: Tensor) => Tensor;
  /** A function that is applied to the number of each image's class. Default: none. */
  readonly targetTransform?: (target: number) => number;
  /** Which files are images. Default: those that end in .png, .jpg, .jpeg or .webp. */
  readonly isValidFile?: (path: string) => boolean;
  /** Whether a class may have no image. Default: false. */
  readonly allowEmpty?: boolean;
}

const RULES = {
  transform: callback<(image: Tensor) => Tensor>(),
  targetTransform: callback<(target: number) => number>(),
  isValidFile: callback<(path: string) => boolean>(),
  allowEmpty: boolean(false),
} satisfies OpenRules<ImageFolderOptions>;

const EXTENSIONS = [".jpg", ".jpeg", ".png", ".webp"];

const isImage = (file: string) => EXTENSIONS.includes(path.extname(file).toLowerCase());

/** torchvision's order, by code points. */
const sorted = (names: readonly string[]) => names.toSorted((a, b) => (a < b ? -1 : 1));

function namesIn(call: string, folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT"
        ? "there is no folder"
        : code === "ENOTDIR"
          ? "no folder is"
          : `(${code}) cannot read`;
    throw new Error(`${call}: ${why} ${folder}.`, { cause: error });
  }
}

/**
 * The files below a folder: its own files before those in its subfolders. Links are followed, but no folder is visited
 * twice.
 */
function* filesBelow(call: string, folder: string, seen: Set<string>): Generator<string> {
  const { dev, ino } = statSync(folder);
  if (seen.has(`${dev}:${ino}`)) return;
  seen.add(`${dev}:${ino}`);
  const paths = sorted(namesIn(call, folder)).map((name) => path.join(folder, name));
  const folders = paths.filter((file) => statSync(file, { throwIfNoEntry: false })?.isDirectory());
  yield* paths.filter((file) => !folders.includes(file));
  for (const inner of folders) yield* filesBelow(call, inner, seen);
}

/**
 * Images in folders named by their class, as torchvision's `ImageFolder`; made by `data.imageFolder`. An item is the
 * image [channels, height, width] in uint8, and its class's number.
 */
export class ImageFolder implements Dataset<[image: Tensor, target: number]> {
  readonly root: string;
  /** Names of the folders in the root, sorted. */
  readonly classes: readonly string[];
  readonly classToIdx: Readonly<Record<string, number>>;
  /** Path and class of each image. */
  readonly samples: readonly (readonly [path: string, target: number])[];
  readonly #options: Read<typeof RULES>;

  constructor(root: string, options?: ImageFolderOptions) {
    const call = "data.imageFolder";
    if (typeof root !== "string" || root === "")
      throw new TypeError(`${call}: the folder must be a path, got ${describe(root)}.`);
    const read = readOptions(call, options, RULES);
    const { isValidFile: isValid = isImage, allowEmpty } = read;
    this.root = root;
    this.#options = read;
    this.classes = sorted(namesIn(call, root)).filter((name) =>
      statSync(path.join(root, name)).isDirectory(),
    );
    if (this.classes.length === 0) {
      throw new RangeError(
        `${call}: ${root} has no folders; give each class one, as ${path.join(root, "cat", "1.png")}.`,
      );
    }
    this.classToIdx = Object.fromEntries(this.classes.map((name, index) => [name, index]));
    const byClass = this.classes.map((name) =>
      [...filesBelow(call, path.join(root, name), new Set())].filter((file) => isValid(file)),
    );
    const empty = this.classes.filter((_, index) => byClass[index]!.length === 0);
    if (empty.length > 0 && !allowEmpty) {
      throw new RangeError(
        `${call}: there is no image in ${empty.join(", ")} of ${root} (${EXTENSIONS.join(", ")}); allowEmpty: true lets a class be empty.`,
      );
    }
    this.samples = byClass.flatMap((files, index) => files.map((file) => [file, index] as const));
  }

  get length(): number {
    return this.samples.length;
  }

  /** The class of each image. */
  get targets(): number[] {
    return this.samples.map(([, target]) => target);
  }

  /** The image as RGB, uint8 [3, height, width], or what the transform makes of it, and its class. */
  get(index: number): [image: Tensor, target: number] {
    checkInteger("ImageFolder.get", "index", index, 0);
    const sample = this.samples[index];
    if (!sample)
      throw new RangeError(`ImageFolder.get: index ${index} is outside a dataset of ${this.length} items.`);
    const { transform, targetTransform } = this.#options;
    const image = readImage(sample[0], "rgb");
    return [transform ? transform(image) : image, targetTransform ? targetTransform(sample[1]) : sample[1]];
  }
}

/** `data.imageFolder("pets", { transform })`: a dataset of `[image, class]`; the classes are the subfolders. */
export function imageFolder(root: string, options?: ImageFolderOptions): ImageFolder {
  return new ImageFolder(root, options);
}
