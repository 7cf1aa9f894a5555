// `lab.plot.images`: shows images of a tensor side by side, each with its caption.
import type { Tensor } from "../../../torch/types/index.ts";
import { checkInteger, describe, shapeText } from "../../../torch/vocabulary/arguments.ts";
import { boolean, optional, readOptions } from "../../../torch/vocabulary/options.ts";
import { drawEach } from "../../../torch/tensor/view/images.ts";
import { capitalized, counted } from "../../../words.ts";
import { FRAME } from "../frame_options.ts";
import { labelsRule } from "../labels.ts";
import { isTensor } from "../numbers.ts";
import { makePlot, type Plot } from "../plot.ts";
import { CHART_WIDTH, FONT_SIZE, frame, shortened, textWidth } from "../../../charts/plot_style.ts";

/** Options of `lab.plot.images`. */
export interface ImagesOptions {
  /** What the images are. Default: their number and size. */
  readonly title?: string;
  /** A line below each image, in order. Default: none. */
  readonly captions?: readonly string[];
  /** Images side by side. Default: as many as make the grid about as wide as high. */
  readonly columns?: number;
  /** Stretches the values so that the least is black and the greatest is white. Default: false. */
  readonly normalize?: boolean;
}

const RULES = {
  title: FRAME.title,
  captions: labelsRule(),
  columns: optional((call, name, value) => checkInteger(call, name, value, 1)),
  normalize: boolean(false),
} as const;

const GAP = 6;
const CAPTION_HEIGHT = FONT_SIZE + 6;

/**
 * Shows images in a grid: [N, C, H, W] or [C, H, W] with 1, 3 or 4 channels, [N, H, W] of grey ones, or [H, W]. Floats
 * are black at 0 and white at 1, integers white at 255. A tensor of [3, H, W] is one colour image; three grey ones are
 * `x.unsqueeze(1)`. Shows at most 64.
 *
 * @throws TypeError for a value that is not a tensor, RangeError for a shape that is not that of images, and for a
 *   wrong number of captions
 */
export function images(values: Tensor, options?: ImagesOptions): Plot {
  const call = "lab.plot.images";
  const read = readOptions(call, options, RULES);
  if (!isTensor(values))
    throw new TypeError(`${call}: values must be a Tensor of images, got ${describe(values)}.`);
  const { shape } = values;
  const isGreyBatch = shape.length === 3 && ![1, 3, 4].includes(shape[0]!);
  const drawn = drawEach(call, isGreyBatch ? values.unsqueeze(1) : values, read);
  const { captions } = read;
  if (captions !== undefined && captions.length !== drawn.count)
    throw new RangeError(
      `${call}: captions has ${counted(captions.length, "line")}, and values of shape ${shapeText(shape)} ${drawn.count === 1 ? "is 1 image" : `are ${drawn.count} images`}; give one for each.`,
    );
  const min =
    captions === undefined ? 0 : Math.min(120, Math.max(...captions.map((caption) => textWidth(caption))));
  const widest = Math.floor((CHART_WIDTH + GAP) / (Math.max(min, 8) + GAP));
  const shown = drawn.pngs.length;
  const columns = Math.min(shown, read.columns ?? Math.min(drawn.columns, widest));
  const factor = Math.min(1, (CHART_WIDTH - GAP * (columns - 1)) / (columns * drawn.width));
  const [width, height] = [drawn.width * factor, drawn.height * factor];
  const step = {
    x: Math.max(width, Math.min(min, CHART_WIDTH / columns - GAP)) + GAP,
    y: height + GAP + (captions === undefined ? 0 : CAPTION_HEIGHT),
  };
  const max = Math.floor((10 * (step.x - GAP / 2)) / textWidth("mmmmmmmmmm"));
  const rows = drawn.pngs.map((png, at) => ({
    url: `data:image/png;base64,${Buffer.from(png).toString("base64")}`,
    x: Math.round((at % columns) * step.x),
    y: Math.round(Math.floor(at / columns) * step.y),
    ...(captions === undefined ? {} : { caption: shortened(captions[at]!, max) }),
  }));
  const size = `${shape.at(-1)} × ${shape.at(-2)} pixels`;
  const count =
    shown < drawn.count ? `the first ${shown} of ${drawn.count} images` : counted(drawn.count, "image");
  const title = read.title ?? `${capitalized(count)} of ${size}`;
  const position = { axis: null, scale: null } as const;
  return makePlot(
    {
      ...frame(title, read.title !== undefined && shown < drawn.count ? [count] : [], {
        width: Math.round(columns * step.x - GAP),
        height: Math.round(Math.ceil(shown / columns) * step.y - GAP),
      }),
      data: { values: rows },
      encoding: {
        x: { field: "x", type: "quantitative", ...position },
        y: { field: "y", type: "quantitative", ...position },
      },
      layer: [
        {
          mark: { type: "image", width, height, align: "left", baseline: "top" },
          encoding: { url: { field: "url", type: "nominal" } },
        },
        ...(captions === undefined
          ? []
          : [
              {
                mark: { type: "text", align: "left", baseline: "top", dy: height + 4 },
                encoding: { text: { field: "caption", type: "nominal" } },
              },
            ]),
      ],
    },
    read.title === undefined ? "" : `${count} of ${size}`,
  );
}
