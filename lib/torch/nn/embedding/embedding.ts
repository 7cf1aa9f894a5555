// Embedding: looks up a row of a matrix for each index.
import { boolean, readOptions } from "../../vocabulary/options.ts";
import { checkBoolean } from "../../vocabulary/arguments.ts";
import { neededByPlace, optionsByPlace } from "../../vocabulary/arguments_by_name.ts";
import type { DType } from "../../vocabulary/dtype.ts";
import type { DeviceText } from "../../vocabulary/device_name.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { LOOKUP_RULES, lookUp, requireIndices, type LookupOptions } from "../functional/embedding.ts";
import { keepNothing } from "../module/transient.ts";
import { EmbeddingTable, pretrainedSize, type TableOptions } from "./table.ts";
import type { ByName, LayerCall, SizeText } from "../../types/index.ts";

// Merged interfaces say how layers are called: with what they know of shapes.
/* oxlint-disable typescript/no-unsafe-declaration-merging */

const PRETRAINED_RULES = { freeze: boolean(true), ...LOOKUP_RULES };

export interface EmbeddingOptions extends TableOptions {
  /** Does not train the rows. Default: false. */
  readonly freeze?: boolean;
}

const PLACES = [
  "paddingIdx",
  "maxNorm",
  "normType",
  "scaleGradByFreq",
  "sparse",
  "weight",
  "freeze",
  "device",
  "dtype",
] as const satisfies readonly (keyof EmbeddingOptions)[];

export interface Embedding<Dim extends number = number> extends LayerCall<`embedding;${SizeText<Dim>}|`> {}

/** [batch, length] of indices -> [batch, length, embeddingDim]. */
export class Embedding<Dim extends number = number> extends EmbeddingTable {
  constructor(
    numEmbeddings: number,
    embeddingDim: Dim,
    paddingIdx?: number | null | EmbeddingOptions,
    maxNorm?: number | null | EmbeddingOptions,
    normType?: number | EmbeddingOptions,
    scaleGradByFreq?: boolean | EmbeddingOptions,
    sparse?: boolean | EmbeddingOptions,
    weight?: Tensor | null | EmbeddingOptions,
    freeze?: boolean | EmbeddingOptions,
    device?: DeviceText | null | EmbeddingOptions,
    dtype?: DType | null,
  );
  constructor(named: ByName & { numEmbeddings: number; embeddingDim: Dim } & EmbeddingOptions);
  constructor(numEmbeddings: number, named: ByName & { embeddingDim: Dim } & EmbeddingOptions);
  constructor(numEmbeddings: number, embeddingDim: Dim);
  constructor(...all: unknown[]) {
    const [numEmbeddings, embeddingDim, ...given] = neededByPlace<[numEmbeddings: number, embeddingDim: Dim]>(
      ["numEmbeddings", "embeddingDim"],
      all,
    );
    const call = `new nn.${new.target.name}`;
    const { freeze = false, ...options } = optionsByPlace<EmbeddingOptions>(call, PLACES, given) ?? {};
    super(numEmbeddings, embeddingDim, options, PLACES);
    if (checkBoolean(call, "freeze", freeze)) this.weight.requiresGrad = false;
  }

  /** Makes a layer with these rows. They are not trained unless `freeze` is false. */
  static fromPretrained(
    embeddings: Tensor,
    options?: LookupOptions & { readonly freeze?: boolean },
  ): Embedding {
    const call = "nn.Embedding.fromPretrained";
    const { freeze, ...lookup } = readOptions(call, options, PRETRAINED_RULES);
    const layer = new Embedding(...pretrainedSize(call, embeddings), { ...lookup, weight: embeddings });
    layer.weight.requiresGrad = !freeze;
    return layer;
  }

  override forward(input: Tensor): Tensor {
    requireIndices(`${this}`, input);
    return lookUp(input, this.weight, this);
  }
}

keepNothing(Embedding);
