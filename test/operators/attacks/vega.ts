// Charts: specifications of a stranger's notebook that take more memory or time than there is, or load files and addresses.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ApartRenderer } from "../../../lib/charts/render_apart.ts";

export const name = "specifications of charts that take too much, or load something";

const SECRET = "the-content-of-a-local-file";
const LITE = { $schema: "https://vega.github.io/schema/vega-lite/v5.json" };
const VEGA = { $schema: "https://vega.github.io/schema/vega/v5.json", width: 100, height: 100 };
const quantitative = (field: string) => ({ field, type: "quantitative" });
const values = [{ a: 0 }, { a: 1 }];

/** None of these can be drawn. */
const TOO_MUCH: Readonly<Record<string, object>> = {
  "a sequence of 3e8 rows": {
    ...LITE,
    data: { sequence: { start: 0, stop: 3e8 } },
    mark: "point",
    encoding: { x: quantitative("data") },
  },
  "a transform of 3e8 rows": {
    ...VEGA,
    data: [{ name: "t", transform: [{ type: "sequence", start: 0, stop: 3e8 }] }],
  },
  "a signal of 3e8 numbers": { ...VEGA, signals: [{ name: "s", init: "sequence(0, 3e8)" }] },
  "a billion bins": {
    ...LITE,
    data: { values },
    mark: "bar",
    encoding: { x: { bin: { step: 1e-9 }, field: "a" }, y: { aggregate: "count" } },
  },
  "a cross of 1e5 rows": {
    ...VEGA,
    data: [{ name: "t", transform: [{ type: "sequence", start: 0, stop: 1e5 }, { type: "cross" }] }],
  },
  "twenty thousand charts": {
    ...LITE,
    data: { values },
    repeat: Array.from({ length: 20_000 }, (_, at) => `f${at}`),
    spec: { mark: "point", encoding: { x: { field: { repeat: "repeat" }, type: "quantitative" } } },
  },
  "a billion ticks": {
    ...LITE,
    data: { values },
    mark: "point",
    encoding: { x: { ...quantitative("a"), axis: { tickCount: 1e9 } } },
  },
  "a density in 1e9 steps": {
    ...LITE,
    data: { values },
    transform: [{ density: "a", steps: 1e9 }],
    mark: "area",
    encoding: { x: quantitative("value"), y: quantitative("density") },
  },
  "a grid of 1e10 cells": {
    ...VEGA,
    data: [
      { name: "s", values: [{ x: 1, y: 1 }] },
      {
        name: "t",
        source: "s",
        transform: [{ type: "kde2d", x: { field: "x" }, y: { field: "y" }, size: [1e5, 1e5], cellSize: 1 }],
      },
    ],
  },
  "a text of 5e8 letters": {
    ...VEGA,
    signals: [{ name: "s", init: "pad('x', 5e8, 'y', 'left')" }],
    marks: [{ type: "text", encode: { enter: { text: { signal: "s" } } } }],
  },
  "five thousand layers in each other": nested(5_000),
};

/** These hold an address or a file, at the places where Vega looks for one. */
const loading = (url: string): Readonly<Record<string, object>> => ({
  data: {
    ...LITE,
    data: { url, format: { type: "csv" } },
    mark: "text",
    encoding: { text: { field: "v" } },
  },
  lookup: {
    ...LITE,
    data: { values },
    transform: [{ lookup: "a", from: { data: { url, format: { type: "csv" } }, key: "k", fields: ["v"] } }],
    mark: "text",
    encoding: { text: { field: "v" } },
  },
  transform: {
    ...VEGA,
    data: [{ name: "t", transform: [{ type: "load", url }] }],
    marks: [{ type: "text", from: { data: "t" }, encode: { enter: { text: { signal: "datum.v" } } } }],
  },
  image: {
    ...VEGA,
    marks: [{ type: "image", encode: { enter: { url: { value: url }, width: { value: 9 } } } }],
  },
  link: {
    ...VEGA,
    marks: [{ type: "rect", encode: { enter: { href: { value: url }, width: { value: 9 } } } }],
  },
});

function nested(levels: number): object {
  let layers: object = { mark: "point" };
  for (let level = 0; level < levels; level += 1) layers = { layer: [layers] };
  return { ...LITE, data: { values: [] }, ...layers };
}

export async function run(): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "mpslab-vega-"));
  const file = path.join(folder, "secret.csv");
  writeFileSync(file, `k,v\n0,${SECRET}\n`);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end(`k,v\n0,${SECRET}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.csv`;
  try {
    const loaded = await attackLoads([
      `file://${file}`,
      file,
      address,
      `data:text/csv,k,v%0A0,${SECRET.replaceAll("-", "%2D")}`,
    ]);
    return [
      ...(await attackMemory()),
      ...loaded,
      ...(asked > 0 ? [`${asked} requests reached the server`] : []),
    ];
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

async function attackMemory(): Promise<string[]> {
  const renderer = new ApartRenderer({ seconds: 5, bytes: 2 ** 30, exceeding: Infinity });
  const problems: string[] = [];
  for (const [what, specification] of Object.entries(TOO_MUCH)) {
    const startMs = performance.now();
    const reason = await renderer.svgOf(specification).then(
      (svg) => {
        if (svg.length > 50_000_000) problems.push(`${what} was drawn in ${svg.length} characters`);
        return `drawn in ${svg.length} characters`;
      },
      (error: Error) => error.message,
    );
    console.log(`  ${what}: ${reason.slice(0, 100)} (${Math.round(performance.now() - startMs)} ms)`);
  }
  const small = { ...LITE, data: { values }, mark: "point", encoding: { x: quantitative("a") } };
  const drawn = await renderer.svgOf(small).catch((error: Error) => error.message);
  return drawn.startsWith("<svg") ? problems : [...problems, `a small chart after them: ${drawn}`];
}

async function attackLoads(addresses: readonly string[]): Promise<string[]> {
  const renderer = new ApartRenderer();
  const problems: string[] = [];
  for (const address of addresses) {
    for (const [place, specification] of Object.entries(loading(address))) {
      const svg = await renderer.svgOf(specification).catch((error: Error) => `not drawn: ${error.message}`);
      const isNamed = svg.startsWith("<svg") && svg.includes(address) && place !== "link";
      if (isNamed || (svg.startsWith("<svg") && svg.includes(SECRET)))
        problems.push(`${address} in ${place} is in the picture`);
      const link = /href="(?!https?:|#?")[^"]*"/.exec(svg)?.[0];
      if (svg.startsWith("<svg") && link !== undefined) problems.push(`a picture has the link ${link}`);
    }
  }
  return problems;
}
