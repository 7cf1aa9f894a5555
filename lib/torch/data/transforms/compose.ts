// Applies transforms one after the other, or with a probability. Source: torchvision/transforms/v2/_container.py.
import { describe } from "../../vocabulary/arguments.ts";
import { native } from "../../engine/native.ts";
import { torchFunctions } from "../../tensor/operators.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Draws } from "../draws.ts";
import { checkProbability } from "./settings.ts";
import { type ImageSize, Transform } from "./transform.ts";

/** A transform or any function of an image. */
export type ImageFunction = (image: Tensor) => Tensor;

function checkTransforms(call: string, given: unknown): readonly ImageFunction[] {
  const functions = Array.isArray(given) && given.every((one) => typeof one === "function");
  if (functions && given.length > 0) return given as ImageFunction[];
  throw new TypeError(
    `${call}: expected a list of at least one transform or function, got ${describe(given)}.`,
  );
}

type AnyTransform = Transform<unknown>;

/** A transform that consists of several others. `Drawn` holds what each of them has drawn. */
abstract class Several<Drawn> extends Transform<Drawn> {
  readonly transforms: readonly ImageFunction[];

  constructor(call: string, transforms: readonly ImageFunction[]) {
    super();
    this.transforms = checkTransforms(call, transforms);
  }

  /**
   * Whether a batch can go through all of them at once. It cannot with a user's function, which may draw or resize as
   * it likes.
   */
  protected isKnown(): boolean {
    return this.transforms.every((one) =>
      one instanceof Several ? one.isKnown() : one instanceof Transform,
    );
  }

  protected get members(): readonly AnyTransform[] {
    return this.transforms as unknown as readonly AnyTransform[];
  }

  protected drawAll(size: ImageSize, draws: Draws): unknown[] {
    let current = size;
    return this.members.map((transform) => {
      const drawn = transform.draw(current, draws);
      current = transform.sizeAfter(current, drawn);
      return drawn;
    });
  }

  protected sizeAfterAll(size: ImageSize, drawn: readonly unknown[]): ImageSize {
    return this.members.reduce((current, transform, i) => transform.sizeAfter(current, drawn[i]), size);
  }

  protected runAll(image: Tensor, drawn: readonly unknown[]): Tensor {
    return this.members.reduce((current, transform, i) => transform.run(current, drawn[i]), image);
  }

  override each(batch: Tensor): Tensor {
    if (this.isKnown() || !native.isTensor(batch) || native.dim(batch) !== 4) return super.each(batch);
    return torchFunctions.stack(batch.unbind(0).map((image) => this.forward(image)));
  }
}

/**
 * `new transforms.Compose([new transforms.RandomCrop(28, { padding: 2 }), new transforms.ToDtype("float32")])`. Functions
 * of an image to an image may stand among them.
 */
export class Compose extends Several<unknown[]> {
  constructor(transforms: readonly ImageFunction[]) {
    super("new transforms.Compose", transforms);
  }

  override draw(size: ImageSize, draws: Draws): unknown[] {
    return this.drawAll(size, draws);
  }

  override run(image: Tensor, drawn: readonly unknown[]): Tensor {
    return this.runAll(image, drawn);
  }

  override runEach(batch: Tensor, drawn: readonly (readonly unknown[])[]): Tensor {
    return this.members.reduce(
      (current, transform, i) =>
        transform.runEach(
          current,
          drawn.map((one) => one[i]),
        ),
      batch,
    );
  }

  override sizeAfter(size: ImageSize, drawn: readonly unknown[]): ImageSize {
    return this.sizeAfterAll(size, drawn);
  }

  override forward(image: Tensor): Tensor {
    if (this.isKnown()) return super.forward(image);
    return this.transforms.reduce((current, transform) => transform(current), image);
  }
}

/** All of `transforms` with probability `p`, else none. */
export class RandomApply extends Several<unknown[] | null> {
  readonly p: number;

  constructor(transforms: readonly ImageFunction[], p = 0.5) {
    super("new transforms.RandomApply", transforms);
    this.p = checkProbability("new transforms.RandomApply", p);
    if (!this.isKnown())
      throw new TypeError(
        "new transforms.RandomApply: expected transforms alone, got a function among them.",
      );
  }

  override draw(size: ImageSize, draws: Draws): unknown[] | null {
    return draws.uniform() < this.p ? this.drawAll(size, draws) : null;
  }

  override run(image: Tensor, drawn: readonly unknown[] | null): Tensor {
    return drawn === null ? image : this.runAll(image, drawn);
  }

  override sizeAfter(size: ImageSize, drawn: readonly unknown[] | null): ImageSize {
    return drawn === null ? size : this.sizeAfterAll(size, drawn);
  }

  override extraRepr(): string {
    return `p=${this.p}`;
  }
}
