"""How far the belief can be trusted: ``python -m benchmarks.belief`` from the root of the project.

``calibrate`` measures the intervals of our model and of its peers (``calibration.py``), ``find`` what studies find with
it (``finding.py``), and ``page`` shows both in docs/belief.md. The modules are imported as ``belief.…``, with
``benchmarks/`` on the path.
"""
