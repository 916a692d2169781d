"""What a study promises of its limits, and when: the law that random studies are held to.

No study can promise what a leg will really cost. But whenever a trial is handed out, by ``ask`` or ``insert``,
all that was paid, all that is out, the leg to it, its results and the way home fit the budget and the trip
under way, legs and ways ahead at the dearer of what was stated and what was learned; and the leg, as stated,
is no longer than a step. From then on what was told, what is out as stated, the results and the way home as
stated stay within budget and trip until there is a surprise: a leg told dearer than it was counted as when a
trial was last handed out, a place that was missed, or a traveller put elsewhere by hand.

And what is previewed is what is handed out: the first stop of ``study.route()``, by the same way and at the same cost.
"""

import numpy as np

import wayfare as wf
from limits_books import Books, Entry, Prices, books_of
from wayfare._core.arrays import Values
from wayfare.record.state import StudyState


class Watch:
    """Looks at the limits of a study after everything that happens."""

    def __init__(self, study: wf.Study) -> None:
        self.study, self.prices = study, Prices(study.spec)
        self.puts: list[tuple[int, Values]] = []
        self.expected: dict[int, Entry] = {}  # every visit, as it was counted when a trial was last handed out
        self.quiet = True  # whether there was no surprise since then
        self.handed_out = self.by_learned = self.looks = self.surprises = 0
        self.previewed = self.unlike = 0
        self.over = self.beyond = 0.0

    def books(self, *, wary: bool = False) -> Books:
        """Return what the study costs up to now."""
        return books_of(self.study.trials, self.puts, self.prices, self.study.learned(), wary=wary)

    def see_hand_out(self) -> None:
        """Look at all limits once a trial was handed out."""
        books = self.books(wary=True)
        self.expected = {entry.number: entry for entry in books.entries}
        self.over = max(self.over, books.over_budget())
        self.beyond = max(self.beyond, books.over_trip(), books.over_step())
        self.handed_out += 1
        self.by_learned += self.study.learned() is not None
        self.quiet = True
        self.see_move()

    def see_preview(self, before: StudyState, route: wf.RouteAhead, trial: wf.Trial, count: bool) -> None:
        """Hold a trial against the route that was shown before it was asked for: the first stop must be handed out.

        Unless the schedule plans again after the news there were, or all results of the stop were asked for and only
        some are affordable.
        """
        due = before.spec.method.schedule.is_due(before.news)
        planned_again = len(self.study.state.plans) > len(before.plans)
        if trial.number < len(before.trials) or due or (planned_again and (count or not route.stops)):
            return
        first = route.stops[0] if route.stops else None
        self.previewed += 1
        self.unlike += first is None or (first.params, first.leg, first.home_first) != (
            trial.params,
            trial.leg,
            trial.home_first,
        )

    def see_move(self, surprise: bool = False) -> None:
        """Look at budget and trip after anything else, unless it was a surprise or followed one."""
        books = self.books()
        if self.quiet and (surprise or self.is_dearer(books)):
            self.quiet = False
            self.surprises += 1
        if self.quiet:
            self.over = max(self.over, books.over_budget())
            self.beyond = max(self.beyond, books.over_trip())
            self.looks += 1

    def is_dearer(self, books: Books) -> bool:
        """Return whether a leg was told dearer than it was counted as when a trial was last handed out."""
        told = [(entry, self.expected[entry.number]) for entry in books.entries if entry.is_told]
        return any(now.leg > before.leg or now.ridden > before.ridden for now, before in told)

    def see_skip(self) -> None:
        """Look again once a trial was skipped: then a trip may be under way again that had a surprise."""
        self.see_move(surprise=self.surprises > 0)

    def see_put(self, place: Values) -> None:
        """Note that the traveller was put elsewhere by hand."""
        self.puts.append((len(self.study.trials), np.array(place)))
        self.see_move(surprise=True)
