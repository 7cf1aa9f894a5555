// Files that are there whole or not at all: two threads, processes that died, and what the system refuses, in words.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
    writeFileSync(at(`a.${2 ** 22 + 1}-0-1.partial`), "half");
    writeFileSync(at(`a.${process.ppid}-0-1.partial`), "another's");
    writeFileSync(at(`b.${2 ** 22 + 1}-0-1.partial`), "of another file");
    writeFileSync(at("a.notes.partial"), "the user's");
    writeWholeText("save", at("a"), "whole");
    expect(readdirSync(folder).toSorted()).toEqual(
      ["a", `a.${process.ppid}-0-1.partial`, "a.notes.partial", `b.${2 ** 22 + 1}-0-1.partial`].toSorted(),
    );
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

  it("a file in the folder's place", () => {
    writeFileSync(at("models"), "");
    expect(() => writeWholeText("torch.save", at("models/a.pt"), "")).toThrow(
      `torch.save: ${at("models")} is a file, not a folder.`,
    );
  });

  it.each([
    ["EROFS", "the folder /data is on a disk that can only be read"],
    ["EACCES", "/data/a.pt may not be opened by this user"],
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
