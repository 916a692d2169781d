"""Made-up rows of the tournament."""

from tournament.grounds import grounds
from tournament.studies import Row


def row(method, problem="quay", movement=1.0, simple=0.0, *, seed=0, part="search", **more):
    """Return a row of a study of 60 trials; ``more`` replaces what a row has by its name."""
    plain = Row(
        part=part,
        kind=grounds(part)[problem].kind,
        problem=problem,
        trials=60,
        method=method,
        seed=seed,
        condition="plain",
        movement=movement,
        mean_regret=0.5,
        last_half_regret=0.25,
        simple_regret=simple,
        places=30,
        idle=15,
        budget=0.0,
        planner_cpu=0.1,
        code="code",
    )
    return plain._replace(**more)
