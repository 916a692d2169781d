"""A shop looks for the best of ten prices, one customer at a time; customers dislike prices that change.

What the customers would pay is made up. A price is a place and a change of price costs 1. `base` tries every
price that may still be best in long runs; `ucb1` changes as it likes. Its published bound is wide, so
`ucb1-half` has one half as wide.
"""

from collections.abc import Callable, Mapping

import numpy as np
from beside import Figures, tell
from matplotlib.figure import Figure

import wayfare as wf
from wayfare._core.arrays import Values
from wayfare.plot.style import SERIES, SMALL, entitle, tidy
from wayfare.policy.bandit import ucb1_index

PRICES = np.arange(8.0, 45.0, 4.0)  # euros
HIGHEST = PRICES.max()
COLOURS = SERIES[6], SERIES[3], SERIES[1], SERIES[0]
WIDTHS = {"ucb1": 1.0, "ucb1-half": 0.5}

shop = wf.Places(PRICES[:, None], names=["price"])
change = wf.Fee(1.0, unit="changes")


def expected(price: Values) -> Values:
    """Return the euros that a customer brings on average: half of them would pay 24."""
    return np.asarray(price / (1 + np.exp((price - 24) / 5)))


BEST = PRICES[np.argmax(expected(PRICES))]


def run(method: str, seed: int, customers: int) -> Values:
    """Return the price that each of the customers saw; under the same seed the same ones come."""
    would_pay = iter(np.random.default_rng(seed).logistic(24, 5, customers))

    def serve(price: float) -> float:
        # As a share of the highest price, because ucb1 takes values to lie between 0 and 1.
        return price / HIGHEST if next(would_pay) >= price else 0.0

    if method in WIDTHS:
        return one_by_one(serve, customers, WIDTHS[method])
    # 0.5 is half the range of the values: so much may a single one be off.
    study = wf.maximize(serve, shop, travel=change, trials=customers, method=method, seed=seed, noise=0.5)
    return np.repeat([trial.params["price"] for trial in study.trials], [t.count for t in study.trials])


def one_by_one(serve: Callable[[float], float], customers: int, width: float) -> Values:
    """Return the prices of ucb1 by its index alone: a study of 10,000 single visits takes minutes."""
    sums, counts, prices = np.zeros(len(PRICES)), np.zeros(len(PRICES), dtype=int), []
    for t in range(customers):
        arm = int(ucb1_index(sums / np.maximum(counts, 1), counts, t, scale=width).argmax())
        sums[arm] += serve(PRICES[arm])
        counts[arm] += 1
        prices.append(PRICES[arm])
    return np.array(prices)


def changes(prices: Values) -> int:
    """Return how often the price changed, which is what moving cost."""
    return int(np.count_nonzero(np.diff(prices)))


def lost(prices: Values) -> Values:
    """Return the euros lost so far against the best price, on average over chance, customer by customer."""
    return np.cumsum(expected(PRICES).max() - expected(prices))


FIGURES: Figures[Values] = {
    "price changes": changes,
    "lost [EUR]": lambda prices: lost(prices)[-1],
    "most charged [EUR]": lambda prices: PRICES[np.argmax([np.sum(prices == price) for price in PRICES])],
}


def draw(shops: Mapping[str, Values]) -> Figure:
    """Return the price that each customer saw, by method, and what was lost so far."""
    figure = Figure(figsize=(8.2, 7.4), layout="constrained")
    *panels, below = figure.subplots(len(shops) + 1, 1, sharex=True)
    for ax, colour, (method, prices) in zip(panels, COLOURS, shops.items(), strict=True):
        ax.axhline(BEST, color="#999999", lw=4, alpha=0.5, zorder=0)
        ax.step(np.arange(len(prices)), prices, where="post", color=colour, lw=0.7)
        entitle(ax, f"{method}: {changes(prices)} price changes (grey: the best price, {BEST:.0f} EUR)")
        ax.set(ylabel="price\n[EUR]", yticks=PRICES[::3])
        below.plot(lost(prices), color=colour, lw=1.4, label=method)
    entitle(below, "lost so far against the best price, on average over chance")
    below.set(ylabel="lost\n[EUR]", xlabel="customer", ylim=(0, None), xlim=(0, len(prices)))
    below.legend(frameon=False, fontsize=SMALL)
    for ax in (*panels, below):
        tidy(ax)
    return figure


if __name__ == "__main__":
    truth = f"best price: {BEST:.0f} EUR, which brings {expected(BEST):.4g} EUR per customer"
    methods = ("base", "base-minimax", *WIDTHS)
    tell(run, FIGURES, draw, trials=10_000, short=1_000, in_what="customers", truth=truth, methods=methods)
