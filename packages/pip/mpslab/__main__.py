"""The command line, `mpslab`."""

import sys

from mpslab import run


def main():
    run("kernel/cli.js", sys.argv[1:])


if __name__ == "__main__":
    main()
