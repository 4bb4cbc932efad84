"""One linear problem by four solvers: objective against time, and against passes over the rows.

Squared hinge on 2 000 rows, which all of them can solve: stochastic subgradient steps, of one row each; gradient descent, with
all rows in every step; coordinate descent on the dual, and Newton's method, both in C++. Counted in passes the stochastic steps
are ahead until the rows have been seen once, and then take a hundred times as many for every two digits. Newton's rounds are
few, and end at rounding. The certificate of the stochastic steps is looser than they are: their multipliers come to the optimum
more slowly.

    python examples/descent.py [folder]
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.problems import PrimalProblem
from maxmargin.solvers import CoordinateDescent, GradientDescent, LinearNewton, StochasticSubgradient

SOLVERS = {
    "stochastic subgradient": (StochasticSubgradient(seed=0, delay=2000), "#D55E00"),
    "gradient descent": (GradientDescent(), "#E69F00"),
    "coordinate descent": (CoordinateDescent(), "#0072B2"),
    "Newton": (LinearNewton(), "#009E73"),
}


def main(folder):
    """Solve, print and draw."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20)) * np.logspace(0, -1, 20)
    y = X @ rng.normal(size=20) + 0.5 * rng.normal(size=2000) > 0
    problem = PrimalProblem(X, y, loss="squared_hinge", C=0.1, offset="penalised")
    found = {}
    for name, (solver, _) in SOLVERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a million single steps are not enough for eight digits
            found[name] = solve(problem, solver=solver, tol=1e-10, max_time=2.0)
    best = max(solution.certificate.dual_objective for solution in found.values())
    print(f"{'solver':<24}{'status':<18}{'steps':>8}{'seconds':>10}{'objective':>16}{'relative gap':>14}")
    figure = Figure(figsize=(13, 5.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for name, solution in found.items():
        proof, trace = solution.certificate, solution.trace
        print(
            f"{name:<24}{solution.status.name:<18}{solution.steps:>8}{trace.seconds[-1]:>10.4f}"
            f"{proof.primal_objective:>16.8f}{proof.relative_gap:>14.1e}"
        )
        distance = np.maximum(solution.objectives / best - 1.0, 1e-13)
        passes = np.maximum(trace.steps, 0.5) / (2000 if "stochastic" in name else 1)
        for ax, along in ((axes[0], np.maximum(trace.seconds, 1e-5)), (axes[1], passes)):
            ax.loglog(along, distance, "o-", ms=3, lw=1.6, color=SOLVERS[name][1], label=name)
    axes[0].set(xlabel="seconds", ylabel="objective above the optimum, relative", ylim=(5e-14, 1e2))
    axes[1].set(xlabel="passes over the rows")
    axes[1].legend(frameon=False)
    for ax in axes:
        ax.grid(True, color="#dddddd", lw=0.6)
    figure.savefig(Path(folder) / "descent.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
