// Links between files of the repository lead to the site's pages of these files.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { siteLinks, type SiteLinks } from "../../docs/site/pages/links.ts";

const root = path.resolve(import.meta.dirname, "../..");
const addresses = new Map([
  ["docs/cells.md", "/guides/cells"],
  ["docs/lab.md", "/guides/lab"],
  ["notebooks/01-tour.ipynb", "/lessons/01-tour"],
]);

function led(markdown: string, source: string): { text: string; files: string[] } {
  const links: SiteLinks = { root, base: "/mpslab/", addresses, files: new Set() };
  return { text: siteLinks(markdown, source, links), files: [...links.files] };
}

describe("a link", () => {
  it.each([
    ["docs/magics.md", "[cells](cells.md#stale-cells)", "[cells](/guides/cells#stale-cells)"],
    ["docs/tables.md", "[tour](../notebooks/01-tour.ipynb)", "[tour](/lessons/01-tour)"],
    ["notebooks/02-device-contract.ipynb", "[lab](../docs/lab.md)", "[lab](/guides/lab)"],
    [
      "README.md",
      "[a `cell`](docs/cells.md) and [lab](docs/lab.md)",
      "[a `cell`](/guides/cells) and [lab](/guides/lab)",
    ],
  ])("in %s: %s", (source, markdown, expected) => {
    expect(led(markdown, source)).toEqual({ text: expected, files: [] });
  });

  it("to a file that is no page leads to a copy of the file, which the browser loads", () => {
    expect(led("[data](data/houses.csv)", "notebooks/regression.ipynb")).toEqual({
      text: '<a href="/mpslab/files/notebooks/data/houses.csv" target="_self">data</a>',
      files: ["notebooks/data/houses.csv"],
    });
  });

  it.each(["[Vega-Lite](https://vega.github.io/vega-lite/)", "[below](#limits)", "[home](/)"])(
    "stays as it is: %s",
    (markdown) => {
      expect(led(markdown, "docs/plots.md").text).toBe(markdown);
    },
  );

  it("to a file that does not exist is an error that names both", () => {
    expect(() => led("[gone](gone.md)", "docs/cells.md")).toThrow(
      "docs/cells.md links to docs/gone.md, which does not exist.",
    );
  });

  it("in a block of code is no link", () => {
    const markdown = "````md\n```ts\nx\n```\n[cells](gone.md)\n````\n\n[cells](cells.md)";
    expect(led(markdown, "docs/lab.md").text).toBe(markdown.replace("(cells.md)", "(/guides/cells)"));
  });
});

describe("a picture", () => {
  it("is copied", () => {
    expect(led("![Lines.](images/plot-lines-dark.png)", "docs/plots.md")).toEqual({
      text: "![Lines.](/files/docs/images/plot-lines-dark.png)",
      files: ["docs/images/plot-lines-dark.png"],
    });
  });

  it("with a dark twin becomes both", () => {
    expect(led("![A chart.](images/widgets-light.png)", "docs/notebooks.md").text).toBe(
      "![A chart.](/files/docs/images/widgets-light.png){.in-light}" +
        "![A chart.](/files/docs/images/widgets-dark.png){.in-dark}",
    );
  });

  it("in a link leads to the link's page", () => {
    expect(led("[![](docs/images/plot-lines-dark.png)](docs/lab.md)", "README.md").text).toBe(
      "[![](/files/docs/images/plot-lines-dark.png)](/guides/lab)",
    );
  });
});
