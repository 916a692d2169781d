"""The ways to disturb a store are kept beside the long benchmark that uses them, too."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
