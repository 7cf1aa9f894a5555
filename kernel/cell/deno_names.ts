// What Node has in place of the names of Deno's own global, for cells that were written for Deno.

const INSTEAD: Readonly<Record<string, string>> = {
  readTextFile: 'await readFile(path, "utf8") of "node:fs/promises"',
  readTextFileSync: 'readFileSync(path, "utf8") of "node:fs"',
  writeTextFile: 'writeFile(path, text) of "node:fs/promises"',
  writeTextFileSync: 'writeFileSync(path, text) of "node:fs"',
  readFile: 'readFile(path) of "node:fs/promises"',
  writeFile: 'writeFile(path, bytes) of "node:fs/promises"',
  readDir: 'readdir(path, { withFileTypes: true }) of "node:fs/promises"',
  mkdir: 'mkdir(path) of "node:fs/promises"',
  remove: 'rm(path) of "node:fs/promises"',
  stat: 'stat(path) of "node:fs/promises"',
  open: 'open(path) of "node:fs/promises"',
  env: "process.env",
  args: "process.argv.slice(2)",
  cwd: "process.cwd()",
  chdir: "process.chdir(folder)",
  exit: "process.exit(code)",
  pid: "process.pid",
  version: "process.versions",
  build: "the names platform and arch of process",
  memoryUsage: "process.memoryUsage()",
  inspect: 'inspect(value) of "node:util"',
  test: 'test(name, work) of "node:test"',
  serve: 'createServer(handler) of "node:http"',
  Command: 'spawn(program, args) of "node:child_process"',
  stdin: "process.stdin",
  stdout: "process.stdout",
};

/** The sentence for `Deno.name`. */
export function insteadOfDeno(name: string): string {
  const node = Object.hasOwn(INSTEAD, name)
    ? `: Node has ${INSTEAD[name]}`
    : "; of Deno it has Deno.jupyter alone";
  return `A cell runs in Node, which has no Deno.${name}${node}.`;
}
