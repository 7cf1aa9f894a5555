// Rotations and affine transforms by a random angle, shift, scale and shear. A matrix for each image maps result
// pixels to source pixels, so a whole batch goes through one sampling operator. Source:
// torchvision/transforms/v2/functional/_geometry.py.
import { checkNumber, describe } from "../../vocabulary/arguments.ts";
import {
  choice,
  number,
  type OpenRules,
  optional,
  type Read,
  readOptions,
} from "../../vocabulary/options.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { checkDegrees, checkRange, listText, type Pair } from "./settings.ts";
import { type ImageSize, sizeOf, Transform } from "./transform.ts";

const INTERPOLATIONS = ["nearest", "bilinear"] as const;

/** The numbers of the operator grid_sampler: bilinear 0, nearest 1; what lies outside is zero. */
const GRID_MODE = { bilinear: 0, nearest: 1 } as const;
const ZEROS_OUTSIDE = 0;

export interface AffineOptions {
  /** How the values between the pixels are found. Default: "nearest". */
  readonly interpolation?: (typeof INTERPOLATIONS)[number];
  /** Value of what lies outside of the image. Default: 0. */
  readonly fill?: number;
  /** Column and row of the fixed point. Default: the middle. */
  readonly center?: Pair;
}

const AFFINE_RULES = {
  interpolation: choice("nearest", INTERPOLATIONS),
  fill: number(0),
  center: optional(checkCenter),
} satisfies OpenRules<AffineOptions>;

/**
 * The transformation of one image: angle in degrees counterclockwise in the result, translation in pixels, scale as a
 * factor, shear in degrees.
 */
interface Affine {
  readonly angle: number;
  readonly translate: Pair;
  readonly scale: number;
  readonly shear: Pair;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Two rows of three: a pixel of the result, counted from the middle, to one of the image. */
function inverseMatrix({ angle, translate: [tx, ty], scale, shear }: Affine, [cx, cy]: Pair): number[] {
  const rotation = radians(angle);
  const [sx, sy] = [radians(shear[0]), radians(shear[1])];
  const a = Math.cos(rotation - sy) / Math.cos(sy);
  const b = -(a * Math.tan(sx) + Math.sin(rotation));
  const c = Math.sin(rotation - sy) / Math.cos(sy);
  const d = Math.cos(rotation) - c * Math.tan(sx);
  const [xx, xy, yx, yy] = [d / scale, -b / scale, -c / scale, a / scale];
  return [xx, xy, cx - xx * (cx + tx) - xy * (cy + ty), yx, yy, cy - yx * (cx + tx) - yy * (cy + ty)];
}

abstract class AffineTransform<Drawn> extends Transform<Drawn> {
  readonly interpolation: (typeof INTERPOLATIONS)[number];
  readonly fill: number;
  readonly center: Pair | null;

  constructor({ interpolation, fill, center }: Read<typeof AFFINE_RULES>) {
    super();
    this.interpolation = interpolation;
    this.fill = fill;
    this.center = center ?? null;
  }

  /** Images [batch, channels, height, width] by one matrix each, or one for all; into `height` by `width` pixels. */
  protected sample(batch: Tensor, affines: readonly Affine[], [outHeight, outWidth]: Pair): Tensor {
    const { height, width } = sizeOf(batch);
    const count = native.shape(batch)[0]!;
    const dtype = native.dtype(batch);
    const device = native.device(batch);
    const floating = dtype === "float32" || dtype === "float64" ? batch : batch.to("float32");
    const kind = { dtype: native.dtype(floating), device };
    const center = this.#offset(height, width);
    const numbers = (values: readonly number[], shape: readonly number[]) =>
      native.fromTypedArray(Float64Array.from(values), shape, "float64").to(kind.dtype).to(device);
    const theta = numbers(
      affines.flatMap((affine) => inverseMatrix(affine, center)),
      [affines.length, 2, 3],
    )
      .transpose(1, 2)
      .div(numbers([width / 2, height / 2], [2]));
    const columns = torchFunctions.linspace((1 - outWidth) / 2, (outWidth - 1) / 2, outWidth, kind);
    const rows = torchFunctions.linspace((1 - outHeight) / 2, (outHeight - 1) / 2, outHeight, kind);
    const base = torchFunctions.ones([outHeight, outWidth, 3], kind);
    base.select(-1, 0).copy_(columns);
    base.select(-1, 1).copy_(rows.unsqueeze(1));
    const grid = base
      .view([1, outHeight * outWidth, 3])
      .expand([affines.length, -1, -1])
      .bmm(theta)
      .view([affines.length, outHeight, outWidth, 2])
      .expand([count, -1, -1, -1]);
    const sampled = this.#gridSample(floating, grid);
    return floating === batch ? sampled : sampled.round_().to(dtype);
  }

