"""Run the command line with ``python -m suanli``."""

from suanli.cli.main import main

if __name__ == "__main__":
    main()
