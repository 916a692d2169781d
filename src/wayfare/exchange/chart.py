"""``Chart``: where the places of a study are on the earth, and where one turns on the way between two."""

import numpy as np
from attrs import frozen

from wayfare.arrays import Values
from wayfare.exchange.degrees import Degrees, Position
from wayfare.state import StudyState
from wayfare.travel import way


@frozen(eq=False)
class Chart:
    """A study with the axes that say where its places are."""

    state: StudyState
    degrees: Degrees

    def position(self, x: Values, what: str) -> Position:
        """Return where a place is; ``what`` names it in the refusal of one that is nowhere on the earth."""
        # Latitude, longitude and altitude are axes of numbers, which a row has as they are.
        return self.degrees.position(dict(zip(self.state.spec.space.names, x.tolist(), strict=True)), what)

    def turns(self, origin: Values | None, target: Values, what: str) -> tuple[Position, ...]:
        """Return where one turns between two places by the travel cost; none where nobody said from where."""
        if origin is None:
            return ()
        line = way(self.state.spec.travel, origin, target)
        return tuple(self.position(x, f"a turn on the way to {what}") for x in line[1:-1])

    def launch(self, number: int, begins_at_home: bool) -> Values | None:
        """Return where the trip of trial ``number`` began, as far as it is known.

        At home, if it begins there or the traveller was there since the start. Without an end there is no
        home, and it begins where the traveller stood before.
        """
        state, end = self.state, self.state.spec.limits.end
        if end is None:
            return state.origin(number)
        went = any(trial.is_visit and trial.home_first for trial in state.trials[:number])
        was_put = any(after <= number and np.array_equal(x, end) for after, x in state.moved)
        return end if begins_at_home or went or was_put or state.spec.start is None else state.spec.start
