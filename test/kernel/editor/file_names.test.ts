// Names on disk for strings of a cell: files of the folder, packages.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileNames, packageNames } from "../../../kernel/editor/file_names.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mpslab-names-"));
  const files = [
    "data/train.csv",
    "data/test.csv",
    "notes.txt",
    ".env",
    "node_modules/zod/index.js",
    "node_modules/@scope/a/index.js",
    "node_modules/@scope/b/index.js",
    "node_modules/@types/zod/index.d.ts",
    "node_modules/.bin/zod",
    "inner/node_modules/near/index.js",
  ];
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "");
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const texts = (names: readonly { readonly text: string }[]) => names.map(({ text }) => text);

test.each([
  ["", ["data/", "inner/", "node_modules/", "notes.txt"]],
  ["./da", ["data/"]],
  ["data/", ["test.csv", "train.csv"]],
  ["data/tr", ["train.csv"]],
  ["data/../no", ["node_modules/", "notes.txt"]],
  [".", [".env"]],
  ["nowhere/", []],
  ["notes.txt/", []],
  ["hello wor", []],
])("files for %j", async (typed, names) => {
  expect(texts(await fileNames(folder, typed))).toEqual(names);
});

test("an absolute path is one", async () => {
  expect(texts(await fileNames("/", `${folder}/data/te`))).toEqual(["test.csv"]);
});

test("packages of the folder and of those above it, with their scopes, and ours", async () => {
  const names = texts(await packageNames(path.join(folder, "inner")));
  expect(names.slice(0, 4)).toEqual(["near", "@scope/a", "@scope/b", "zod"]);
  expect(names).toEqual(expect.arrayContaining(["mpslab", "tslab"]));
  expect(names.filter((name) => name.startsWith(".") || name.startsWith("@types"))).toEqual([]);
});
