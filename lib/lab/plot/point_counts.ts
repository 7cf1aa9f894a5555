// Counts points in rectangles, for plots with too many points to draw one by one.
import type { Scale } from "../../charts/ticks.ts";

/** How many rectangles there are along the x and the y axis. */
const [COLUMNS, ROWS] = [60, 30];

interface Placed {
  readonly x: number;
  readonly y: number;
}

/** A rectangle that holds points. */
export interface Rectangle {
  readonly x: number;
  readonly x2: number;
  readonly y: number;
  readonly y2: number;
  readonly points: number;
}

/** Counts the points in each rectangle. Rectangles have equal sizes on the axes, also on logarithmic ones. */
export function countPoints(points: readonly Placed[], xScale: Scale, yScale: Scale): Rectangle[] {
  const across = stripes(
    points.map(({ x }) => x),
    xScale,
    COLUMNS,
  );
  const up = stripes(
    points.map(({ y }) => y),
    yScale,
    ROWS,
  );
  const counts = new Uint32Array(COLUMNS * ROWS);
  for (const { x, y } of points) counts[up.indexOf(y) * COLUMNS + across.indexOf(x)]!++;
  return Array.from(counts, (count, at): Rectangle => {
    const [row, column] = [Math.floor(at / COLUMNS), at % COLUMNS];
    const [x, x2] = [across.edge(column), across.edge(column + 1)];
    const [y, y2] = [up.edge(row), up.edge(row + 1)];
    return { x, x2, y, y2, points: count };
  }).filter(({ points: count }) => count > 0);
}

function stripes(values: readonly number[], scale: Scale, count: number) {
  const to = scale === "log" ? Math.log : (value: number) => value;
  const back = scale === "log" ? Math.exp : (value: number) => value;
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) [min, max] = [Math.min(min, to(value)), Math.max(max, to(value))];
  const step = (max - min || 1) / count;
  return {
    indexOf: (value: number) => Math.min(count - 1, Math.floor((to(value) - min) / step)),
    edge: (at: number) => back(min + at * step),
  };
}
