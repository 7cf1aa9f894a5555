// A snapshot from somebody else: its checksum is right, and what it holds is meant to run code or to read other files. It is
// refused whole, before a cell is made of it.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { MANIFEST, readManifest } from "../../../kernel/snapshot/manifest.ts";
import { withRestored } from "../../../kernel/snapshot/restored_cell.ts";

const directory = mkdtempSync(path.join(tmpdir(), "manifest-"));
const folder = path.join(directory, "notebook.snapshot");
mkdirSync(folder);
afterAll(() => rmSync(directory, { recursive: true }));

function write(content: object): void {
  const text = JSON.stringify({
    format: "mpslab snapshot 1",
    savedAt: "2026-11-23T12:00:00Z",
    tensors: null,
    entries: [],
    ...content,
  });
  const sha256 = createHash("sha256").update(text).digest("hex");
  writeFileSync(path.join(folder, MANIFEST), `{"sha256":"${sha256}","content":${text}}\n`);
}

const entry = (change: object = {}) => ({ name: "rate", kind: "value", value: 1, type: "number", ...change });

describe("a snapshot is refused", () => {
  it.each<[string, object, RegExp]>([
    [
      "whose name is code",
      { entries: [entry({ name: "a } = process.exit(); let { b" })] },
      /is no name of a variable/,
    ],
    ["whose name is none", { entries: [entry({ name: 5 })] }, /5 is no name of a variable/],
    [
      "whose class is code",
      { entries: [entry({ kind: "state", type: "A; process.exit()" })] },
      /is no name of a class/,
    ],
    [
      "whose value has a type of its own",
      { entries: [entry({ value: { $: "any }; process.exit(); type x = { a: any" } })] },
      /which this version does not know/,
    ],
    [
      "whose value is named as what every object has",
      { entries: [entry({ value: { $: "constructor", base64: "" } })] },
      /which this version does not know/,
    ],
    ["whose entries are none", { entries: { length: 1 } }, /it holds no list of entries/],
    ["whose entry is neither value nor state", { entries: [entry({ kind: "code" })] }, /rate is a "code"/],
    [
      "whose tensors are elsewhere",
      { tensors: { file: "../../etc/passwd", sha256: "" } },
      /"\.\.\/\.\.\/etc\/passwd", which is no file of a snapshot/,
    ],
    [
      "whose tensors are at the root",
      { tensors: { file: "/etc/passwd", sha256: "" } },
      /no file of a snapshot/,
    ],
  ])("%s", (_, content, message) => {
    write(content);
    expect(() => readManifest(folder)).toThrow(message);
    expect(() => withRestored("%restore", directory)).toThrow(/nothing of it was restored/);
  });
});

it("the type that is declared is the value's, whatever the file says", () => {
  write({
    entries: [entry({ type: "number } = (process.exit(), {}) as any; let { other }: { other: number" })],
  });
  expect(withRestored("%restore", directory)).toBe(
    ';let { rate }: { rate: number } = await (globalThis as any)["__mpslab_restore"](["rate"]);',
  );
});
