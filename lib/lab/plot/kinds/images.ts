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
import { wrapped } from "../../../charts/chart_style.ts";
import { CHART_WIDTH, FONT_SIZE, frame, textWidth } from "../../../charts/plot_style.ts";

/** Options of `lab.plot.images`. */
export interface ImagesOptions {
  /** What the images are. Default: their number and size. */
  readonly title?: string;
  /** A line below each image, in order. Default: none. */
  readonly captions?: readonly string[];
  /** Images side by side. Default: as many as make the grid about as wide as high. */
  readonly columns?: number;
  /** Pixels of the longer side of each image, 8 to 1,000. Default: as in the tensor, and at least 96 where there is room. */
  readonly size?: number;
  /** Stretches the values so that the least is black and the greatest is white. Default: false. */
  readonly normalize?: boolean;
}

const RULES = {
  title: FRAME.title,
  captions: labelsRule(),
  columns: optional((call, name, value) => checkInteger(call, name, value, 1)),
  size: optional((call, name, value) => {
    const size = checkInteger(call, name, value, 8);
    if (size > 1000) throw new RangeError(`${call}: ${name} must be at most 1,000 pixels, got ${size}.`);
    return size;
  }),
  normalize: boolean(false),
} as const;

const GAP = 6;
/** Pixels of the longer side of a smaller image, where there is room: a digit of 28 pixels is hard to see. */
const SMALLEST = 96;
const LINE_HEIGHT = FONT_SIZE + 3;

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
  const wanted =
    read.size === undefined ? 8 : (read.size * drawn.width) / Math.max(drawn.width, drawn.height);
  const widest = Math.max(1, Math.floor((CHART_WIDTH + GAP) / (Math.max(min, wanted) + GAP)));
  const shown = drawn.pngs.length;
  const columns = Math.min(
    shown,
    read.columns ?? (read.size === undefined ? Math.min(drawn.columns, widest) : widest),
  );
  const room = (CHART_WIDTH - GAP * (columns - 1)) / columns;
  const least = Math.max(drawn.width, (SMALLEST * drawn.width) / Math.max(drawn.width, drawn.height));
  const factor = (read.size === undefined ? Math.min(least, room) : wanted) / drawn.width;
  const [width, height] = [drawn.width * factor, drawn.height * factor];
  const across = Math.max(width, Math.min(min, CHART_WIDTH / columns - GAP)) + GAP;
  const max = Math.max(1, Math.floor((10 * (across - GAP / 2)) / textWidth("mmmmmmmmmm")));
  const lines = captions?.slice(0, shown).map((caption) => captionLines(caption, max)) ?? [];
  const tallest = Math.max(0, ...lines.map(({ length }) => length));
  const step = { x: across, y: height + GAP + (tallest === 0 ? 0 : tallest * LINE_HEIGHT + 3) };
  const rows = drawn.pngs.map((png, at) => ({
    url: `data:image/png;base64,${Buffer.from(png).toString("base64")}`,
    x: Math.round((at % columns) * step.x),
    y: Math.round(Math.floor(at / columns) * step.y),
    ...(captions === undefined ? {} : { caption: lines[at]!.length === 1 ? lines[at]![0]! : lines[at]! }),
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
          // Enlarged pixels stay squares.
          mark: { type: "image", width, height, align: "left", baseline: "top", smooth: factor < 1 },
          encoding: { url: { field: "url", type: "nominal" } },
        },
        ...(captions === undefined
          ? []
          : [
              {
                mark: {
                  type: "text",
                  align: "left",
                  baseline: "top",
                  dy: height + 4,
                  lineHeight: LINE_HEIGHT,
                },
                encoding: { text: { field: "caption", type: "nominal" } },
              },
            ]),
      ],
    },
    read.title === undefined ? "" : `${count} of ${size}`,
  );
}

/** The whole caption in lines, broken between words, and within a word that is wider than its image. */
function captionLines(caption: string, max: number): string[] {
  const lines = wrapped([caption], max).flatMap((line) =>
    line.length <= max ? [line] : (line.match(new RegExp(`.{1,${max}}`, "gsu")) ?? []),
  );
  return lines.length === 0 ? [""] : lines;
}
