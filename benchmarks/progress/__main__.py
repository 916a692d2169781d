"""The command line of this benchmark, from the root of the project: ``python -m benchmarks.progress --help``."""

import sys
from pathlib import Path

# The modules of benchmarks/ import each other by their plain names.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from progress.calibration import main

if __name__ == "__main__":
    sys.exit(main())
