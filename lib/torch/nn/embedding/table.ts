// Parts that Embedding and EmbeddingBag share: the matrix, its construction, and the lookup options.
import { checkTensor, optionalTensor } from "../../tensor/tensor_arguments.ts";
import { checkInteger } from "../../vocabulary/arguments.ts";
import type { Rules } from "../../vocabulary/options.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { native } from "../../engine/native.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { emptyParameter, type FactoryOptions, readLayerOptions } from "../factory.ts";
import { LOOKUP_RULES, type LookupOptions } from "../functional/embedding.ts";
import * as init from "../init/init.ts";
import { Module } from "../module/base.ts";
import { Parameter } from "../module/parameter.ts";

interface TableStructure extends LookupOptions {
  /** The rows to begin with, [numEmbeddings, embeddingDim]. Default: drawn from N(0, 1). */
  readonly weight?: Tensor | null;
}

export interface TableOptions extends TableStructure, FactoryOptions {}

const RULES: Rules<TableStructure> = { ...LOOKUP_RULES, weight: optionalTensor };

/** Rows [numEmbeddings, embeddingDim] that are looked up by number: what `Embedding` and `EmbeddingBag` share. */
export abstract class EmbeddingTable extends Module {
  readonly numEmbeddings: number;
  readonly embeddingDim: number;
  readonly paddingIdx: number | null;
  maxNorm: number | null;
  normType: number;
  scaleGradByFreq: boolean;
  sparse: boolean;
  /** [numEmbeddings, embeddingDim] */
  weight: Parameter;

  protected constructor(
    numEmbeddings: number,
    embeddingDim: number,
    options: TableOptions | undefined,
    known: readonly string[],
  ) {
    super();
    const call = `new nn.${this.constructor.name}`;
    const { read: all, factory } = readLayerOptions<TableStructure>(call, options, RULES, known);
    this.numEmbeddings = checkInteger(call, "numEmbeddings", numEmbeddings, 1);
    this.embeddingDim = checkInteger(call, "embeddingDim", embeddingDim, 1);
    const { paddingIdx, weight, ...read } = all;
    if (paddingIdx !== null) {
      checkInteger(call, "paddingIdx", paddingIdx, -numEmbeddings);
      if (paddingIdx >= numEmbeddings) {
        throw new RangeError(`${call}: paddingIdx must be below ${numEmbeddings}, got ${paddingIdx}.`);
      }
    }
    this.paddingIdx = paddingIdx !== null && paddingIdx < 0 ? numEmbeddings + paddingIdx : paddingIdx;
    this.maxNorm = read.maxNorm;
    this.normType = read.normType;
    this.scaleGradByFreq = read.scaleGradByFreq;
    this.sparse = read.sparse;
    if (weight && native.shape(weight).join() !== `${numEmbeddings},${embeddingDim}`) {
      throw new RangeError(
        `${call}: weight must be [${numEmbeddings}, ${embeddingDim}], got shape [${native.shape(weight).join(", ")}].`,
      );
    }
    this.weight = weight
      ? new Parameter(Object.keys(factory).length === 0 ? weight : weight.to(factory))
      : emptyParameter([numEmbeddings, embeddingDim], factory);
    if (!weight) this.resetParameters();
  }

  /** Draws the weights anew, as the constructor does: from the standard normal distribution, the padding's row 0. */
  resetParameters(): void {
    init.normal_(this.weight);
    if (this.paddingIdx !== null) noGrad(() => this.weight.select(0, this.paddingIdx!).fill_(0));
  }

  /** Returns the parts that are printed after the norm's options. */
  protected moreRepr(): string[] {
    return [];
  }

  override extraRepr(): string {
    const parts = [`${this.numEmbeddings}, ${this.embeddingDim}`];
    if (this.paddingIdx !== null) parts.push(`paddingIdx=${this.paddingIdx}`);
    if (this.maxNorm !== null) parts.push(`maxNorm=${this.maxNorm}`);
    if (this.normType !== 2) parts.push(`normType=${this.normType}`);
    if (this.scaleGradByFreq) parts.push("scaleGradByFreq=true");
    parts.push(...this.moreRepr());
    if (this.sparse) parts.push("sparse=true");
    return parts.join(", ");
  }
}

/** The size of a matrix of rows that a user gives. */
export function pretrainedSize(call: string, embeddings: Tensor): [count: number, size: number] {
  const shape = native.shape(checkTensor(call, "the rows", embeddings));
  if (shape.length !== 2) {
    throw new RangeError(
      `${call}: the rows must be a tensor [numEmbeddings, embeddingDim], got shape [${shape.join(", ")}].`,
    );
  }
  return shape as [number, number];
}
