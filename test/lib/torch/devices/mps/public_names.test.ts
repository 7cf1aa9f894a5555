// Every public name of PyTorch's mps modules (test/fixtures/public_names.py) is here under our spelling of it.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mps } from "../../../../../lib/index.ts";
import { readFixture } from "../../fixtures.ts";

const names = readFixture<Record<string, string[]>>("mps_names.json");

const OURS: Record<string, object> = {
  "torch.mps": mps,
  "torch.mps.event": mps,
  "torch.mps.profiler": mps.profiler,
  "torch.mps.streams": mps,
  "torch.backends.mps": mps,
  "torch.mps.Event": mps.Event.prototype,
};

/** `is_macos13_or_newer` -> `isMacos13OrNewer` */
const spelled = (name: string) => name.replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase());

describe.each(Object.keys(OURS))("%s", (module) => {
  it("has every public name", () => {
    expect(names[module]!.length).toBeGreaterThan(0);
    expect(names[module]!.filter((name) => !(spelled(name) in OURS[module]!))).toEqual([]);
  });
});

it("the suite for a Mac uses every name", () => {
  const suite = ["mps", "shaders", "shader_calls"]
    .map((file) => readFileSync(new URL(`../../../../device/${file}.test.ts`, import.meta.url), "utf8"))
    .join("\n");
  const every = new Set(Object.values(names).flat().map(spelled));
  // The namespace of these names themselves.
  every.delete("profiler");
  expect([...every].filter((name) => !new RegExp(`[.]${name}\\b`).test(suite))).toEqual([]);
});

it("torch.mps.Stream has its members: the number is the object's own", () => {
  expect(names["torch.mps.Stream"]).toEqual(["stream_id", "synchronize"]);
  expect("synchronize" in mps.Stream.prototype).toBe(true);
});