  #gridSample(images: Tensor, grid: Tensor): Tensor {
    const mode = GRID_MODE[this.interpolation];
    if (this.fill === 0) return torchFunctions.gridSampler(images, grid, mode, ZEROS_OUTSIDE, false);
    const [count, channels, height, width] = native.shape(images) as [number, number, number, number];
    const kind = { dtype: native.dtype(images), device: native.device(images) };
    const inside = torchFunctions.ones([count, 1, height, width], kind);
    const both = torchFunctions.gridSampler(
      torchFunctions.cat([images, inside], 1),
      grid,
      mode,
      ZEROS_OUTSIDE,
      false,
    );
    const [sampled, mask] = [both.narrow(1, 0, channels), both.narrow(1, channels, 1)];
    if (this.interpolation === "nearest") return torchFunctions.where(mask.lt(0.5), this.fill, sampled);
    return sampled.sub(this.fill).mul_(mask).add_(this.fill);
  }

  /** Returns the position of the fixed point in pixels from the middle of the image. */
  #offset(height: number, width: number): Pair {
    return this.center === null ? [0, 0] : [this.center[0] - width / 2, this.center[1] - height / 2];
  }
}

function checkCenter(call: string, name: string, center: unknown): Pair {
  if (!Array.isArray(center) || center.length !== 2)
    throw new TypeError(`${call}: ${name} must be [column, row], got ${describe(center)}.`);
  return center.map((value, i) => checkNumber(call, `${name}[${i}]`, value)) as unknown as Pair;
}

function asBatch(image: Tensor): Tensor {
  const { channels, height, width } = sizeOf(image);
  return image.reshape([-1, channels, height, width]);
}

/** `new transforms.RandomRotation(15)` turns by -15 to 15 degrees, `RandomRotation([0, 30])` by 0 to 30. */
export class RandomRotation extends AffineTransform<number> {
  readonly degrees: Pair;

  constructor(degrees: number | Pair, options?: AffineOptions) {
    const call = "new transforms.RandomRotation";
    super(readOptions(call, options, AFFINE_RULES));
    this.degrees = checkDegrees(call, "degrees", degrees);
  }

  override draw(_size: ImageSize, draws: Draws): number {
    return draws.uniform(...this.degrees);
  }

  override run(image: Tensor, angle: number): Tensor {
    const turns = this.#quarterTurns(sizeOf(image), angle);
    if (turns !== null) return turns === 0 ? image : image.rot90(turns, [-2, -1]);
    return this.#turn(asBatch(image), [angle]).reshape(native.shape(image));
  }

  override runEach(batch: Tensor, angles: readonly number[]): Tensor {
    const size = sizeOf(batch);
    const exact = angles.some((angle) => this.#quarterTurns(size, angle) !== null);
    return exact ? super.runEach(batch, angles) : this.#turn(batch, angles);
  }

  /** Turns that move pixels without resampling: none, half, and quarters of squares. */
  #quarterTurns({ height, width }: ImageSize, angle: number): number | null {
    const turns = (((angle % 360) + 360) % 360) / 90;
    if (this.center !== null || !Number.isInteger(turns)) return null;
    return turns % 2 === 0 || height === width ? turns : null;
  }

