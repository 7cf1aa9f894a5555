"""Whether a run of a notebook agrees with a stored one: to the bit on the machine that stored it, within a tolerance on another.

Knows outputs and fingerprints as replay.py gathers them, nothing of notebooks or kernels.
"""

import math
from dataclasses import dataclass
from enum import Enum

from compare_outputs import first_difference

# On another machine sums are taken in another order, which moves float32 numbers by 1e-7, and each step of training carries
# that on: losses were up to 4e-5 apart after 400 steps with other instruction sets and threads, weights 1.4e-3 after 2,345.
TOLERANCE_PER_STEP = 1e-5
MAX_TOLERANCE = 1e-2
# For the losses of steps 0 to 10. Another seed moves the first one by 2e-2.
EARLY_TOLERANCE = 1e-3


class Answer(Enum):
    """The exit code of `mpslab replay`."""

    SAME = 0
    DIFFERENT = 1
    CANNOT_TELL = 2


@dataclass
class Agreement:
    verdict: Answer
    text: str


def tolerance_after(steps):
    """How far apart numbers may be, as a share, after so many steps of training on another machine."""
    return min(MAX_TOLERANCE, TOLERANCE_PER_STEP * (1 + steps))


def compare(cells, kept, now, asked=None):
    """
    `cells`: numbers of code cells, their stored outputs and those of now. `kept`, `now`: fingerprints; `kept` is None where
    none was stored. `asked`: a tolerance in place of this module's.
    """
    elsewhere = kept is not None and kept["machine"] != now["machine"]
    if asked is None and elsewhere:
        tolerance = tolerance_after
    else:
        tolerance = lambda steps: asked or 0
    # An earlier version stored none.
    steps = [max(pair) for pair in zip((kept or now).get("steps", now["steps"]), now["steps"])]
    trained = max(steps, default=0)
    losses = kept.get("losses", []) if kept else []

    found = compare_losses(losses, now["losses"], EARLY_TOLERANCE if elsewhere and asked is None else asked or 0)
    found = found or compare_cells(cells, lambda number: tolerance(steps[number - 1]))
    if found is None and kept:
        found = compare_tensors(kept["tensors"], now["tensors"], tolerance(trained))
        found = found or compare_memory(kept, now, exact=tolerance(trained) == 0)
    where = machines(kept["machine"], now["machine"]) if elsewhere else ""
    if found:
        return Agreement(Answer.DIFFERENT, f"first difference: {found}{where}")
    if elsewhere and trained > 0 and not losses:
        return Agreement(
            Answer.CANNOT_TELL,
            "cannot tell: the notebook trains, this is another machine, and no losses of its first steps are stored; "
            f"what comes after training agrees for other programs as well. Store it anew where it was run: mpslab replay --store.{where}",
        )
    return Agreement(Answer.SAME, agreement_text(len(cells), kept, losses, elsewhere, tolerance(trained), where))


def agreement_text(cells, kept, losses, elsewhere, tolerance, where):
    what = f"outputs of {counted(cells, 'cell')}" + (f", {told(kept)}" if kept else "")
    if not elsewhere:
        how = f"within {tolerance:g}" if tolerance else "to the bit"
        return f"the same machine, equal {how}: {what}" if kept else f"equal {how}: {what}"
    early = f"{counted(len(losses), 'early loss')} within {EARLY_TOLERANCE:g}, the rest " if losses else ""
    return f"another machine, agrees: {early}within {tolerance:g}: {what}{where}"


def compare_losses(stored, now, tolerance):
    """A sentence about the first loss that differs, or None."""
    for step, (before, after) in enumerate(zip(stored, now)):
        if not close(before, after, tolerance):
            return f"the loss of step {step} differs\n  stored  {before}\n  now     {after}"
    if len(stored) > len(now):
        return f"training takes fewer steps\n  stored  {len(stored)} first losses\n  now     {len(now)}"
    return None


def close(before, after, tolerance):
    """JSON has no NaN: null stands for it."""
    if before is None or after is None:
        return before is after
    return before == after or math.isclose(before, after, rel_tol=tolerance, abs_tol=tolerance * 1e-3)


def compare_cells(cells, tolerance_of):
    for number, before, after in cells:
        found = first_difference(before, after, tolerance_of(number))
        if found:
            return f"cell {number} {found}"
    return None


def compare_tensors(stored, now, tolerance):
    for name, tensor in stored.items():
        other = now.get(name)
        if other is None:
            return f"tensor {name} is not there"
        for part in ("shape", "dtype"):
            if tensor[part] != other[part]:
                return f"tensor {name} differs in its {part}\n  stored  {tensor[part]}\n  now     {other[part]}"
        if tensor["sha256"] != other["sha256"] and not same_statistics(tensor, other, tolerance):
            return (
                f"tensor {name} ({tensor['shape']} {tensor['dtype']}) differs in its values\n"
                f"  stored  sum {tensor['sum']}, sha256 {tensor['sha256'][:16]}\n"
                f"  now     sum {other['sum']}, sha256 {other['sha256'][:16]}"
            )
    return None


def same_statistics(tensor, other, tolerance):
    """A checksum says only whether bits are equal: of another machine the sums are compared, one of them weighted by place."""
    if tolerance == 0 or tensor["sum"] is None:
        return False
    scale = max(1e-12, abs(float(tensor["size"])))
    parts = [part for part in ("sum", "size", "order") if part in tensor]
    return all(abs(float(tensor[part]) - float(other[part])) <= tolerance * scale for part in parts)


def compare_memory(stored, now, exact):
    """Bytes of another machine's allocator are rounded otherwise, and its fallbacks are its own: there epochs are counted alone."""
    for epoch, other in zip(stored["epochs"], now["epochs"]):
        where = f"loop {epoch['loop']}, epoch {epoch['epoch']}"
        for part in ("allocatedBytes", "fallbacks"):
            if exact and None not in (epoch[part], other[part]) and epoch[part] != other[part]:
                return f"{where} differs in {part}\n  stored  {epoch[part]}\n  now     {other[part]}"
    if exact and stored["heldBytes"] != now["heldBytes"]:
        return f"bytes of live tensors differ at the end\n  stored  {stored['heldBytes']}\n  now     {now['heldBytes']}"
    if len(stored["epochs"]) != len(now["epochs"]):
        return f"the ledger differs\n  stored  {len(stored['epochs'])} epochs\n  now     {len(now['epochs'])} epochs"
    return None


def machines(stored, now):
    """What differs between the two machines. An earlier version stored one line of text."""
    if not isinstance(stored, dict):
        return f"\nstored on {stored}; this is {', '.join(now.values())}"
    parts = [part for part in now if stored.get(part) != now[part]]
    return "".join(f"\n{part}: stored on {stored.get(part, 'an unknown one')}; this is {now[part]}" for part in parts)


def told(fingerprint):
    return f"{counted(len(fingerprint['tensors']), 'tensor')}, {counted(len(fingerprint['epochs']), 'epoch')}"


def counted(number, noun):
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun}" if number == 1 else f"{number} {plural}"
