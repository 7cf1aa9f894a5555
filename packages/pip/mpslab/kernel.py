"""The kernel: Jupyter gives the connection file."""

import sys

from mpslab import run

if __name__ == "__main__":
    run("bundle/kernel/main.js", sys.argv[1:])
