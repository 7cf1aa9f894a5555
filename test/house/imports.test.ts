// Imports go downward only, without cycles: the layout is the architecture.
import { describe, expect, it } from "vitest";
import { findCycles } from "./cycles.ts";
import { filesOf, readSource } from "./sources.ts";

const sources = filesOf("kernel", "lib")
  .filter((file) => file.endsWith(".ts"))
  .map(readSource);

const FILES_OF_LIB =
  "contract deadlines display grouped json plain_object row_type running_process session surplus_arguments units visible words";
const leaves = (...names: string[]): string[] => names.map((name) => `lib/${name}.ts`);

/** Rooms of `lib/torch` in the order of their floors, the lowest first. */
const floors = (...names: string[]): string[] => names.map((name) => `lib/torch/${name}/`);
const TENSORS = floors("vocabulary", "engine", "tensor");

/** What reads a cell's text: the parser, and the grammars of magics above it. */
const READERS = ["lib/typescript/", "lib/magics/"];

const RECORDS = ["lib/charts/", "lib/record_charts/", "lib/records/", "lib/statistics/"];

/**
 * Lists what each room may import beside itself, `import type` included. The most specific prefix counts. A floor of
 * `lib/torch` names every floor below that it uses, and none above.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  // The kernel process.
  "kernel/main.ts": ["kernel/process/", "kernel/protocol/", "kernel/shell/"],
  "kernel/cli.ts": [
    ...["kernel/cli/", "lib/installation/", "lib/lab/ray/address.ts", "lib/platform/", "lib/visible.ts"],
  ],
  "kernel/tensor_like.ts": [],
  "kernel/errors/": [],
  "kernel/process/": [],
  "kernel/protocol/": ["lib/platform/"],
  // What a notebook's cells read can be known without running them.
  "kernel/cli/check/": [
    "kernel/cell/",
    "kernel/cli/",
    "kernel/errors/",
    "kernel/language/",
    "kernel/shell/prepare.ts",
    "kernel/shell/python_answers.ts",
    "lib/whole_file.ts",
  ],
  "kernel/cli/replay/": ["kernel/cell/", "kernel/cli/", "kernel/protocol/", "lib/words.ts"],
  // What cells import from the clean folder, as the session would find it.
  "kernel/cli/rerun/review.ts": [
    "kernel/cli/",
    "kernel/runtime/modules/local_graph.ts",
    "lib/records/",
    "lib/secrets/",
  ],
  "kernel/cli/": [
    "kernel/process/allocator_environment.ts",
    "kernel/protocol/",
    "lib/installation/",
    "lib/lab/ray/",
    ...RECORDS,
    "lib/platform/",
    "lib/secrets/",
    "lib/views/",
    ...leaves("grouped", "units", "visible", "whole_file", "words"),
  ],
  "kernel/history/": ["kernel/protocol/requests.ts", "lib/installation/", "lib/platform/"],
  "kernel/cell/": [...READERS, ...leaves("contract", "words")],
  "kernel/cell/names.ts": [],
  // Python's grammar, and PyTorch's names as data. A nearest name is found as elsewhere.
  "kernel/python/": ["lib/magics/nearest_name.ts"],
  "kernel/language/": ["kernel/cell/", ...READERS, "lib/installation/", "lib/platform/", "lib/words.ts"],
  "kernel/snapshot/": ["kernel/cell/", ...READERS, ...leaves("running_process", "whole_file")],
  "kernel/snapshot/encode.ts": [],
  "kernel/session/channel.ts": [],
  "kernel/session/": [
    "kernel/cell/",
    "kernel/errors/",
    "kernel/snapshot/",
    "lib/installation/package.ts",
    "lib/platform/",
  ],
  // Several session processes as one. The kernel draws what their epoch loops tell; no libtorch is needed for that.
  "kernel/session/ranks/": ["kernel/errors/", "kernel/session/", ...RECORDS, "lib/platform/", "lib/words.ts"],
  "kernel/iopub/": ["kernel/protocol/", "kernel/session/channel.ts", "lib/views/html.ts"],
  "kernel/staleness/": ["kernel/cell/", "lib/words.ts"],
  "kernel/comms/": ["kernel/iopub/", "kernel/protocol/", "kernel/session/channel.ts"],
  "kernel/editor/": ["kernel/cell/", ...READERS, "kernel/language/", "kernel/protocol/", "kernel/session/"],
  // The debugger's adapter. It asks the session, and reads scripts by their source maps.
  "kernel/debugger/": ["kernel/cell/", "lib/typescript/", "kernel/protocol/", "kernel/session/channel.ts"],
  "kernel/shell/": [
    "kernel/cell/",
    "kernel/comms/",
    "kernel/debugger/",
    "kernel/editor/",
    "kernel/errors/",
    "kernel/history/",
    "kernel/iopub/",
    "kernel/language/",
    "kernel/magics/",
    "kernel/protocol/",
    "kernel/python/",
    "kernel/session/",
    "kernel/snapshot/",
    "kernel/staleness/",
    "lib/installation/node_support.ts",
    "lib/platform/",
    ...READERS,
    "lib/words.ts",
  ],
  // Handlers of magics name the types of what the session lends them.
  "kernel/magics/": [
    "kernel/python/",
    "kernel/session/channel.ts",
    "kernel/tensor_like.ts",
    "lib/lab/",
    "lib/magics/",
    "lib/platform/",
    "lib/torch/",
    "lib/views/",
    ...leaves("units", "whole_file", "words"),
  ],
  // The session process, which alone loads the library. It compiles the notebook's own files as cells are compiled.
  "kernel/runtime/": [
    "kernel/cell/",
    "kernel/errors/",
    "kernel/magics/",
    "kernel/process/idle_heap.ts",
    "kernel/session/channel.ts",
    "kernel/session/flight_record.ts",
    "kernel/snapshot/",
    "kernel/tensor_like.ts",
    "lib/",
  ],

  // A cell imports these.
  ...Object.fromEntries(leaves(...FILES_OF_LIB.split(" ")).map((leaf) => [leaf, []])),
  // Its clock leaves out what a debugger has paused.
  "lib/deadlines.ts": leaves("session"),
  // Linux and macOS, and nothing of ours.
  "lib/platform/": [],
  "lib/size_limit.ts": ["lib/platform/", ...leaves("units")],
  // Where the addon, libtorch and the user's files are.
  "lib/installation/": ["lib/platform/"],
  "lib/whole_file.ts": leaves("running_process", "visible"),
  // Texts of TypeScript, and cells, which are TypeScript and magics. Neither knows what becomes of them.
  "lib/typescript/": [],
  "lib/magics/": ["lib/typescript/", ...leaves("words")],
  // A cell is read as the kernel reads it.
  "lib/secrets/": [...READERS, ...leaves("words")],
  "lib/index.ts": ["lib/comms/", "lib/lab/", "lib/torch/", "lib/widgets/"],
  "lib/comms/": leaves("json"),
  "lib/widgets/": ["lib/comms/", ...leaves("display", "json", "plain_object", "session")],
  "lib/views/": leaves("display", "plain_object", "visible", "words"),
  "lib/statistics/": [],
  // What the laboratory writes, and what draws it: neither knows a tensor or a session.
  "lib/records/": [
    ...["lib/secrets/", "lib/statistics/", "lib/views/"],
    ...leaves("grouped", "units", "visible", "whole_file", "words"),
  ],
  "lib/charts/": ["lib/installation/package.ts", "lib/platform/", ...leaves("display", "units", "words")],
  "lib/record_charts/": [
    ...["lib/charts/", "lib/records/", "lib/statistics/"],
    ...leaves("grouped", "units", "words"),
  ],

  "lib/torch/vocabulary/": leaves("surplus_arguments"),
  "lib/torch/types/": floors("vocabulary"),
  "lib/torch/engine/": [
    "lib/installation/addon.ts",
    "lib/platform/",
    ...floors("vocabulary", "types"),
    ...leaves("plain_object", "session", "surplus_arguments", "units"),
  ],
  "lib/torch/random/": floors("vocabulary", "types", "engine"),
  "lib/torch/tensor/": [
    ...floors("vocabulary", "types", "engine", "random"),
    ...leaves("display", "grouped", "plain_object", "session", "surplus_arguments", "units"),
    "lib/views/",
  ],
  "lib/torch/sparse/": [...TENSORS, ...leaves("surplus_arguments")],
  "lib/torch/autograd/": [...TENSORS, ...floors("types"), ...leaves("session")],
  "lib/torch/func/": [...TENSORS, ...floors("autograd", "nn"), ...leaves("plain_object", "session")],
  "lib/torch/amp/": [...floors("vocabulary", "types", "engine", "tensor", "autograd"), ...leaves("session")],
  "lib/torch/serialize/": [...TENSORS, ...leaves("plain_object", "whole_file")],
  "lib/torch/profiler/": [
    ...floors("vocabulary", "engine"),
    ...leaves("display", "whole_file"),
    "lib/views/",
  ],
  // Several processes.
  "lib/torch/distributed/": [
    ...floors("vocabulary", "engine", "tensor", "autograd"),
    ...leaves("session", "words"),
  ],
  "lib/torch/distributed/checkpoint/": [
    ...floors("vocabulary", "engine", "tensor", "autograd", "serialize", "distributed"),
    ...leaves("whole_file"),
  ],
  // Stands on whole optimizers. Nothing of lower floors imports it, or the file that exports it.
  "lib/torch/distributed/optim/": floors(
    "vocabulary",
    "engine",
    "tensor",
    "autograd",
    "optim",
    "distributed",
  ),
  "lib/torch/nn/": [
    ...floors("vocabulary", "types", "engine", "random", "tensor", "autograd", "amp", "distributed"),
    ...leaves("surplus_arguments"),
  ],
  "lib/torch/optim/": floors("vocabulary", "types", "engine", "tensor", "autograd", "nn"),
  "lib/torch/distributions/": floors("vocabulary", "types", "engine", "tensor", "autograd"),
  "lib/torch/capture/": [...TENSORS, ...leaves("plain_object")],
  "lib/torch/data/": [
    ...floors("vocabulary", "engine", "random", "tensor", "distributed", "nn"),
    ...leaves("display", "plain_object", "row_type", "session", "size_limit", "surplus_arguments", "units"),
    ...leaves("whole_file", "words"),
    ...["lib/installation/package.ts", "lib/views/"],
  ],
  // The namespaces mps, cuda, cpu and accelerator. The workarounds of mps repair layers.
  "lib/torch/devices/": [
    ...floors("vocabulary", "engine", "random", "tensor", "sparse", "autograd", "nn"),
    ...["lib/installation/package.ts", "lib/platform/", "lib/views/", ...leaves("session", "units")],
  ],
  "lib/torch/torch.ts": floors(
    ...["vocabulary", "engine", "random", "tensor", "sparse", "autograd", "amp", "serialize"],
    ...["profiler", "distributed", "distributions", "nn", "func", "capture"],
  ),

  "lib/lab/core/": [
    ...RECORDS,
    ...["lib/platform/", "lib/torch/", "lib/views/"],
    ...leaves("deadlines", "display", "session", "units"),
  ],
  "lib/lab/plot/": [
    ...RECORDS,
    ...["lib/torch/"],
    ...leaves("display", "json", "session", "units", "whole_file", "words"),
  ],
  "lib/lab/epochs/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/torch/", "lib/comms/", "lib/views/"],
    ...leaves("contract", "display", "session", "units", "words"),
  ],
  "lib/lab/progress/": ["lib/torch/", "lib/views/", ...leaves("contract", "display", "session", "units")],
  "lib/lab/measures/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/torch/", "lib/views/"],
    ...leaves("display", "session", "units", "whole_file", "words"),
  ],
  "lib/lab/memory_snapshot/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/torch/", "lib/views/"],
    ...leaves("display", "session", "units", "whole_file", "words"),
  ],
  "lib/lab/tensorboard/": [...RECORDS, "lib/lab/core/", "lib/torch/", ...leaves("whole_file")],
  "lib/lab/sweep/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/lab/epochs/", "lib/lab/measures/"],
    ...["lib/platform/", "lib/torch/", "lib/views/"],
    ...leaves("deadlines", "display", "grouped", "running_process", "session", "units", "words"),
  ],
  "lib/lab/search/": [
    ...["lib/installation/", "lib/lab/core/", "lib/lab/plot/", "lib/lab/sweep/", "lib/torch/", "lib/views/"],
    ...["lib/records/", ...leaves("units")],
  ],
  "lib/lab/tune/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/lab/measures/", "lib/lab/sweep/"],
    ...["lib/torch/", "lib/views/"],
    ...leaves("session", "units", "words"),
  ],
  "lib/lab/logbook/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/lab/measures/", "lib/lab/sweep/", "lib/torch/", "lib/views/"],
    ...["lib/lab/plot/"],
    ...["lib/installation/package.ts", "lib/platform/", "lib/secrets/"],
    ...leaves("display", "plain_object", "session", "units", "whole_file", "words"),
  ],
  "lib/lab/remote/": [
    ...RECORDS,
    ...[
      "lib/installation/package.ts",
      "lib/lab/core/",
      "lib/lab/sweep/",
      "lib/lab/logbook/",
      "lib/secrets/",
      "lib/torch/",
      "lib/views/",
    ],
    ...leaves("display", "session", "units"),
  ],
  "lib/lab/ray/": [
    ...RECORDS,
    ...["lib/installation/", "lib/lab/core/", "lib/lab/remote/", "lib/lab/sweep/"],
    "lib/torch/vocabulary/",
  ],
  "lib/lab/runbook/": [
    ...RECORDS,
    ...["lib/lab/core/", "lib/lab/epochs/", "lib/lab/measures/", "lib/lab/sweep/", "lib/lab/logbook/"],
    ...["lib/torch/", "lib/views/", ...leaves("grouped", "session", "units", "words")],
  ],
  "lib/lab/teaching/": [
    ...["lib/lab/core/", "lib/torch/vocabulary/", "lib/views/", "lib/widgets/"],
    ...leaves("display", "session", "whole_file"),
  ],
  "lib/lab/index.ts": ["lib/lab/", "lib/records/", "lib/statistics/"],
};

function roomOf(file: string): string {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => file.startsWith(room));
  return rooms.reduce((longest, room) => (room.length > longest.length ? room : longest), "");
}

const isOurs = (target: string) => target.startsWith("kernel/") || target.startsWith("lib/");

describe("imports", () => {
  it("of every file go downward", () => {
    const upward = sources.flatMap(({ file, imports }) => {
      const room = roomOf(file);
      const allowed = [...(MAY_IMPORT[room] ?? []), ...(room.endsWith("/") ? [room] : [])];
      return imports
        .map(({ target }) => target)
        .filter((target) => isOurs(target) && !allowed.some((prefix) => target.startsWith(prefix)))
        .map((target) => `${file} -> ${target}`);
    });
    expect(upward).toEqual([]);
  });

  it("of every file's room have a line in the table", () => {
    expect(sources.map(({ file }) => file).filter((file) => roomOf(file) === "")).toEqual([]);
  });

  it("form no cycle of more than three files, types included", () => {
    const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ target }) => target)]));
    expect(findCycles(graph).filter((cycle) => cycle.length > 3)).toEqual([]);
  });

  it("have no cycle at run time", () => {
    const graph = new Map(
      sources.map(({ file, imports }) => [
        file,
        imports.filter(({ target, typeOnly }) => isOurs(target) && !typeOnly).map(({ target }) => target),
      ]),
    );
    expect(findCycles(graph)).toEqual([]);
  });

  it("of the session process alone reach the library: the kernel process never loads libtorch", () => {
    const reachLib = sources.filter(
      ({ file, imports }) =>
        file.startsWith("kernel/") &&
        imports.some(
          ({ target, typeOnly }) =>
            target.startsWith("lib/") &&
            !typeOnly &&
            !LOADED_BY_KERNEL.some((start) => target.startsWith(start)),
        ),
    );
    expect(reachLib.map(({ file }) => file).filter((file) => !file.startsWith("kernel/runtime/"))).toEqual(
      [],
    );
  });
});

/** What the kernel process and the command line may use of the library: none loads libtorch. */
const LOADED_BY_KERNEL: readonly string[] = [
  ...RECORDS,
  ...READERS,
  "lib/contract.ts",
  "lib/grouped.ts",
  "lib/installation/addon.ts",
  "lib/installation/node_support.ts",
  "lib/installation/package.ts",
  "lib/installation/torch_package.ts",
  "lib/installation/ways_out.ts",
  "lib/lab/ray/address.ts",
  "lib/lab/ray/cluster.ts",
  "lib/lab/ray/errors.ts",
  "lib/lab/ray/point_messages.ts",
  "lib/platform/available_memory.ts",
  "lib/platform/folders.ts",
  "lib/platform/processes.ts",
  "lib/platform/system.ts",
  "lib/running_process.ts",
  "lib/units.ts",
  "lib/views/facts.ts",
  "lib/views/html.ts",
  "lib/views/records.ts",
  "lib/views/table.ts",
  "lib/views/table_html.ts",
  "lib/secrets/",
  ...leaves("visible", "whole_file", "words"),
];
