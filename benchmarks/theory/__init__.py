"""The theorems about movement beside what is measured: ``python -m benchmarks.theory``.

Each part is a module with a ``Part`` in it: the cells to measure, which can be shared out; the table for the
terminal; the picture. To add a part, write its module and name it in ``catalogue.PARTS``. The modules are imported as
``theory.…``, with ``benchmarks/`` on the path.
"""
