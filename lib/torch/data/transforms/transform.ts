// The base of image transforms: random parameters are drawn first and applied then. So each image of a batch gets its
// own parameters, drawn in the order of single images, and the batch still goes through one operator. Source:
// torchvision/transforms/v2/_transform.py (make_params, transform).
import { describe } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { Module } from "../../nn/module/module.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Draws, withDraws } from "../draws.ts";
import { inStage } from "../stages.ts";

export interface ImageSize {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

export function sizeOf(image: Tensor): ImageSize {
  const [channels, height, width] = native.shape(image).slice(-3);
  return { channels: channels!, height: height!, width: width! };
}

function checkImage(transform: Module, image: unknown, min: number): Tensor {
  const call = `transforms.${transform.constructor.name}`;
  if (!native.isTensor(image))
    throw new TypeError(`${call}: expected an image tensor, got ${describe(image)}.`);
  if (native.dim(image) >= min) return image;
  const shape = min === 3 ? "[..., channels, height, width]" : "[batch, channels, height, width]";
  throw new RangeError(`${call}: expected ${shape}, got [${native.shape(image).join(", ")}].`);
}

/** Images [..., channels, height, width] into images. `Drawn` is what is random about one image. */
export abstract class Transform<Drawn> extends Module {
  /** Called once an image, in torchvision's order of draws. Numbers come from the session's generator, as `rand`'s do. */
  abstract draw(size: ImageSize, draws: Draws): Drawn;

  /** The same parameters for the whole of `image`, which may have leading dimensions. */
  abstract run(image: Tensor, drawn: Drawn): Tensor;

  /** An image's size afterwards. */
  sizeAfter(size: ImageSize, _drawn: Drawn): ImageSize {
    return size;
  }

  /** Runs the transform on `batch` [batch, channels, height, width] with other parameters for each image. */
  runEach(batch: Tensor, drawn: readonly Drawn[]): Tensor {
    return torchFunctions.stack(drawn.map((parameters, i) => this.run(batch.select(0, i), parameters)));
  }

  override forward(image: Tensor): Tensor {
    checkImage(this, image, 3);
    return inStage("transform", () =>
      tidy(() => {
        const drawn = withDraws((draws) => this.draw(sizeOf(image), draws));
        return this.run(image, drawn);
      }),
    );
  }

  /**
   * Transforms each image of a batch [batch, channels, height, width] for itself: what stacking the transformed images
   * gives, from the same random numbers, but fast. Called as a function, a transform treats a whole batch alike.
   */
  each(batch: Tensor): Tensor {
    checkImage(this, batch, 4);
    return inStage("transform", () =>
      tidy(() => {
        const size = sizeOf(batch);
        const count = native.shape(batch)[0]!;
        const drawn = withDraws((draws) => Array.from({ length: count }, () => this.draw(size, draws)));
        return count === 0
          ? this.run(
              batch,
              withDraws((draws) => this.draw(size, draws)),
            )
          : this.runEach(batch, drawn);
      }),
    );
  }
}

/** A transform without anything random: all images of a batch go through it at once. */
export abstract class FixedTransform extends Transform<null> {
  override draw(_size: ImageSize, _draws: Draws): null {
    return null;
  }

  override runEach(batch: Tensor): Tensor {
    return this.run(batch, null);
  }
}
