// Declares a chart, and lays charts below each other.
import type { Specification } from "./chart_style.ts";

export interface Chart {
  /** The specification without its theme. */
  readonly specification: Specification;
  /** One line that says what the chart shows. */
  readonly summary: string;
}

/** Charts below each other, as one output. */
export function stacked(charts: readonly Chart[]): Chart {
  const parts = charts.map(({ specification: { $schema: _, ...part } }) => part);
  return {
    specification: {
      $schema: "https://vega.github.io/schema/vega-lite/v5.json",
      vconcat: parts,
      spacing: 18,
    },
    summary: charts.map(({ summary }) => summary).join("\n"),
  };
}

/** Math.max for any number of values. */
export function highest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
}

export function lowest(values: readonly number[]): number {
  return values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
