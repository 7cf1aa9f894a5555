// Pictures of Vega-Lite charts, drawn in a thread: what comes back, and that the program goes on meanwhile.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { renderPng } from "../../../lib/charts/render.ts";
import { HANG_MS } from "../../helpers/hang.ts";

const BAR = {
  $schema: "https://vega.github.io/schema/vega-lite/v5.json",
  background: "white",
  padding: 0,
  width: 100,
  height: 50,
  data: { values: [{ a: 1 }] },
  mark: { type: "bar", color: "#ff0000" },
  encoding: { x: { field: "a", type: "quantitative", axis: null } },
};

const sizeOf = (png: Uint8Array): [number, number] => {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
};

describe("a picture", () => {
  it("is a PNG of twice the pixels at which it is shown", async () => {
    const { png, width, height } = await renderPng(BAR);
    expect([...png.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect([width, height]).toEqual([100, 50]);
    expect(sizeOf(png)).toEqual([200, 100]);
  });

  it("has its text in the bundled font: the system needs none", async () => {
    const titled = (text: string) => renderPng({ ...BAR, title: { text, anchor: "start" } });
    const [blank, written] = await Promise.all([titled(" "), titled("µ")]);
    expect(sizeOf(blank.png)).toEqual(sizeOf(written.png));
    expect(Buffer.from(written.png).equals(blank.png)).toBe(false);
  });

  it("is drawn while the event loop turns", async () => {
    let turns = 0;
    let drawn = false;
    const turn = () => {
      turns++;
      if (!drawn) setImmediate(turn);
    };
    setImmediate(turn);
    await renderPng(BAR);
    drawn = true;
    expect(turns).toBeGreaterThan(0);
  });
});

it("a specification that cannot be drawn is refused with the reason, and the next one is drawn", async () => {
  await expect(renderPng({ title: "no mark" })).rejects.toThrow(
    /^the chart could not be drawn: the specification has none of the fields .*"mark"/,
  );
  await expect(renderPng(BAR)).resolves.toMatchObject({ width: 100 });
});

it("the waiting thread does not keep a program from ending", () => {
  const module = fileURLToPath(new URL("../../../dist/lib/charts/render.js", import.meta.url));
  const program = `
    const { renderPng } = await import(${JSON.stringify(module)});
    const { png } = await renderPng(${JSON.stringify(BAR)});
    console.log(png.length > 100);
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: HANG_MS,
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: "true\n", stderr: "", status: 0 });
});
