// The site that `npm run test:docs` has just built, as files.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readCatalogue } from "../../../docs/site/pages/catalogue.ts";
import { brokenLinks } from "../../../docs/site/pages/check_links.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const site = path.join(root, "output", "docs");
const { guides: groups, lessons, notebooks, contributing } = readCatalogue(root);
const guides = groups.flatMap(({ pages }) => pages);

const read = (address: string) => readFileSync(path.join(site, `${address}.html`), "utf8");

/** What a reader sees of a page. */
function textOf(html: string): string {
  const body = html.slice(html.indexOf("<body")).replaceAll(/<(script|style)[^]*?<\/\1>/g, "");
  return body
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

it("no link and no picture leads nowhere", () => {
  expect(brokenLinks(site)).toEqual([]);
});

describe.each([...guides, ...lessons, ...notebooks, ...contributing])("$source", ({ address, title }) => {
  it("has a page with its title", () => {
    expect(textOf(read(address))).toContain(title.replaceAll("`", ""));
  });
});

it.each([
  ["interfaces/nn.LinearOptions", "Whether a bias is added. Default: true."],
  ["interfaces/nn.GroupNormOptions", "Learns a scale and a shift for each channel. Default: true."],
  [
    "interfaces/optim.AdamOptions",
    "Decay rates of the averages of the gradient and of its square. Default: [0.9, 0.999].",
  ],
  ["interfaces/functional.DropoutOptions", "The probability of being dropped. Default: 0.5."],
  [
    "interfaces/lab.HistogramOptions",
    "Bins of equal width from the least to the greatest value, 1 to 500. Default:",
  ],
  ["interfaces/Tensor", "The desired type of returned tensor. Default: null."],
  ["functions/functional.conv2d", "Defaults: stride = 1"],
])("the page of the API %s has each option with its sentence and default", (page, sentence) => {
  expect(textOf(read(`/api/${page}`)).replaceAll(/\s+/g, " ")).toContain(sentence);
});

describe("the start page", () => {
  const home = read("/index");

  it("says that no Mac has run it, and how to start", () => {
    expect(textOf(home)).toMatch(/no Mac has run\s+it yet/);
    expect(textOf(home)).toContain("npm start");
  });

  it("shows a notebook in both themes, and a chart of each lesson that has one", () => {
    const pictures = [...home.matchAll(/<img class="[^"]*image-src[^"]*" src="[^"]*-(light|dark)\.[^"]*"/g)];
    expect(pictures.map(([, theme]) => theme).toSorted()).toEqual(["dark", "light"]);
    expect(home.match(/class="output figure/g)!.length).toBeGreaterThan(3);
  });

  it("says that it needs a server where it is opened from the disk", () => {
    expect(home).toMatch(/location\.protocol ?=== ?"file:"[^]*python3 -m http\.server/);
  });

  it("leads to every lesson", () => {
    expect(lessons.filter(({ address }) => !home.includes(`href="${address}.html"`))).toEqual([]);
  });
});

describe("a lesson", () => {
  const tour = read("/lessons/01-tour");

  it("shows the type error that its cell raised, in colours", () => {
    expect(textOf(tour)).toContain("Property 'reshpe' does not exist on type 'Tensor<[3, 4], \"float32\">'.");
    expect(tour).toMatch(/style="[^"]*--shiki-dark:[^"]*">TypeCheckError</);
  });

  it("shows the charts of its run as drawings that follow the theme", () => {
    expect(tour).toMatch(/<svg [^]*currentColor/);
    expect(tour).toMatch(/aria-label="Memory of \d+ epochs on /);
  });
});

describe("the API", () => {
  it("says of a layer what it computes, its options with their defaults, and where it is written", () => {
    const linear = textOf(read("/api/classes/nn.Linear"));
    expect(linear).toContain("[..., inFeatures] -> [..., outFeatures]");
    expect(linear).toMatch(/lib\/torch\/nn\/linear\.ts:\d+/);
    expect(textOf(read("/api/interfaces/nn.LinearOptions"))).toContain(
      "Whether a bias is added. Default: true.",
    );
  });

  it("says of a function what it throws", () => {
    expect(textOf(read("/api/functions/lab.check"))).toMatch(/Throws[^]*CheckError/);
  });

  it("shows of an operator what it takes and gives, without what computes shapes for the compiler", () => {
    const add = textOf(read("/api/functions/torch.add")).replaceAll(/\s+/g, " ");
    // TypeScript writes a union in the order in which it met its parts.
    expect(add.replace("Tensor | Scalar", "Scalar | Tensor")).toContain(
      "add( input: Tensor, other: Scalar | Tensor, options?: { alpha?: Scalar; out?: Tensor },): Tensor",
    );
    expect(add).not.toMatch(/Problem|TensorOf|BroadcastShape/);
  });

  it("has what every layer has on one page, to which the layers lead", () => {
    expect(textOf(read("/api/classes/nn.Module"))).toContain("registerForwardHook");
    const dropout = read("/api/classes/nn.Dropout");
    expect(dropout).toContain('href="nn.Module.html"');
    expect(textOf(dropout)).not.toContain("registerForwardHook");
  });

  it("has the operators, as functions and as members of a tensor", () => {
    expect(existsSync(path.join(site, "api/functions/torch.matmul.html"))).toBe(true);
    expect(textOf(read("/api/interfaces/Tensor"))).toContain("matmul");
  });

  it("shows sources with an anchor for each line", () => {
    expect(read("/source/lib/torch/nn/linear.ts")).toMatch(/id="L1"/);
  });
});

it("the search finds words of guides and lessons, and the names of the API", () => {
  const chunks = readdirSync(path.join(site, "assets", "chunks"));
  const index = chunks.find((name) => name.startsWith("@localSearchIndex"))!;
  const text = readFileSync(path.join(site, "assets", "chunks", index), "utf8");
  for (const word of ["watermark", "crossentropy", "flush", "quiz"]) expect(text).toContain(word);
});