  #turn(batch: Tensor, angles: readonly number[]): Tensor {
    const { height, width } = sizeOf(batch);
    // torchvision turns counterclockwise here and clockwise in RandomAffine.
    const affines = angles.map((angle): Affine => ({
      angle: -angle,
      translate: [0, 0],
      scale: 1,
      shear: [0, 0],
    }));
    return this.sample(batch, affines, [height, width]);
  }

  override extraRepr(): string {
    return `degrees=${listText(this.degrees)}, interpolation=${this.interpolation}`;
  }
}

export interface RandomAffineOptions extends AffineOptions {
  /** Most shift to either side, as parts of width and height. Default: no shift. */
  readonly translate?: Pair;
  /** Factor of the size, from and to. Default: the size stays. */
  readonly scale?: Pair;
  /** Degrees along x: one number for both directions, two, or four with those along y. Default: no shear. */
  readonly shear?: number | Pair | readonly [number, number, number, number];
}

const RANDOM_AFFINE_RULES = {
  translate: optional((call, _name, value) => checkParts(call, value)),
  scale: optional((call, name, value) => checkRange(call, name, value, { min: Number.MIN_VALUE })),
  shear: optional((call, _name, value) => checkShear(call, value)),
  ...AFFINE_RULES,
} satisfies OpenRules<RandomAffineOptions>;

/** Turns, shifts, scales and shears: `new transforms.RandomAffine(10, { translate: [0.1, 0.1], scale: [0.9, 1.1] })`. */
export class RandomAffine extends AffineTransform<Affine> {
  readonly degrees: Pair;
  readonly translate: Pair | null;
  readonly scale: Pair | null;
  readonly shear: readonly Pair[];

  constructor(degrees: number | Pair, options?: RandomAffineOptions) {
    const call = "new transforms.RandomAffine";
    const read = readOptions(call, options, RANDOM_AFFINE_RULES);
    super(read);
    this.degrees = checkDegrees(call, "degrees", degrees);
    this.translate = read.translate ?? null;
    this.scale = read.scale ?? null;
    this.shear = read.shear ?? [];
  }

  override draw({ height, width }: ImageSize, draws: Draws): Affine {
    const angle = draws.uniform(...this.degrees);
    const shift = (part: number, size: number) => Math.round(draws.uniform(-part * size, part * size));
    const translate: Pair = this.translate
      ? [shift(this.translate[0], width), shift(this.translate[1], height)]
      : [0, 0];
    const scale = this.scale ? draws.uniform(...this.scale) : 1;
    const [x, y] = this.shear.map((range) => draws.uniform(...range));
    return { angle, translate, scale, shear: [x ?? 0, y ?? 0] };
  }

  override run(image: Tensor, affine: Affine): Tensor {
    const { height, width } = sizeOf(image);
    return this.sample(asBatch(image), [affine], [height, width]).reshape(native.shape(image));
  }

  override runEach(batch: Tensor, affines: readonly Affine[]): Tensor {
    const { height, width } = sizeOf(batch);
    return this.sample(batch, affines, [height, width]);
  }

  override extraRepr(): string {
    const parts = [`degrees=${listText(this.degrees)}`];
    if (this.translate) parts.push(`translate=${listText(this.translate)}`);
    if (this.scale) parts.push(`scale=${listText(this.scale)}`);
    return parts.join(", ");
  }
}

function checkParts(call: string, translate: unknown): Pair {
  if (!Array.isArray(translate) || translate.length !== 2)
    throw new TypeError(
      `${call}: translate must be two parts of the size, as [0.1, 0.1], got ${describe(translate)}.`,
    );
  return translate.map((part, i) =>
    checkNumber(call, `translate[${i}]`, part, { min: 0, max: 1 }),
  ) as unknown as Pair;
}

function checkShear(call: string, shear: unknown): readonly Pair[] {
  if (!Array.isArray(shear) || shear.length !== 4) return [checkDegrees(call, "shear", shear)];
  return [checkRange(call, "shear", shear.slice(0, 2)), checkRange(call, "shear", shear.slice(2))];
}
