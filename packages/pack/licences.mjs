// The licences of what is shipped beside our own code: headers that are compiled into the addon, and the npm packages that
// the wheel carries. The npm package carries none: npm installs them.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/**
 * Licences that the lock file lacks, because npm does not read them from old fields of a package.json, nor from files.
 */
const NOT_IN_LOCK = {
  "compute-gcd": "MIT",
  "compute-lcm": "MIT",
  "dejavu-fonts-ttf": "Bitstream Vera and Arev fonts, changes in the public domain",
  "validate.io-function": "MIT",
  "validate.io-integer": "MIT",
  "validate.io-integer-array": "MIT",
  "validate.io-number": "MIT",
};

/** The texts of what is compiled into the addon. */
export function licencesOfAddon(root, torchFolder) {
  const site = path.dirname(torchFolder);
  const info = readdirSync(site).find((name) => /^torch-[\d.]+.*\.dist-info$/.test(name));
  const texts = [
    ["PyTorch (headers)", path.join(site, info ?? "", "licenses", "LICENSE")],
    ["node-addon-api", path.join(root, "node_modules", "node-addon-api", "LICENSE.md")],
    ["node-api-headers", path.join(root, "node_modules", "node-api-headers", "LICENSE")],
  ].filter(([, file]) => existsSync(file));
  return texts.map(([name, file]) => `${name}\n\n${readFileSync(file, "utf8").trim()}\n`).join("\n----\n\n");
}

/**
 * The npm packages that running needs, and that are installed here: those of another platform are in the lock file only.
 *
 * @returns {{ folder: string, name: string, version: string, licence: string }[]} `folder` as in the lock file:
 *   `node_modules/vega/node_modules/d3-array`
 */
export function shippedPackages(root) {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(
      ([folder, { dev }]) => folder !== "" && !dev && existsSync(path.join(root, folder, "package.json")),
    )
    .map(([folder, { version, license }]) => {
      const name = folder.split("node_modules/").at(-1);
      return { folder, name, version, licence: NOT_IN_LOCK[name] ?? license ?? "none named" };
    });
}

const LICENCE_FILE = /^(?:licen[cs]e|copying|unlicense)/i;
const TEXTS = path.join(import.meta.dirname, "licence_texts");

/**
 * Returns the list of licences in the wheel. Most packages carry the text of their licence in their folder. For the others
 * the list has the text, and the holder of the copyright as the package names it.
 */
export function licenceList(root, packages) {
  const rows = packages
    .map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
    .toSorted();
  const textless = packages.filter(
    ({ folder }) => !readdirSync(path.join(root, folder)).some((file) => LICENCE_FILE.test(file)),
  );
  const licences = [...new Set(textless.map(({ licence }) => licence))].toSorted();
  return [
    "# Licences of the npm packages in this wheel",
    "",
    "The text of each is in its folder below `mpslab/package/node_modules/`, or below this list. The addon also contains headers",
    "of PyTorch and of node-addon-api; their texts lie beside it.",
    "",
    "| package | version | licence |",
    "| --- | --- | --- |",
    ...rows,
    "",
    ...licences.flatMap((licence) => [
      `## ${licence}`,
      "",
      ...textless
        .filter((one) => one.licence === licence)
        .map((one) => `- ${one.name}: copyright ${holderOf(root, one)}`)
        .toSorted(),
      "",
      licenceText(root, licence),
      "",
    ]),
  ].join("\n");
}

function licenceText(root, licence) {
  // Another package of the same project has the text.
  const file =
    licence === "MPL-2.0"
      ? path.join(root, "node_modules", "@resvg", "resvg-js", "LICENSE")
      : path.join(TEXTS, `${licence}.txt`);
  return readFileSync(file, "utf8").trim();
}

function holderOf(root, { folder, name }) {
  const { author, contributors } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  const people = [author, ...(contributors ?? [])].map((one) => (typeof one === "string" ? one : one?.name));
  // Only the name of `Rich Harris <mail> (page)`.
  return people.find(Boolean)?.replace(/\s*[<(].*$/, "") ?? `the authors of ${name}`;
}
