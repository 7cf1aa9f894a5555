// Draws a warning above a plot: a verdict that nobody should overlook. A colour alone cannot be text on a light and on a
// dark page, so the word stands on a ground of its own.
import { LABEL_FONT_SIZE, type Specification } from "./chart_style.ts";

/** The ground's colour. White text on it has a contrast of 5.5, and it has a contrast of 3.4 on #111. */
const WARNING = "#B04A00";

/** Pixels that a warning takes above the plot, below the title. */
const WARNING_HEIGHT = 26;

/** A word on a ground of its own colour above the plot, and bold text beside it. */
export function warningLayers(word: string, text: string): Specification[] {
  const width = 14 + 0.66 * LABEL_FONT_SIZE * word.length;
  const at = (x: number, y: number): Specification => ({ x: { value: x }, y: { value: y } });
  const data = { values: [{}] };
  const bold = { type: "text", align: "left", baseline: "middle", fontWeight: "bold" };
  return [
    {
      data,
      mark: { type: "rect", color: WARNING, cornerRadius: 3 },
      encoding: { ...at(0, -WARNING_HEIGHT), x2: { value: width }, y2: { value: 18 - WARNING_HEIGHT } },
    },
    {
      data,
      mark: { ...bold, color: "white" },
      encoding: { ...at(7, 9 - WARNING_HEIGHT), text: { value: word } },
    },
    { data, mark: bold, encoding: { ...at(width + 7, 9 - WARNING_HEIGHT), text: { value: text } } },
  ];
}
