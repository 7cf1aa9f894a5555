"""Runs a notebook in a fresh kernel and compares what comes out with what is stored in it. Tells the first difference.

Started by `mpslab replay`. Knows nbclient, nothing of the kernel; how results are compared is in agreement.py.
"""

import argparse
import copy
import json
import os
import sys
from pathlib import Path

import nbformat
import unfinished
from agreement import Answer, compare, counted, told
from execute import read
from nbclient import NotebookClient
from whole_file import write_notebook

# A cell's tag: it cannot give the same, for the reason in its metadata, {"mpslab": {"replaySkip": "runs for two seconds"}}.
SKIPPED = "replay-skip"

NAMES = "%who"

# A function: it declares nothing that the notebook could see, and hides none of its names from the arguments.
PROBE = """
await (async (named: [string, any][]): Promise<void> => {
  const { torch, lab } = await import("mpslab");
  const { createHash } = await import("node:crypto");
  const record = (globalThis as any)[Symbol.for("mpslab.replayRecord")];
  const found: Record<string, object> = {};
  // With everything collected that nobody holds: what the notebook itself keeps.
  const heldBytes = lab.flush().after.allocatedBytes;
  const fingerprint = (name: string, value: any): void => {
    // A module is called as a function, and is one.
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return;
    if (value instanceof torch.Tensor) {
      if (value.isDisposed) return;
      const host = value.detach().to("cpu").contiguous().flatten();
      const bits = host.view("uint8").data() as Uint8Array;
      const real = !["complex64", "complex128"].includes(value.dtype);
      const sum = real ? String(host.to("float64").sum().item()) : null;
      const size = real ? String(host.to("float64").abs().sum().item()) : null;
      // Tells values apart that only changed places.
      const weights = real ? torch.linspace(0, 1, host.numel(), { dtype: "float64", device: "cpu" }) : null;
      const order = weights === null ? null : String(host.to("float64").mul(weights).sum().item());
      const sha256 = createHash("sha256").update(bits).digest("hex");
      found[name] = { shape: value.shape.join("x"), dtype: value.dtype, sha256, sum, size, order };
    } else if (typeof value.namedParameters === "function" && typeof value.forward === "function") {
      for (const [part, parameter] of value.namedParameters()) fingerprint(name + "." + part, parameter);
    }
  };
  for (const [name, value] of named) torch.noGrad(() => fingerprint(name, value));
  const epochs = lab.ledger.epochs.map(({ loop, epoch, collection, after, fallbacks }) => ({
    loop, epoch, fallbacks,
    // What a minor collection leaves is a matter of time.
    allocatedBytes: collection === "full" ? after.allocatedBytes : null,
  }));
  const losses = record.losses().map((loss: number) => (Number.isFinite(loss) ? loss : null));
  const all = { machine: record.machine(), losses, heldBytes, tensors: found, epochs };
  console.log(JSON.stringify(all));
})([NAMES_HERE]);
"""


# Without the library it answers 0, and loads nothing.
STEPS = 'console.log((globalThis as any)[Symbol.for("mpslab.replayRecord")]?.steps() ?? 0);'


class NoFingerprint(Exception):
    """The session cannot tell its tensors; the text is what it said instead."""


