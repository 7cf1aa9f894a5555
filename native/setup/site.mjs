// Builds the documentation site into output/docs. What only the site needs (VitePress, TypeDoc and its TypeScript 5) is
// installed here, into build/site, so that it costs nobody who only runs notebooks or tests.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { SetupError, looksOffline } from "./report.mjs";
import { tsc } from "./build.mjs";
import { fingerprint, readStamp, writeStamp } from "./stamp.mjs";

const lastLines = (output, count) => output.trim().split("\n").slice(-count).join("\n");

/** @returns {Promise<string>} the folder of the built site */
export async function buildSite(root, report) {
  const sources = path.join(root, "docs", "site");
  const folder = path.join(root, "build", "site");
  const output = path.join(root, "output", "docs");
  const program = (file) => path.join(folder, "node_modules", file);
  const run = (title, args, what) =>
    report.step(title, () =>
      report.run(process.execPath, args, { explain: (text) => `${what}:\n${lastLines(text, 12)}\n` }),
    );

  await installSitePackages(root, report, folder);
  for (const made of ["pages", ".vitepress", "typedoc"])
    rmSync(path.join(folder, made), { recursive: true, force: true });
  rmSync(output, { recursive: true, force: true });
  cpSync(path.join(sources, "vitepress"), path.join(folder, ".vitepress"), { recursive: true });
  cpSync(path.join(sources, "typedoc"), path.join(folder, "typedoc"), { recursive: true });

  await run(
    "pages of the API",
    [program("typedoc/bin/typedoc"), "--options", path.join(folder, "typedoc", "typedoc.json")],
    "TypeDoc did not write the pages of the API",
  );
  await run("program of the site", [tsc(root), "-p", sources], "The site's sources have errors");
  await run(
    "guides and lessons",
    [path.join(root, "dist", "docs", "site", "pages", "main.js"), root, folder],
    "The guides and lessons could not be written as pages",
  );
  await run(
    "site",
    [program("vitepress/bin/vitepress.js"), "build", folder],
    "VitePress did not build the site",
  );
  await checkLinks(root, report, output);
  return output;
}

async function installSitePackages(root, report, folder) {
  const stampFile = path.join(folder, "node_modules", "mpslab.json");
  const files = ["package.json", "package-lock.json"].map((name) => path.join(root, "docs", "site", name));
  const wanted = fingerprint(files, /\.json$/);
  if (readStamp(stampFile)?.wanted === wanted) return;
  await report.step("packages of the site", async () => {
    mkdirSync(folder, { recursive: true });
    for (const file of files) cpSync(file, path.join(folder, path.basename(file)));
    await report.run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      explain: (output) =>
        looksOffline(output)
          ? "The npm registry cannot be reached: check the network connection, then run the command again."
          : `npm ci failed for the site: ${lastLines(output, 3)}`,
    });
    writeStamp(stampFile, { wanted });
  });
}

async function checkLinks(root, report, output) {
  const { brokenLinks } = await import(path.join(root, "dist", "docs", "site", "pages", "check_links.js"));
  await report.step("links", () => {
    const broken = brokenLinks(output, process.env.MPSLAB_DOCS_BASE ?? "/");
    if (broken.length > 0)
      throw new SetupError(
        `${broken.length} links of the site lead nowhere:\n${broken.slice(0, 20).join("\n")}\n`,
      );
  });
}
