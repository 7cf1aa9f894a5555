// Embedding: a row of a matrix for each index.
import { checkInteger, checkOptions } from "../arguments.ts";
import { noGrad } from "../autograd.ts";
import { native } from "../native.ts";
import { torchFunctions } from "../operators.ts";
import type { Tensor } from "../tensor.ts";
import * as init from "./init.ts";
import { inputShape } from "./input.ts";
import { emptyParameter, type FactoryOptions } from "./factory.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { keepNothing } from "./transient.ts";

export interface EmbeddingOptions extends FactoryOptions {
  /** A row that starts at zero and is not trained; -1 is the last. */
  readonly paddingIdx?: number | null;
}

/** [batch, length] of indices -> [batch, length, embeddingDim]. */
export class Embedding extends Module {
  readonly numEmbeddings: number;
  readonly embeddingDim: number;
  readonly paddingIdx: number | null;
  /** [numEmbeddings, embeddingDim] */
  weight: Parameter;

  constructor(numEmbeddings: number, embeddingDim: number, options?: EmbeddingOptions) {
    super();
    const call = "new nn.Embedding";
    const { paddingIdx = null, ...factory } = checkOptions<EmbeddingOptions>(call, options, [
      "paddingIdx",
      "device",
      "dtype",
    ]);
    this.numEmbeddings = checkInteger(call, "numEmbeddings", numEmbeddings, 1);
    this.embeddingDim = checkInteger(call, "embeddingDim", embeddingDim, 1);
    if (paddingIdx !== null) {
      checkInteger(call, "paddingIdx", paddingIdx, -numEmbeddings);
      if (paddingIdx >= numEmbeddings) {
        throw new RangeError(`${call}: paddingIdx must be below ${numEmbeddings}, got ${paddingIdx}.`);
      }
    }
    this.paddingIdx = paddingIdx !== null && paddingIdx < 0 ? numEmbeddings + paddingIdx : paddingIdx;
    this.weight = emptyParameter([numEmbeddings, embeddingDim], factory);
    this.resetParameters();
  }

  resetParameters(): void {
    init.normal_(this.weight);
    if (this.paddingIdx !== null) noGrad(() => this.weight.select(0, this.paddingIdx!).fill_(0));
  }

  override forward(input: Tensor): Tensor {
    inputShape(this, input);
    const dtype = native.dtype(input);
    if (dtype !== "int64" && dtype !== "int32") {
      throw new TypeError(
        `${this}: indices must be int64 or int32, got ${dtype}; convert them with input.to("int64").`,
      );
    }
    return torchFunctions.embedding(this.weight, input, this.paddingIdx ?? -1);
  }

  override extraRepr(): string {
    const padding = this.paddingIdx === null ? "" : `, paddingIdx=${this.paddingIdx}`;
    return `${this.numEmbeddings}, ${this.embeddingDim}${padding}`;
  }
}

keepNothing(Embedding);
