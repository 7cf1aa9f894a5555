"""Starts the kernel. Jupyter passes the connection file as an argument."""

import sys

from mpslab import run

if __name__ == "__main__":
    run("bundle/kernel/main.js", sys.argv[1:])
