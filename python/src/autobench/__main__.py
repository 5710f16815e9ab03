"""``python -m autobench`` is the program itself."""

import os
import sys

from ._program import find
from .errors import ProgramNotFoundError


def main() -> None:
    """Becomes the program."""
    try:
        program = find()
    except ProgramNotFoundError as error:
        sys.exit(f"error: {error}")
    os.execv(program, [os.fspath(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
