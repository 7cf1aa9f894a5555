// Imports go downward only, without cycles: the layout is the architecture.
import { describe, expect, it } from "vitest";
import { filesOf, readSource } from "./sources.ts";

const sources = filesOf("kernel", "lib")
  .filter((file) => file.endsWith(".ts"))
  .map(readSource);

/** Which rooms a room may import from, beside itself. The most specific prefix counts. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "kernel/": ["kernel/", "lib/whole_file.ts"],
  "kernel/code_frame.ts": [],
  "kernel/protocol/": [],
  "kernel/cli/": [
    "kernel/protocol/",
    "lib/lab/json_lines.ts",
    "lib/lab/seeded_random.ts",
    "lib/whole_file.ts",
  ],
  "kernel/history/": ["kernel/protocol/requests.ts"],
  "kernel/cell/": ["kernel/magics/"],
  // Of all but the first types alone: what a handler is lent.
  "kernel/magics/": [
    "kernel/tensor_like.ts",
    "kernel/session/channel.ts",
    "lib/lab/",
    "lib/torch/",
    "lib/units.ts",
    "lib/whole_file.ts",
  ],
  "kernel/cell/habits.ts": [],
  "kernel/cell/identifiers.ts": [],
  "kernel/cell/names.ts": [],
  "kernel/cell/oxc.ts": [],
  "kernel/language/": ["kernel/cell/"],
  "kernel/session/": ["kernel/code_frame.ts", "kernel/cell/", "kernel/snapshot/"],
  "kernel/snapshot/": ["kernel/cell/"],
  "kernel/snapshot/encode.ts": [],
  "kernel/snapshot/manifest.ts": ["kernel/cell/identifiers.ts", "kernel/snapshot/encode.ts"],
  "kernel/session/channel.ts": [],
  "kernel/idle_heap.ts": [],
  "kernel/tensor_like.ts": [],
  "kernel/runtime/": [
    "kernel/idle_heap.ts",
    "kernel/session/channel.ts",
    "kernel/cell/identifiers.ts",
    "kernel/cell/names.ts",
    "kernel/code_frame.ts",
    "kernel/tensor_like.ts",
    // The notebook's own files are compiled where they are loaded, by what compiles cells.
    "kernel/cell/depth.ts",
    "kernel/cell/lower.ts",
    "kernel/cell/module_epochs.ts",
    "kernel/cell/oxc.ts",
    "kernel/cell/parse.ts",
    "kernel/cell/syntax_error.ts",
    "kernel/cell/walk.ts",
    "kernel/snapshot/",
    "kernel/magics/",
    "lib/",
  ],
  "lib/": ["lib/"],
  "lib/display.ts": [],
  "lib/deadlines.ts": [],
  "lib/session.ts": [],
  "lib/json.ts": [],
  "lib/surplus_arguments.ts": [],
  "lib/units.ts": [],
  "lib/whole_file.ts": [],
  "lib/torch/": [
    "lib/display.ts",
    "lib/session.ts",
    "lib/surplus_arguments.ts",
    "lib/units.ts",
    "lib/whole_file.ts",
  ],
  "lib/torch/native.ts": [
    "lib/session.ts",
    "lib/torch/device_holder.ts",
    "lib/torch/errors.ts",
    "lib/torch/fast_call.ts",
    "lib/torch/garbage.ts",
    "lib/torch/instruction_sets.ts",
    "lib/torch/questions.ts",
    "lib/torch/wrapper.ts",
  ],
  "lib/torch/instruction_sets.ts": [],
  "lib/torch/wrapper.ts": [],
  "lib/comms/": ["lib/json.ts"],
  "lib/widgets/": ["lib/comms/", "lib/display.ts", "lib/json.ts", "lib/session.ts"],
  "lib/lab/": [
    "lib/comms/",
    "lib/deadlines.ts",
    "lib/display.ts",
    "lib/session.ts",
    "lib/torch/",
    "lib/units.ts",
  ],
  "lib/lab/ledger.ts": [],
};

function roomOf(file: string): string {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => file.startsWith(room));
  return rooms.reduce((longest, room) => (room.length > longest.length ? room : longest), "");
}

const isOurs = (target: string) => target.startsWith("kernel/") || target.startsWith("lib/");

describe("imports", () => {
  for (const { file, imports } of sources) {
    it(`of ${file} go downward`, () => {
      const room = roomOf(file);
      const allowed = [...(MAY_IMPORT[room] ?? []), ...(room.endsWith("/") ? [room] : [])];
      const upward = imports
        .filter(({ target, typeOnly }) => isOurs(target) && !(typeOnly && room === "lib/torch/native.ts"))
        .map(({ target }) => target)
        .filter((target) => !allowed.some((prefix) => target.startsWith(prefix)));
      expect(upward).toEqual([]);
    });
  }

  it("have no cycle at run time", () => {
    const graph = new Map(
      sources.map(({ file, imports }) => [
        file,
        imports.filter(({ target, typeOnly }) => isOurs(target) && !typeOnly).map(({ target }) => target),
      ]),
    );
    expect(findCycle(graph)).toBeNull();
  });

  it("of the session process alone reach the library: the kernel process never loads libtorch", () => {
    const reachLib = sources.filter(
      ({ file, imports }) =>
        file.startsWith("kernel/") &&
        imports.some(({ target, typeOnly }) => target.startsWith("lib/") && !typeOnly && !LEAVES.has(target)),
    );
    expect(reachLib.map(({ file }) => file).filter((file) => !file.startsWith("kernel/runtime/"))).toEqual(
      [],
    );
  });
});

/** What the kernel process and the command line may use of the library: files that import nothing. */
const LEAVES: ReadonlySet<string> = new Set([
  "lib/lab/json_lines.ts",
  "lib/lab/seeded_random.ts",
  "lib/whole_file.ts",
]);

/** The files of one cycle in order, or null. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const finished = new Set<string>();
  const open: string[] = [];
  function visit(file: string): string[] | null {
    if (finished.has(file)) return null;
    if (open.includes(file)) return [...open.slice(open.indexOf(file)), file];
    open.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    open.pop();
    finished.add(file);
    return null;
  }
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return null;
}
