// What a published package says of the repository that it comes from.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { nameRepository } from "../../packages/pack/repository.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-repository-"));
afterAll(() => rmSync(folder, { recursive: true }));

const manifestAfter = (environment: Readonly<Record<string, string>>): unknown => {
  const file = path.join(folder, "package.json");
  writeFileSync(file, '{ "name": "mpslab" }');
  nameRepository(folder, environment);
  return JSON.parse(readFileSync(file, "utf8"));
};

it("packed in GitHub's CI it names that repository, as npm's provenance demands", () => {
  const url = "https://git.example";
  expect(manifestAfter({ GITHUB_SERVER_URL: url, GITHUB_REPOSITORY: "someone/mpslab" })).toEqual({
    name: "mpslab",
    repository: { type: "git", url: "git+https://git.example/someone/mpslab.git" },
  });
});

it("packed elsewhere it names none", () => {
  expect(manifestAfter({})).toEqual({ name: "mpslab" });
});
