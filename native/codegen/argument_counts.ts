// Lets every public function of the library refuse arguments beyond its parameters, as Python's functions do and
// JavaScript's do not: `nn.init.zeros_(weight, 5)` would leave out the 5 in silence where types are not checked.
//
//     function zeros_(tensor) {        ->   function zeros_(tensor) { if (arguments.length > 1) throw ...;
//
// The question is put into the text: into `dist/lib` after it is compiled, into the sources where tests import them. So a
// call has no wrapper around it, and pays one comparison; functions keep their names, lengths, types and stacks, and
// lines keep their numbers.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { MagicString } from "magic-string";
import { type PublicFunction, publicFunctions } from "./public_functions.ts";

const ERRORS = "surplus_arguments";
const IMPORTED =
  "import { tooManyArguments as $tooMany, methodName as $method, isArrayCallback as $isCallback } from ";

function question({ name, kind, parameters, isImplicit }: PublicFunction): string {
  const method = name.slice(name.lastIndexOf(".") + 1);
  const call = {
    function: JSON.stringify(name),
    method: `$method(this, ${JSON.stringify(method)})`,
    constructor: "`new ${new.target.name}`",
  }[kind];
  const most = parameters.length;
  const names = JSON.stringify(parameters.join(", "));
  // Asked of what is about to be refused alone.
  const isRefused = most === 1 && kind !== "constructor" ? " && !$isCallback(arguments)" : "";
  const text = ` if (arguments.length > ${most}${isRefused}) throw $tooMany(${call}, ${most}, arguments.length, ${names});`;
  return isImplicit ? ` constructor() {${text} }` : text;
}

function limited(
  text: string,
  file: string,
  entry: string,
  functions: readonly PublicFunction[],
): MagicString {
  const changed = new MagicString(text);
  const errors = path.join(path.dirname(entry), ERRORS + path.extname(entry));
  const specifier = path.relative(path.dirname(file), errors).split(path.sep).join("/");
  changed.prepend(`${IMPORTED}${JSON.stringify(specifier.startsWith(".") ? specifier : `./${specifier}`)}; `);
  for (const one of functions) changed.appendLeft(one.start, question(one));
  return changed;
}

/** Changes the compiled modules, each once: `entry` is `dist/lib/index.js`. */
export function limitArguments(entry: string): void {
  for (const [file, functions] of publicFunctions(entry)) {
    const text = readFileSync(file, "utf8");
    if (!text.startsWith(IMPORTED)) writeFileSync(file, limited(text, file, entry, functions).toString());
  }
}

/** The same for Vite, as it loads the sources: `entry` is `lib/index.ts`. */
export function argumentCounts(entry: string) {
  let functions: Map<string, PublicFunction[]>;
  return {
    name: "mpslab: argument counts",
    enforce: "pre" as const,
    buildStart() {
      functions = publicFunctions(entry);
    },
    transform(text: string, file: string) {
      const inFile = functions.get(file);
      if (inFile === undefined) return null;
      const changed = limited(text, file, entry, inFile);
      return { code: changed.toString(), map: changed.generateMap({ hires: true }) };
    },
  };
}
