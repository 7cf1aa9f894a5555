"""Runs a notebook in a fresh kernel and compares what comes out with what is stored in it: outputs cell by cell, then
the bits of its tensors and the bytes of its epochs. Tells the first difference.

Started by `mpslab replay`. Knows nbclient, nothing of the kernel.
"""

import argparse
import copy
import json
import sys
from pathlib import Path

import nbformat
import unfinished
from compare_outputs import first_difference
from execute import read
from nbclient import NotebookClient

# Where another machine's numbers may be, as a share. float32 sums in another order are 1e-7 apart, and training carries that
# on: 0.14% in the weights of the tour after 2,345 steps on one thread without AVX.
ACROSS_MACHINES = 1e-2
# A cell's tag: it cannot give the same, for the reason in its metadata, {"mpslab": {"replaySkip": "runs for two seconds"}}.
SKIPPED = "replay-skip"

NAMES = "%who"

# A function: it declares nothing that the notebook could see, and hides none of its names from the arguments.
PROBE = """
await (async (named: [string, any][]): Promise<void> => {
  const { torch, lab, mps } = await import("mpslab");
  const { createHash } = await import("node:crypto");
  const os = await import("node:os");
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
      const sha256 = createHash("sha256").update(bits).digest("hex");
      found[name] = { shape: value.shape.join("x"), dtype: value.dtype, sha256, sum, size };
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
  const simulated = mps.simulation() === null ? "" : " (simulated)";
  const machine = [
    process.platform, process.arch, os.cpus()[0]?.model ?? "", torch.device() + simulated, torch.version,
    // Sums are split among them.
    `threads: ${torch.getNumThreads()}`,
  ].join(", ");
  console.log(JSON.stringify({ machine, heldBytes, tensors: found, epochs }));
})([NAMES_HERE]);
"""


class NoFingerprint(Exception):
    """The session cannot tell its tensors; the text is what it said instead."""


class Replay:
    """One run of a notebook in a kernel of its own."""

    def __init__(self, notebook, folder, timeout):
        self.notebook = notebook
        # Of the code cell that runs; None while the session is asked for what it holds.
        self.number = None
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
        return end | {"tensors": {name: kept[name] for name in sorted(kept) if kept[name] is not None}}

    def execute(self, number, cell, index):
        self.number = number
        self.client.execute_cell(cell, index)
        self.number = None

    def fingerprint(self):
        """What the session holds now: machine, tensors, epochs."""
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


def compare_cells(stored, now, tolerance):
    """How many cells were compared, and a sentence about the first one that differs, or None."""
    compared = 0
    code = [pair for pair in zip(stored, now) if is_code(pair[0])]
    for number, (before, after) in enumerate(code, 1):
        if before.execution_count is None or is_skipped(before):
            continue
        compared += 1
        found = first_difference(before.outputs, after.outputs, tolerance)
        if found:
            return compared, f"cell {number} {found}"
    return compared, None


def compare_fingerprints(stored, now, tolerance):
    """A sentence about the first tensor or epoch that differs, or None."""
    for name, tensor in stored["tensors"].items():
        other = now["tensors"].get(name)
        if other is None:
            return f"tensor {name} is not there"
        for part in ("shape", "dtype"):
            if tensor[part] != other[part]:
                return f"tensor {name} differs in its {part}\n  stored  {tensor[part]}\n  now     {other[part]}"
        if tensor["sha256"] != other["sha256"] and not close_sums(tensor, other, tolerance):
            return (
                f"tensor {name} ({tensor['shape']} {tensor['dtype']}) differs in its values\n"
                f"  stored  sum {tensor['sum']}, sha256 {tensor['sha256'][:16]}\n"
                f"  now     sum {other['sum']}, sha256 {other['sha256'][:16]}"
            )
    for epoch, other in zip(stored["epochs"], now["epochs"]):
        where = f"loop {epoch['loop']}, epoch {epoch['epoch']}"
        for part in ("allocatedBytes", "fallbacks"):
            # Bytes of another machine's allocator are rounded otherwise; its fallbacks are its own.
            if tolerance == 0 and None not in (epoch[part], other[part]) and epoch[part] != other[part]:
                return f"{where} differs in {part}\n  stored  {epoch[part]}\n  now     {other[part]}"
    if tolerance == 0 and stored["heldBytes"] != now["heldBytes"]:
        return f"bytes of live tensors differ at the end\n  stored  {stored['heldBytes']}\n  now     {now['heldBytes']}"
    if len(stored["epochs"]) != len(now["epochs"]):
        return f"the ledger differs\n  stored  {len(stored['epochs'])} epochs\n  now     {len(now['epochs'])} epochs"
    return None


def close_sums(tensor, other, tolerance):
    """Values of another machine are compared by their sums, as checksums say only whether bits are equal."""
    if tolerance == 0 or tensor["sum"] is None:
        return False
    scale = max(1e-12, abs(float(tensor["size"])))
    return all(abs(float(tensor[part]) - float(other[part])) <= tolerance * scale for part in ("sum", "size"))


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
    run = Replay(notebook, options.notebook.parent, options.timeout)
    try:
        with run.client.setup_kernel():
            now = run.run()
    except unfinished.UNFINISHED as error:
        print(unfinished.told(error, options.timeout, run.number), file=sys.stderr)
        return unfinished.status_of(error)
    if options.store:
        notebook.metadata.setdefault("mpslab", {})["replay"] = now
        nbformat.write(notebook, options.notebook)
        print(f"stored in {options.notebook}: {told(now)}")
        return 0
    elsewhere = kept is not None and now["machine"] != kept["machine"]
    tolerance = options.tolerance if options.tolerance is not None else (ACROSS_MACHINES if elsewhere else 0)
    compared, found = compare_cells(stored.cells, notebook.cells, tolerance)
    if found is None and kept:
        found = compare_fingerprints(kept, now, tolerance)
    if found:
        print(f"first difference: {found}")
        return 1
    how = f"within {tolerance:g}" if tolerance else "exactly"
    print(f"the same {how}: outputs of {counted(compared, 'cell')}" + (f", {told(kept)}" if kept else ""))
    for line in skipped_cells(stored.cells):
        print(line)
    if elsewhere:
        print(f"stored on {kept['machine']}; this is {now['machine']}")
    if not kept:
        print("no tensors are stored: mpslab replay --store keeps their checksums.")
    return 0


def told(fingerprint):
    return f"{counted(len(fingerprint['tensors']), 'tensor')}, {counted(len(fingerprint['epochs']), 'epoch')}"


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
