// Where JupyterLab opens: on a notebook that is named, and in a folder without notebooks on the tour, among lessons whose
// links hold.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { firstNotebook } from "../../../kernel/cli/first_notebook.ts";

const cli = path.resolve(import.meta.dirname, "../../../dist/kernel/cli.js");
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "mpslab-first-")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folder: string;
let said: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(scratch, "project-"));
  said = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  return () => vi.restoreAllMocks();
});

const TOUR = "mpslab-lessons/notebooks/01-tour.ipynb";
const onTour = () => [`--ServerApp.root_dir=${folder}`, `--LabApp.default_url=/lab/tree/${TOUR}`];

describe("a folder without notebooks", () => {
  it("gets the lessons, and opens on the tour", () => {
    expect(firstNotebook(folder)).toEqual(onTour());
    expect(readdirSync(folder)).toEqual(["mpslab-lessons"]);
    expect(said).toBe(`This folder has no notebook of yours: ${TOUR} is the tour.\n`);
  });

  it("every link of a lesson or a guide leads to a file that is there", () => {
    firstNotebook(folder);
    const links = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => /\.(?:ipynb|md)$/.test(file))
      .flatMap((file) => linksOf(path.join(folder, file)).map((target) => ({ file, target })));
    expect(links.length).toBeGreaterThan(50);
    const broken = links.filter(
      ({ file, target }) => !existsSync(path.resolve(folder, path.dirname(file), target)),
    );
    expect(broken).toEqual([]);
  });

  it("the next time what was written into a lesson stays", () => {
    firstNotebook(folder);
    writeFileSync(path.join(folder, TOUR), "mine");
    expect(firstNotebook(folder)).toEqual(onTour());
    expect(readFileSync(path.join(folder, TOUR), "utf8")).toBe("mine");
  });

  it("that cannot be written is named", () => {
    const lessons = path.join(folder, "mpslab-lessons");
    writeFileSync(lessons, "a file of mine");
    expect(() => firstNotebook(folder)).toThrow(
      `the lessons could not be written: ${lessons} is a file, not a folder. Go to a folder of yours, then run npx mpslab.`,
    );
  });
});

it.each(["mine.ipynb", "notebooks/mine.ipynb"])("a folder with %s opens as it is", (notebook) => {
  mkdirSync(path.join(folder, "notebooks"));
  writeFileSync(path.join(folder, notebook), "{}");
  expect(firstNotebook(folder)).toEqual([]);
  expect(existsSync(path.join(folder, "mpslab-lessons"))).toBe(false);
});

describe("mpslab lab", () => {
  /** What JupyterLab was told; it prints that, and ends. */
  const configuration = (...args: string[]) => {
    const { stdout } = spawnSync(process.execPath, [cli, "lab", ...args, "--show-config-json"], {
      cwd: folder,
      encoding: "utf8",
    });
    const { ServerApp, LabApp } = JSON.parse(stdout) as Record<string, Record<string, unknown> | undefined>;
    return { root: ServerApp?.["root_dir"], opens: LabApp?.["default_url"] };
  };

  it("with a notebook opens it, from the printed link too", () => {
    mkdirSync(path.join(folder, "deep"));
    writeFileSync(path.join(folder, "deep/Größe #1.ipynb"), "{}");
    expect(configuration("deep/Größe #1.ipynb")).toEqual({
      root: path.join(folder, "deep"),
      opens: "/lab/tree/Gr%C3%B6%C3%9Fe%20%231.ipynb",
    });
  });

  it("leaves alone who says where JupyterLab opens", () => {
    writeFileSync(path.join(folder, "a.ipynb"), "{}");
    expect(configuration("a.ipynb", "--LabApp.default_url=/lab")).toEqual({ root: undefined, opens: "/lab" });
  });
});

/** Where a notebook's text or a guide points to below its own folder or beside it, pictures included. */
function linksOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const written = file.endsWith(".ipynb")
    ? (JSON.parse(text) as { cells: { cell_type: string; source: readonly string[] }[] }).cells
        .filter((cell) => cell.cell_type === "markdown")
        .map((cell) => cell.source.join(""))
        .join("\n")
    : text;
  return [...written.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));
}
