"""What the programs share in Python; helpers.ts has the same for TypeScript."""
import pathlib
import tempfile

import torch

folder = tempfile.TemporaryDirectory()


def refused(act):
    """Says whether this throws, for a program that looks at what is left behind."""
    try:
        act()
    except (AttributeError, NameError, SyntaxError):
        raise
    except Exception:
        return True
    return False


def scratch(name):
    """A file that is gone after the run."""
    return str(pathlib.Path(folder.name) / name)


def leaf(*values):
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)
