// Files that are there whole or not at all: two threads, processes that died, and what the system refuses, in words.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failureReason, fileFailure, writeWhole, writeWholeText } from "../../lib/whole_file.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), "whole-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => path.join(folder, name);

describe("a file", () => {
  it("is written in pieces, and nothing else is left", () => {
    writeWhole("save", at("a"), (write) => {
      for (const piece of ["one ", "two"]) write(Buffer.from(piece));
    });
    expect(readFileSync(at("a"), "utf8")).toBe("one two");
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("stays as it was where writing the new one fails", () => {
    writeWholeText("save", at("a"), "old");
    const fail = () =>
      writeWhole("save", at("a"), (write) => {
        write(Buffer.from("half of the new "));
        throw new RangeError("no more tensors");
      });
    expect(fail).toThrow(new RangeError("no more tensors"));
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("that a link names is replaced, and the link stays", () => {
    writeFileSync(at("real"), "old");
    symlinkSync(at("real"), at("link"));
    writeWholeText("save", at("link"), "new");
    expect(readFileSync(at("real"), "utf8")).toBe("new");
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(["link", "real"]);
  });

  it.each([0o600, 0o755])("keeps its permissions, %i", (permissions) => {
    writeFileSync(at("a"), "old");
    chmodSync(at("a"), permissions);
    writeWholeText("save", at("a"), "new");
    expect(statSync(at("a")).mode & 0o777).toBe(permissions);
  });

  it("that two threads write at once is one of the two", async () => {
    const module = JSON.stringify(path.resolve(import.meta.dirname, "../../dist/lib/whole_file.js"));
    const writer = (letter: string) =>
      new Worker(
        `import(${module}).then(({ writeWhole }) => {
          for (let round = 0; round < 40; round++)
            writeWhole("save", ${JSON.stringify(at("a"))}, (write) => {
              for (let piece = 0; piece < 50; piece++) write(Buffer.alloc(1000, "${letter}"));
            });
        });`,
        { eval: true },
      );
    await Promise.all(
      ["x", "y"].map(
        (letter) =>
          new Promise<void>((resolve, reject) => {
            writer(letter)
              .on("error", reject)
              .on("exit", () => resolve());
          }),
      ),
    );
    expect(["x", "y"].map((letter) => letter.repeat(50_000))).toContain(readFileSync(at("a"), "utf8"));
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("takes the partial files away that dead processes left of it, and leaves those of living ones", () => {
    // No process has the largest number that a process may have on the systems that this runs on.
    const host = hostname().replaceAll(/[^\w-]/g, "_");
    const dead = `${2 ** 22 + 1}-0-1.partial`;
    const left = [
      `a.${host}.${process.ppid}-0-1.partial`,
      `b.${host}.${dead}`,
      `a.elsewhere.${dead}`,
      "a.notes.partial",
    ];
    for (const name of [`a.${host}.${dead}`, ...left]) writeFileSync(at(name), "half");
    writeWholeText("save", at("a"), "whole");
    expect(readdirSync(folder).toSorted()).toEqual(["a", ...left].toSorted());
  });
});

describe("what cannot be written is said with the reason", () => {
  it("a folder that is not there", () => {
    expect(() => writeWholeText("torch.save", at("no/a.pt"), "")).toThrow(
      `torch.save: there is no folder ${at("no")}.`,
    );
  });

  it("a folder in the file's place", () => {
    mkdirSync(at("a.pt"));
    expect(() => writeWholeText("torch.save", at("a.pt"), "")).toThrow(
      `torch.save: ${at("a.pt")} is a folder, not a file.`,
    );
  });

  it("a pipe or a device in the file's place", () => {
    execFileSync("mkfifo", [at("pipe")]);
    expect(() => writeWholeText("torch.save", at("pipe"), "")).toThrow(
      `torch.save: ${at("pipe")} cannot be used (it is a device or a pipe, and would be replaced by a file).`,
    );
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  });

  it("a file in the folder's place", () => {
    writeFileSync(at("models"), "");
    expect(() => writeWholeText("torch.save", at("models/a.pt"), "")).toThrow(
      `torch.save: ${at("models")} is a file, not a folder.`,
    );
  });

  it.each([
    ["EROFS", "the folder /data is on a disk that can only be read"],
    ["EACCES", "the folder /data may not be written by this user"],
    ["ENOSPC", "there is no room left on the disk of /data/a.pt"],
    ["EIO", "/data/a.pt cannot be used (i/o error)"],
  ])("%s", (code, reason) => {
    const cause = Object.assign(new Error("i/o error"), { code });
    expect(failureReason("/data/a.pt", cause)).toBe(reason);
    expect(fileFailure("torch.save", "/data/a.pt", cause)).toMatchObject({
      message: `torch.save: ${reason}.`,
      cause,
    });
  });
});

it("a link in the place of a name of ours is replaced, and one that a user has named is followed", () => {
  const [target, link] = [path.join(folder, "target.txt"), path.join(folder, "link.txt")];
  writeFileSync(target, "mine");
  symlinkSync(target, link);
  writeWholeText("call", link, "new", "replaced");
  expect([readFileSync(target, "utf8"), readFileSync(link, "utf8")]).toEqual(["mine", "new"]);
  rmSync(link);
  symlinkSync(target, link);
  writeWholeText("call", link, "new");
  expect([readFileSync(target, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["new", true]);
});
