"""SnAr: a reaction in a flow reactor, tuned for yield and against waste.

2,4-difluoronitrobenzene and pyrrolidine make a product, a by-product and, from both, a bis-product; kinetics
of Hone et al. 2017 (DOI 10.1039/C6RE00109B). The objective weighs space-time yield against the E-factor, the
waste per product. Changing the settings takes minutes until the reactor is steady again: temperature,
concentration and flow settle at the same time, the equivalents change for free. This is not a metric: small
changes in a row are cheaper than a large one, and the convergence guarantee does not apply.
"""

import numpy as np
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Matrix, Points, Values
from wayfare.bench.problems.problem import Problem
from wayfare.space import Real, Space
from wayfare.travel import Settling, parallel

ZERO = 273.71
"""The benchmark's 0 degrees Celsius in kelvin; physically it is 273.15."""
GAS = 8.314e-3
RATES = 0.6 * np.array([57.9, 2.70, 0.865, 1.63])
"""At 90 degrees, in L/mol/min: to the product, to the by-product, and from each to the bis-product."""
ENERGIES = np.array([33.3, 35.3, 38.9, 44.8])
"""Of activation, in kJ/mol."""
MASSES = np.array([159.09, 71.12, 210.21, 210.21, 261.33])
"""Of the two reagents, the product, the by-product and the bis-product, in g/mol."""
SOLVENT = 0.789
"""Grams per mL."""
STEPS = 100


def outlet(x: Points) -> Matrix:
    """Return the (5, n) concentrations that leave the reactor, in mol/L.

    With the dose ds = C2 dt in place of time, all but the pyrrolidine (2) react at first order and have a
    closed form. Its amount follows from what the others hold of it, which leaves one equation, dose' = C2.
    """
    tau, eq, c0, temp = x.T
    per_kelvin = 1 / (temp + ZERO) - 1 / (90 + ZERO)
    ka, kb, kc, kd = RATES[:, None] * np.exp(-ENERGIES[:, None] / GAS * per_kelvin)

    def at(dose: Values) -> Matrix:
        left, product, by_product = np.exp(-np.array([ka + kb, kc, kd]) * dose)
        c3 = ka * (product - left) / (ka + kb - kc)
        c4 = kb * (by_product - left) / (ka + kb - kd)
        c5 = 1 - left - c3 - c4
        return np.asarray(c0 * np.array([left, eq - c3 - c4 - 2 * c5, c3, c4, c5]))

    # Runge-Kutta, with steps that are short at first, when the reaction is fast.
    dose = np.zeros(len(x))
    for step in np.diff(np.linspace(0, 1, STEPS + 1) ** 2):
        h = step * tau
        k1 = at(dose)[1]
        k2 = at(dose + h / 2 * k1)[1]
        k3 = at(dose + h / 2 * k2)[1]
        k4 = at(dose + h * k3)[1]
        dose = dose + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return at(dose)


def space_time_yield(x: Points, concentrations: Matrix) -> Values:
    """Return the product per volume of the reactor and time, in g/L/h: 1e-6 at least."""
    return np.asarray(np.maximum(60 * MASSES[2] * concentrations[2] / x[:, 0], 1e-6))


def e_factor(concentrations: Matrix) -> Values:
    """Return the grams of waste, solvent included, per gram of product: 1000 at most."""
    grams = 1e-3 * MASSES[:, None] * concentrations
    waste = SOLVENT + grams.sum(axis=0) - grams[2]
    return np.asarray(np.minimum(waste / np.maximum(grams[2], 1e-12), 1000.0))


def objective(x: Points, concentrations: Matrix) -> Values:
    """Return what is maximised, of settings and what left the reactor."""
    return space_time_yield(x, concentrations) / 1e4 - e_factor(concentrations) / 10


def value(x: Points) -> Values:
    """Return the objective of each place without noise."""
    return objective(x, outlet(x))


def measured(x: Points, percent: float, rng: Generator) -> Values:
    """Return the objective from concentrations that are each measured with that relative noise."""
    concentrations = outlet(x)
    noise = checks.not_negative(percent, "percent of noise") / 100 * rng.standard_normal(concentrations.shape)
    return objective(x, concentrations * (1 + noise))


def snar() -> Problem:
    """Return the tuning of the reactor, without noise, from where it idles: slow, dilute and cold.

    ``measured`` gives results with noise. The travel cost is in minutes.
    """
    space = Space(Real("tau_min", 0.5, 2.0), Real("eq", 1.0, 5.0), Real("c0_M", 0.1, 0.5), Real("temp_C", 40.0, 120.0))
    # The benchmark scales each axis to the unit interval, and to move there at speed 1.
    travel = parallel(
        Settling("temp_C", speed=80, threshold=2.5, per_fold=5, unit="min"),
        Settling("c0_M", speed=0.4, threshold=0.01, per_fold=2, unit="min"),
        Settling("tau_min", speed=1.5, threshold=0.05, per_fold=3, unit="min"),
    )
    idle, best = [2.0, 1.0, 0.1, 40.0], [0.5, 1.45748349, 0.5, 81.12241901]
    return Problem("snar", value, space, travel, 0.0, idle, 0.27473006380, "min", best)
