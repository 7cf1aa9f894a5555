// Lays specifications of plots out as one: schema, background and style are those of the whole.
import type { Specification } from "../../charts/chart_style.ts";

/** @param specifications at least one; each keeps its own colours and shapes */
export function together(
  layout: "concat" | "vconcat",
  specifications: readonly Specification[],
): Specification {
  const { $schema, background, padding, usermeta, config } = specifications[0]!;
  return {
    $schema,
    background,
    padding,
    usermeta,
    config,
    [layout]: specifications.map(partOf),
    resolve: {
      scale: Object.fromEntries(
        ["color", "strokeDash", "shape", "opacity"].map((channel) => [channel, "independent"]),
      ),
    },
  };
}

function partOf({
  $schema: _,
  background: _b,
  padding: _p,
  usermeta: _u,
  config: _c,
  ...part
}: Specification): Specification {
  return part;
}
