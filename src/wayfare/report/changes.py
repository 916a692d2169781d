"""``Changes``: what a change of a study does, and what it costs."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from wayfare._core import html
from wayfare._core.format import counted, in_words, results, with_unit
from wayfare.record.state import StudyState
from wayfare.report.allowance import Allowance, allowance_of
from wayfare.report.log import Change


@frozen
class Changes:
    """The effects of a change of a study; measured values and paid costs stay as they are.

    Attributes:
        changes: what is different since, from what to what, by the keys of a study file.
        dropped: the stops that fall out of the route ahead, in visiting order.
        kept: how many stops stay ahead.
        ruled_out: how many results are at places that can no longer be visited; the model still uses them.
        trials_left: how many trials may still be handed out since.
        before: what was left of budget and trip, and the way home, before the change.
        after: the same since, by the travel cost of now.
        dry_run: whether nothing was written.
    """

    changes: tuple[Change, ...]
    dropped: tuple[Mapping[str, Any], ...]
    kept: int
    ruled_out: int
    trials_left: int
    before: Allowance
    after: Allowance
    dry_run: bool = False

    @property
    def entries(self) -> list[tuple[str, str]]:
        """All of it as names with a sentence each."""
        said = [("changed" if at == 0 else "", str(one)) for at, one in enumerate(self.changes)]
        left = "; ".join(filter(None, (f"{counted(self.trials_left, 'trial')}", str(self.after), self._way_home)))
        return [*said, ("route", self.route), ("left", left), *([("results", self._results)] if self.ruled_out else [])]

    @property
    def route(self) -> str:
        """What becomes of the route ahead."""
        if not self.dropped:
            return f"{counted(self.kept, 'stop')} ahead as planned" if self.kept else "the next ask plans one"
        if self.kept:
            gone = "; ".join(in_words(place) for place in self.dropped[:3]) + ("; …" if len(self.dropped) > 3 else "")
            return f"{counted(len(self.dropped), 'stop')} dropped ({gone}), {self.kept} ahead as planned"
        return f"{counted(len(self.dropped), 'stop')} dropped, the next ask plans a new route"

    @property
    def _way_home(self) -> str:
        """The cost of the way home before, if it is another since."""
        was, now, unit = self.before.home, self.after.home, self.after.unit
        if was is None or now is None or with_unit(was, unit) == with_unit(now, unit):
            return ""
        return f"the way home was {with_unit(was, unit)}"

    @property
    def _results(self) -> str:
        be, them = ("is", "it") if self.ruled_out == 1 else ("are", "them")
        return f"{results(self.ruled_out)} {be} out of the space now: the model learns from {them}, no route goes there"

    def __str__(self) -> str:
        """Say it line by line."""
        return "\n".join(f"{name:9}{text}".rstrip() for name, text in self.entries)

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return html.table("would change" if self.dry_run else "changed", ["", ""], self.entries)


def changes_of(before: StudyState, after: StudyState, changes: tuple[Change, ...], dry_run: bool) -> Changes:
    """Return the effects of a change, from the states before and after it."""
    was, now = (state.stops_ahead for state in (before, after))
    stay = {place.tobytes() for place in now}
    told = [after.trials[number] for number in after.results]
    # Those that were ruled out before count, too: it is what the study looks like since.
    return Changes(
        changes,
        tuple(before.spec.space.params(place) for place in was if place.tobytes() not in stay),
        len(now),
        sum(not after.allows(trial) for trial in told),
        after.trials_left,
        allowance_of(before),
        allowance_of(after),
        dry_run,
    )
