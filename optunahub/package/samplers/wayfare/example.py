"""A reactor whose temperature rises slowly and falls more slowly still."""

import optuna
import optunahub

import wayfare as wf


def objective(trial: optuna.Trial) -> float:
    """Return the yield."""
    temp = trial.suggest_float("temp", 40, 120)
    flow = trial.suggest_float("flow", 0.1, 2.0, log=True)
    return -((temp - 90) ** 2) / 400 - (flow - 0.6) ** 2


if __name__ == "__main__":
    module = optunahub.load_module("samplers/wayfare")
    sampler = module.WayfareSampler(travel=wf.Ramp("temp", up=5, down=2, unit="min"), trials=30)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=30)
    print(sampler.study(study).ledger())
