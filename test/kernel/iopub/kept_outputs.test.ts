// What the kernel keeps of cells' outputs: what a notebook would hold, within bounds.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { keptCellHeading, KeptOutputs } from "../../../kernel/iopub/kept_outputs.ts";

const stream = (text: string, name = "stdout") => ({ name, text });
const shown = (text: string, display_id?: string) => ({
  data: { "text/plain": text },
  metadata: {},
  transient: display_id === undefined ? {} : { display_id },
});

/** The kept texts of a cell: of streams and of displays. */
function textsOf(kept: KeptOutputs, count: number | null = null): unknown[] {
  return (kept.find(count, "") ?? { outputs: [] }).outputs.map(
    ({ content }) => content["text"] ?? (content["data"] as { "text/plain": string })["text/plain"],
  );
}

function started(): KeptOutputs {
  const kept = new KeptOutputs();
  kept.begin("a", 1);
  return kept;
}

describe("the kept outputs of a cell", () => {
  it("join the pieces of a stream, and keep the order of streams and displays", () => {
    const kept = started();
    for (const text of ["one\n", "two\n"]) kept.take("a", "stream", stream(text));
    kept.take("a", "display_data", shown("chart"));
    kept.take("a", "stream", stream("three\n"));
    kept.take("a", "stream", stream("warning\n", "stderr"));
    expect(textsOf(kept)).toEqual(["one\ntwo\n", "chart", "three\n", "warning\n"]);
  });

  it("hold a display as it was last updated, also by a later cell", () => {
    const kept = started();
    kept.take("a", "display_data", shown("epoch 1", "progress"));
    kept.begin("b", 2);
    kept.take("b", "update_display_data", shown("epoch 2", "progress"));
    expect([textsOf(kept, 1), textsOf(kept, 2)]).toEqual([["epoch 2"], []]);
  });

  it.each([
    ["at once", false, []],
    ["with the next output", true, ["old"]],
  ])("are cleared %s", (_, wait, meanwhile) => {
    const kept = started();
    kept.take("a", "stream", stream("old"));
    kept.take("a", "clear_output", { wait });
    expect(textsOf(kept)).toEqual(meanwhile);
    kept.take("a", "stream", stream("new"));
    expect(textsOf(kept)).toEqual(["new"]);
  });

  it("show a result as a display, because another cell's number is not the asking one's", () => {
    const kept = started();
    kept.take("a", "execute_result", { execution_count: 1, data: { "text/plain": "42" }, metadata: {} });
    expect(kept.find(null, "")?.outputs).toMatchObject([{ type: "display_data", content: shown("42") }]);
  });
});

describe("the bounds", () => {
  it("drop the oldest text of a cell beyond 2 MiB, and say how much", () => {
    const kept = started();
    const line = `${"x".repeat(1023)}\n`;
    for (let at = 0; at < 4096; at++)
      kept.take("a", "stream", stream(`${at}`.padStart(4, "0") + line.slice(4)));
    const cell = kept.find(null, "")!;
    const text = textsOf(kept).join("");
    expect(text.length).toBeLessThanOrEqual(2 << 20);
    expect(text.length).toBeGreaterThan((2 << 20) - (1 << 18));
    expect(text.endsWith(`4095${line.slice(4)}`)).toBe(true);
    expect(text.length + cell.droppedBytes).toBeGreaterThanOrEqual(4096 * 1024);
    expect(keptCellHeading(cell)).toMatch(/The first 2\.\d MiB are no longer kept\.\n$/);
  });

  it("hold for a kept line: the text that it was cut from is not kept with it", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept = started();
    const takeTheEnd = () => kept.take("a", "stream", stream(`${"0123456789".repeat(6e6)}end`.slice(-100)));
    takeTheEnd();
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30e6);
    expect(textsOf(kept).join("")).toHaveLength(100);
  });

  it("drop the oldest displays of a cell beyond 1,000", () => {
    const kept = started();
    for (let at = 0; at < 1005; at++) kept.take("a", "display_data", shown(String(at)));
    expect(textsOf(kept)[0]).toBe("5");
    expect(textsOf(kept)).toHaveLength(1000);
  });

  it("drop the oldest cells beyond 50, and none that runs", () => {
    const kept = started();
    for (let count = 2; count <= 60; count++) {
      kept.begin(`cell ${count}`, count);
      kept.end(`cell ${count}`);
    }
    expect(kept.numbers()).toEqual([1, ...Array.from({ length: 49 }, (_, at) => at + 12)]);
  });

  it("drop whole cells beyond 32 MiB in all", () => {
    const kept = new KeptOutputs();
    const image = "i".repeat(12 << 20);
    for (const count of [1, 2, 3]) {
      kept.begin(String(count), count);
      kept.take(String(count), "display_data", shown(image));
      kept.end(String(count));
    }
    expect(kept.numbers()).toEqual([2, 3]);
  });
});

describe("the cell that is meant without a number", () => {
  it("is the one that runs, or else the latest, and never the one that asks", () => {
    const kept = started();
    kept.begin("b", 2);
    kept.end("b");
    kept.begin("c", 3);
    expect(kept.find(null, "c")?.count).toBe(1);
    kept.end("a");
    expect(kept.find(null, "c")?.count).toBe(2);
    expect(new KeptOutputs().find(null, "c")).toBeNull();
  });
});
