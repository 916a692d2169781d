"""wayfare inside other programs: they own the data and run the loop, and wayfare plans the movement.

Each module needs the package that it is named after: ``wayfare.plug.optuna`` is a sampler, ``wayfare.plug.gest`` a
generator for Xopt, blop and libEnsemble, ``wayfare.plug.ax`` a generation node. ``wayfare.plug.sklearn`` and
``wayfare.plug.botorch`` bring models the other way, into a study of ours, and ``wayfare.plug.mcp`` serves a store to an
assistant.
"""

__all__: list[str] = []
