"""One problem, all solvers: two moons, how each comes to the optimum, and the one boundary that all of them find.

Run: python examples/solvers.py [folder]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from maxmargin import plots, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.solvers import SMO, Chunking, Decomposition, DualQP, ProjectedGradient

SOLVERS = {
    "SMO": SMO(),
    "dual QP": DualQP(),
    "projected gradient": ProjectedGradient(),
    "the same, accelerated": ProjectedGradient(accelerated=True),
    "chunking": Chunking(DualQP(), size=20),
    "decomposition, q = 10": Decomposition(q=10),
}


def main(folder: str) -> None:
    """Solve, print and draw into a folder."""
    X, y = make_moons(200, noise=0.2, random_state=0)
    problem = SoftMargin(X, y, C=10.0, kernel=RBF(gamma=1.0))
    solutions = {}
    for name, solver in SOLVERS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # plain gradient steps are slow: the table says so
            solutions[name] = solve(problem, solver=solver, tol=1e-6, max_time=5.0)
    print(f"{'solver':<24}{'status':<18}{'steps':>8}{'seconds':>10}{'max-min':>14}{'min-max':>14}{'violation':>12}")
    for name, solution in solutions.items():
        proof, trace = solution.certificate, solution.trace
        print(
            f"{name:<24}{solution.status.name:<18}{solution.steps:>8}{trace.seconds[-1]:>10.4f}"
            f"{proof.dual_objective:>14.7f}{proof.primal_objective:>14.7f}{proof.kkt_violation:>12.1e}"
        )
    figure = Figure(figsize=(13.0, 11.0), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[1.2, 1.0])
    plots.convergence(list(solutions.values()), list(solutions), axes=above.subplots(2, 2))
    below.suptitle("the same boundary from each")
    for ax, (name, solution) in zip(below.subplots(2, 3).ravel(), solutions.items(), strict=True):
        plots.decision_boundary(solution, X, y, ax=ax, legend=None)
        ax.set_title(f"{name}: {len(solution.support)} support vectors", fontsize="medium")
        ax.set_xlabel("")
        ax.set_ylabel("")
    figure.savefig(Path(folder) / "solvers.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
