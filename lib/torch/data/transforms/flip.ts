// Mirrors images with a given probability. Source: torchvision/transforms/v2/_geometry.py.
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { checkProbability } from "./settings.ts";
import { type ImageSize, Transform } from "./transform.ts";

/** One number for each image of a batch, to be broadcast over its pixels. */
function perImage(values: readonly boolean[], like: Tensor): Tensor {
  return native
    .fromTypedArray(Uint8Array.from(values, Number), [values.length, 1, 1, 1], "bool")
    .to(native.device(like));
}

abstract class RandomFlip extends Transform<boolean> {
  readonly p: number;
  protected abstract readonly dim: number;

  constructor(p = 0.5) {
    super();
    this.p = checkProbability(`new transforms.${this.constructor.name}`, p);
  }

  override draw(_size: ImageSize, draws: Draws): boolean {
    return draws.uniform() < this.p;
  }

  override run(image: Tensor, flipped: boolean): Tensor {
    return flipped ? image.flip([this.dim]) : image;
  }

  override runEach(batch: Tensor, flipped: readonly boolean[]): Tensor {
    return torchFunctions.where(perImage(flipped, batch), batch.flip([this.dim]), batch);
  }

  override extraRepr(): string {
    return `p=${this.p}`;
  }
}

/** Left and right change places. */
export class RandomHorizontalFlip extends RandomFlip {
  protected override readonly dim = -1;
}

/** Top and bottom change places. */
export class RandomVerticalFlip extends RandomFlip {
  protected override readonly dim = -2;
}
