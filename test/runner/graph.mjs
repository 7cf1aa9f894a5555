// Which files a file names: what it imports, the programs of `dist/` that it starts, the folders that it reads. Read from the
// text, so that it is known before anything runs. What is named only in parts (a name made of two strings) is not found.
import { readFileSync } from "node:fs";
import path from "node:path";

const READ = /\.(ts|mjs|py)$/;
const COMMENT = /^\s*(\/\/|\/?\*|#).*$/gm;
const TYPES_OF_LIBRARY = /^import type [^;]*from "[^"]*lib\/[^"]*";$/gm;
const LITERAL = /["'`]([^"'`\n$]+)/g;
/** Folders that tests read as a whole. A test that reads sources as a whole is one of the house. */
const READ_WHOLE = /^(docs|notebooks|packages|test\/(fixtures|cells))(\/|$)/;

/**
 * @param {string} root
 * @param {readonly string[]} files paths from the root, with forward slashes
 * @returns {Map<string, Set<string>>} for each file those that it names
 */
export function namedFiles(root, files) {
  const known = new Set(files);
  const folders = filesByFolder(files);
  const targets = (from, literal) => {
    const isTest = from.startsWith("test/");
    const beside = path.posix.join(path.posix.dirname(from), literal);
    const candidates = literal.startsWith(".") ? [beside] : isTest ? [beside, literal] : [literal];
    for (const candidate of candidates.map((one) => path.posix.normalize(one).replace(/\/$/, ""))) {
      const source = sourceOf(candidate);
      if (known.has(source)) return [source];
      if (isTest && READ_WHOLE.test(source) && folders.has(source)) return folders.get(source);
    }
    return [];
  };
  return new Map(
    files.map((file) => {
      if (!READ.test(file)) return [file, new Set()];
      let text = readFileSync(path.join(root, file), "utf8").replace(COMMENT, "");
      // The kernel's process takes types of the library, which it does not load.
      if (file.startsWith("kernel/")) text = text.replace(TYPES_OF_LIBRARY, "");
      return [file, new Set([...text.matchAll(LITERAL)].flatMap(([, literal]) => targets(file, literal)))];
    }),
  );
}

/** The source of a file that the build writes. */
function sourceOf(file) {
  const built = file.replace(/^dist\/(bundle\/)?/, "");
  if (built.endsWith(".d.ts")) return built.replace(/\.d\.ts$/, ".ts");
  return /^(kernel|lib|native\/codegen)\/.*\.js$/.test(built) ? built.replace(/\.js$/, ".ts") : built;
}

function filesByFolder(files) {
  const folders = new Map();
  for (const file of files)
    for (let folder = path.posix.dirname(file); folder !== "."; folder = path.posix.dirname(folder))
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
  return folders;
}

/**
 * Everything that is named by these files, by what they name, and so on.
 *
 * @param {Map<string, Set<string>>} named
 * @param {Iterable<string>} from
 * @returns {Set<string>} with `from` itself
 */
export function closure(named, from) {
  const found = new Set(from);
  for (const file of found) for (const target of named.get(file) ?? []) found.add(target);
  return found;
}
