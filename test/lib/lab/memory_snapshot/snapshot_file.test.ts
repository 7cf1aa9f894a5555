// The file of a memory snapshot beside one that PyTorch wrote, and read by PyTorch's own program.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lab, nn, torch } from "../../../../lib/index.ts";
import { addonToLoad } from "../../../../lib/installation/addon.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const folder = mkdtempSync(path.join(tmpdir(), "mpslab-snapshot-"));
const file = path.join(folder, "step.pickle");
const python = (...args: string[]): string =>
  execFileSync(path.join(root, ".venv/bin/python"), args, { encoding: "utf8" });
const fixture = (name: string) => path.join(root, "test/fixtures", name);

let snapshot: lab.MemorySnapshot;
const kept: unknown[] = [];

beforeAll(async () => {
  const model = new nn.Linear(64, 32);
  function train(): void {
    model(torch.ones([16, 64]))
      .sum()
      .backward();
    kept.push(torch.ones([100_000]));
  }
  snapshot = await lab.memorySnapshot(() => train(), { everyLine: true });
  snapshot.save(file);
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Shape {
  readonly snapshot: object;
  readonly states: readonly string[];
  readonly actions: readonly string[];
}

describe("a snapshot's file", () => {
  it("has the keys and types of one that PyTorch wrote", () => {
    const { states, actions, ...keys } = JSON.parse(python(fixture("memory_snapshot.py"), file)) as Shape;
    const theirs = JSON.parse(readFileSync(fixture("memory_snapshot.json"), "utf8")) as Shape;
    expect(theirs).toMatchObject(keys);
    expect(Object.keys(keys.snapshot)).toEqual(Object.keys(theirs.snapshot));
    expect(theirs.states).toEqual(expect.arrayContaining([...states]));
    expect(theirs.actions).toEqual(expect.arrayContaining([...actions]));
  });

  it("holds every event, its operator and the user's functions from the inside out", () => {
    const read = JSON.parse(
      python(
        "-c",
        `import json, pickle; s = pickle.load(open(${JSON.stringify(file)}, "rb"))
trace = s["device_traces"][0]
large = [e for e in trace if e["size"] == 400000]
blocks = [b for seg in s["segments"] for b in seg["blocks"] if b["state"] == "active_allocated"]
inside = all(seg["total_size"] == sum(b["size"] for b in seg["blocks"]) for seg in s["segments"])
print(json.dumps([len(trace), large[0]["action"], large[0]["frames"], len(blocks), sum(b["size"] for b in blocks), inside]))`,
      ),
    ) as unknown[];
    const here = import.meta.filename;
    expect(read).toEqual([
      snapshot.allocations + 2 * snapshot.releases,
      "alloc",
      [
        { name: "aten::ones", filename: "operator", line: 0 },
        { name: "train", filename: here, line: expect.any(Number) as number },
        expect.objectContaining({ filename: here }),
        ...((read[2] as unknown[]).slice(3) as unknown[]),
      ],
      snapshot.outlives.sites.reduce((sum, { blocks }) => sum + blocks, 0),
      snapshot.outlives.bytes,
      true,
    ]);
  });

  it("is opened by PyTorch's own viewer", () => {
    const viewer = path.join(path.dirname(addonToLoad()), "torch/cuda/_memory_viz.py");
    const trace = python(viewer, "trace", file);
    expect(trace).toContain(`${snapshot.allocations + 2 * snapshot.releases} entries`);
    expect(trace).toContain("[0:390.6KiB]");
    const summary = python(viewer, "stats", file);
    expect(summary).toContain("total_allocated: ");
    const page = path.join(folder, "page.html");
    python(viewer, "trace_plot", file, "-o", page);
    expect(readFileSync(page, "utf8")).toContain("MemoryViz.js");
  });

  it("is not written where it cannot be", () => {
    expect(() => snapshot.save(path.join(folder, "none", "step.pickle"))).toThrow(
      `snapshot.save: there is no folder ${path.join(folder, "none")}.`,
    );
    expect(() => snapshot.save(7 as never)).toThrow("snapshot.save: file must be a string, got 7.");
  });
});
