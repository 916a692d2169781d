"""Made-up rows of the tournament."""

from tournament.functions import function_named
from tournament.run import Row


def row(method, function, movement, mean, last=None, simple=None, *, seed=0, trials=100, cpu=1.0):
    """Return a row; regrets that are not given are like the mean regret."""
    return Row(
        function=function,
        d=function_named(function).d,
        noise="low",
        start="corner",
        travel="ramps",
        trials=trials,
        method=method,
        seed=seed,
        movement=movement,
        mean_regret=mean,
        last_half_regret=mean if last is None else last,
        simple_regret=mean if simple is None else simple,
        planner_cpu=cpu,
    )
