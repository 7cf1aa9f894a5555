// Transforms that cut out a part of an image or put a border around it. torchvision/transforms/v2/_geometry.py
import {
  boolean,
  choice,
  number,
  type OpenRules,
  optional,
  readOptions,
  type Rules,
} from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { nnFunctions, torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { type Border, checkBorder, checkSize, listText, type Pair } from "./settings.ts";
import { FixedTransform, type ImageSize, sizeOf, Transform } from "./transform.ts";

const PADDING_MODES = ["constant", "edge", "reflect"] as const;
export type PaddingMode = (typeof PADDING_MODES)[number];

export interface PadOptions {
  /** Value of the border. Default: 0. */
  readonly fill?: number;
  /**
   * `constant` fills with `fill`, `edge` repeats the outermost pixels, `reflect` mirrors the image at them. Default:
   * "constant".
   */
  readonly paddingMode?: PaddingMode;
}

interface Edge {
  readonly fill: number;
  readonly paddingMode: PaddingMode;
}

const EDGE_RULES: Rules<PadOptions> = {
  fill: number(0),
  paddingMode: choice("constant", PADDING_MODES),
};

/** A border around [..., height, width]. */
function pad(image: Tensor, [left, top, right, bottom]: Border, { fill, paddingMode }: Edge): Tensor {
  const widths = [left, right, top, bottom];
  if (widths.every((width) => width === 0)) return image;
  if (paddingMode === "constant") return torchFunctions.constantPadNd(image, widths, fill);
  const run = paddingMode === "edge" ? nnFunctions.replicationPad2d : nnFunctions.reflectionPad2d;
  const dtype = native.dtype(image);
  // These modes take floating-point numbers only, in three or four dimensions.
  const floating = dtype.includes("float") ? image : image.to("float32");
  const shape = native.shape(image);
  const { channels, height, width } = sizeOf(image);
  const padded = run(floating.reshape([-1, channels, height, width]), widths);
  return padded.reshape([...shape.slice(0, -2), height + top + bottom, width + left + right]).to(dtype);
}

function cut(image: Tensor, top: number, left: number, [height, width]: Pair): Tensor {
  return image.narrow(-2, top, height).narrow(-1, left, width);
}

/** `new transforms.Pad(2)`, `new transforms.Pad([left, top, right, bottom])` */
export class Pad extends FixedTransform {
  readonly padding: Border;
  readonly #edge: Edge;

  constructor(padding: number | readonly number[], options?: PadOptions) {
    super();
    const call = "new transforms.Pad";
    this.padding = checkBorder(call, padding);
    this.#edge = readOptions<PadOptions>(call, options, EDGE_RULES);
  }

  override run(image: Tensor, _drawn: null): Tensor {
    return pad(image, this.padding, this.#edge);
  }

  override sizeAfter({ channels, height, width }: ImageSize): ImageSize {
    const [left, top, right, bottom] = this.padding;
    return { channels, height: height + top + bottom, width: width + left + right };
  }

  override extraRepr(): string {
    return `padding=${listText(this.padding)}`;
  }
}

/** The middle of each image, with zeros around one that is smaller. */
export class CenterCrop extends FixedTransform {
  readonly size: Pair;

  constructor(size: number | Pair) {
    super();
    this.size = checkSize("new transforms.CenterCrop", size);
  }

  override run(image: Tensor, _drawn: null): Tensor {
    const given = sizeOf(image);
    const [height, width] = this.size;
    const [missingRows, missingColumns] = [
      Math.max(0, height - given.height),
      Math.max(0, width - given.width),
    ];
    const before: Pair = [Math.floor(missingColumns / 2), Math.floor(missingRows / 2)];
    const after: Pair = [missingColumns - before[0], missingRows - before[1]];
    const padded = pad(image, [...before, ...after], { fill: 0, paddingMode: "constant" });
    const { height: rows, width: columns } = sizeOf(padded);
    return cut(padded, halfEven(rows - height), halfEven(columns - width), this.size);
  }

  override sizeAfter({ channels }: ImageSize): ImageSize {
    return { channels, height: this.size[0], width: this.size[1] };
  }

  override extraRepr(): string {
    return `size=${listText(this.size)}`;
  }
}

/** Half of a whole number as Python rounds it: 3 -> 2, 5 -> 2. */
function halfEven(whole: number): number {
  return whole % 4 === 3 ? (whole + 1) / 2 : Math.floor(whole / 2);
}

export interface RandomCropOptions extends PadOptions {
  /** A border before cropping. Default: none. */
  readonly padding?: number | readonly number[];
  /** Pads an image that is smaller than the crop instead of refusing it. Default: false. */
  readonly padIfNeeded?: boolean;
}

const CROP_RULES = {
  padding: optional((call, _name, value) => checkBorder(call, value)),
  padIfNeeded: boolean(false),
  ...EDGE_RULES,
} satisfies OpenRules<RandomCropOptions>;

interface Place {
  readonly top: number;
  readonly left: number;
  readonly border: Border;
}

/** A part of each image at a random place: `new transforms.RandomCrop(28, { padding: 4 })`. */
export class RandomCrop extends Transform<Place> {
  readonly size: Pair;
  readonly padding: Border;
  readonly padIfNeeded: boolean;
  readonly #edge: Edge;

  constructor(size: number | Pair, options?: RandomCropOptions) {
    super();
    const call = "new transforms.RandomCrop";
    const { padding, padIfNeeded, ...edge } = readOptions(call, options, CROP_RULES);
    this.size = checkSize(call, size);
    this.padding = padding ?? [0, 0, 0, 0];
    this.padIfNeeded = padIfNeeded;
    this.#edge = edge;
  }

  override draw(size: ImageSize, draws: Draws): Place {
    const [height, width] = this.size;
    let [left, top, right, bottom] = this.padding;
    const missing = (wanted: number, given: number) => (this.padIfNeeded ? Math.max(0, wanted - given) : 0);
    const rows = missing(height, size.height + top + bottom);
    const columns = missing(width, size.width + left + right);
    [left, top, right, bottom] = [left + columns, top + rows, right + columns, bottom + rows];
    const [spareRows, spareColumns] = [
      size.height + top + bottom - height,
      size.width + left + right - width,
    ];
    if (spareRows < 0 || spareColumns < 0) {
      throw new RangeError(
        `transforms.RandomCrop: a crop of ${height} x ${width} does not fit into an image of ${spareRows + height} x ${spareColumns + width}; give padding, or padIfNeeded: true.`,
      );
    }
    return {
      top: spareRows > 0 ? draws.integer(spareRows + 1) : 0,
      left: spareColumns > 0 ? draws.integer(spareColumns + 1) : 0,
      border: [left, top, right, bottom],
    };
  }

  override run(image: Tensor, { top, left, border }: Place): Tensor {
    return cut(pad(image, border, this.#edge), top, left, this.size);
  }

  /** A view of all possible crops, from which one operator picks one for each image. */
  override runEach(batch: Tensor, places: readonly Place[]): Tensor {
    const padded = pad(batch, places[0]!.border, this.#edge);
    const [height, width] = this.size;
    const device = native.device(batch);
    const index = (values: readonly number[]) =>
      native.fromTypedArray(BigInt64Array.from(values, BigInt), [values.length], "int64").to(device);
    const crops = padded.unfold(2, height, 1).unfold(3, width, 1);
    const images = index(places.map((_, i) => i));
    const tops = index(places.map(({ top }) => top));
    const lefts = index(places.map(({ left }) => left));
    return torchFunctions.index(crops, [images, null, tops, lefts]);
  }

  override sizeAfter({ channels }: ImageSize): ImageSize {
    return { channels, height: this.size[0], width: this.size[1] };
  }

  override extraRepr(): string {
    return `size=${listText(this.size)}, padding=${listText(this.padding)}`;
  }
}