class Replay:
    """One run of a notebook in a kernel of its own."""

    def __init__(self, notebook, folder, timeout):
        self.notebook = notebook
        # Of the code cell that runs; None while the session is asked for what it holds.
        self.number = None
        # Backward passes when each code cell had run.
        self.steps = []
        self.client = NotebookClient(
            notebook,
            timeout=timeout,
            # An error that is stored is to come again.
            allow_errors=True,
            coalesce_streams=True,
            kernel_name="mpslab",
            resources={"metadata": {"path": str(folder)}},
        )

    def run(self):
        """Runs the code cells in order. Returns the fingerprint of what a replay can repeat."""
        # Tensors that a skipped cell changed, as they were before it; None for those that it made.
        changed = {}
        # Before any cell there are none, and nothing is asked: the first one may set what the library reads when it is loaded.
        before = {}
        code = [(index, cell) for index, cell in enumerate(self.notebook.cells) if is_code(cell)]
        for number, (index, cell) in enumerate(code, 1):
            if not is_skipped(cell):
                self.execute(number, cell, index)
                before = None
                continue
            if before is None:
                before = self.fingerprint()["tensors"]
            self.execute(number, cell, index)
            after = self.fingerprint()["tensors"]
            for name, tensor in after.items():
                if tensor != before.get(name):
                    changed.setdefault(name, before.get(name))
            before = after
        end = self.fingerprint()
        kept = end["tensors"] | changed
        tensors = {name: kept[name] for name in sorted(kept) if kept[name] is not None}
        return end | {"steps": self.steps, "tensors": tensors}

    def execute(self, number, cell, index):
        self.number = number
        self.client.execute_cell(cell, index)
        self.number = None
        self.steps.append(int(self.asked(STEPS)))

    def fingerprint(self):
        """What the session holds now: machine, first losses, tensors, epochs."""
        names = [line.split()[0] for line in self.asked(NAMES).split("\n")[1:] if line.strip()]
        pairs = ", ".join(f"[{json.dumps(name)}, {name}]" for name in names)
        answer = self.asked(PROBE.replace("NAMES_HERE", pairs))
        try:
            return json.loads(answer)
        except ValueError:
            raise NoFingerprint(answer) from None

    def asked(self, source):
        """The text that a cell gives which the notebook does not keep, and which takes no number."""
        cell = nbformat.v4.new_code_cell(source)
        self.notebook.cells.append(cell)
        try:
            self.client.execute_cell(cell, len(self.notebook.cells) - 1, store_history=False)
        finally:
            self.notebook.cells.pop()
        parts = []
        for output in cell.outputs:
            text = output.get("text") or output.get("data", {}).get("text/plain", "") or output.get("evalue", "")
            parts.append("".join(text))
        return "".join(parts)


def is_code(cell):
    return cell.cell_type == "code" and bool(cell.source.strip())


def is_skipped(cell):
    return SKIPPED in cell.metadata.get("tags", [])


def skipped_cells(cells):
    """A line for each cell that is run and not compared: its number among the code cells, and why."""
    numbered = enumerate(filter(is_code, cells), 1)
    reason = lambda cell: cell.metadata.get("mpslab", {}).get("replaySkip", "without a reason")
    return [f"not compared: cell {number}, {reason(cell)}" for number, cell in numbered if is_skipped(cell)]


def compared_cells(stored, now):
    """Pairs of code cells that are compared, with their numbers."""
    code = [pair for pair in zip(stored, now) if is_code(pair[0])]
    numbered = enumerate(code, 1)
    return [
        (number, before.outputs, after.outputs)
        for number, (before, after) in numbered
        if before.execution_count is not None and not is_skipped(before)
    ]


def replay(options):
    stored = read(options.notebook)
    notebook = copy.deepcopy(stored)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    ran = [cell for cell in stored.cells if cell.cell_type == "code" and cell.execution_count is not None]
    if not ran and not options.store:
        print(f"{options.notebook} holds no outputs to compare with: mpslab replay --store keeps this run's.")
        return 1

    kept = stored.metadata.get("mpslab", {}).get("replay")
    # The session keeps the first losses (lib/lab/logbook/replay_record.ts).
    os.environ["MPSLAB_REPLAY"] = "1"
    run = Replay(notebook, options.notebook.parent, options.timeout)
    try:
        with run.client.setup_kernel():
            now = run.run()
    except unfinished.UNFINISHED as error:
        print(unfinished.told(error, options.timeout, run.number), file=sys.stderr)
        return unfinished.status_of(error)
    if options.store:
        notebook.metadata.setdefault("mpslab", {})["replay"] = now
        write_notebook(notebook, options.notebook)
        print(f"stored in {options.notebook}: {told(now)}")
        return 0
    answer = compare(compared_cells(stored.cells, notebook.cells), kept, now, options.tolerance)
    print(answer.text)
    if answer.verdict is Answer.SAME:
        for line in skipped_cells(stored.cells):
            print(line)
        if not kept:
            print("no tensors are stored: mpslab replay --store keeps their checksums.")
    return answer.verdict.value


def main(options):
    try:
        return replay(options)
    except NoFingerprint as error:
        print(f"{error}\nThe session could not tell its tensors: run mpslab doctor.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--timeout", type=int)
    parser.add_argument("--tolerance", type=float)
    parser.add_argument("--store", action="store_true")
    sys.exit(main(parser.parse_args()))
