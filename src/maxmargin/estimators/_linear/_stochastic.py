"""Stochastic subgradient descent with scikit-learn's interface, including ``partial_fit``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any, Final, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import solve_batch, worst_warning
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.blocks import RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._batch_classes import known_classes
from maxmargin.estimators._linear._classifier import LinearScores, linear_rows
from maxmargin.estimators._linear._stochastic_blocks import fit_by_blocks
from maxmargin.estimators._shared._formulas import Formula, stochastic_formula
from maxmargin.estimators._shared._input import known_codes
from maxmargin.estimators._shared._parameters import (
    check_budget,
    check_class_weight,
    check_intercept,
    check_random_state,
)
from maxmargin.estimators._shared._reporting import report_for
from maxmargin.estimators._shared._schemes import scheme_of, subproblem_names
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._watching import both, watching
from maxmargin.kernels import as_features, feature_scale_warning, median_square
from maxmargin.losses import MarginLoss, as_loss
from maxmargin.problems import Centring, Offset, Penalty, PrimalProblem
from maxmargin.solution import Certificate, Status, solution_of
from maxmargin.solvers import RowOrder, StochasticSubgradient, SubgradientWalk, WalkOn
from maxmargin.validation import (
    check_integer,
    check_positive,
    class_weights,
    label_column,
    labelled_set,
    reject,
    weighted_rows,
)

__all__ = ["StochasticClassifier"]

_LEAST_SHARE: Final = 1e-6  # of the median square of rows: the smallest λ that is chosen for somebody
_SHARE_OF_A_STREAM: Final = 1e-5  # where the number of rows to come is not known
_ROW_SHARE: Final = 0.1  # chosen beside SGDClassifier on ten sets, with tol = 0.2


@final
class StochasticClassifier(LinearScores):
    """Linear classifier trained by stochastic subgradient descent, one row per step, with a bound on its gap.

    It takes steps towards the minimum of

        λ/2 ‖w‖² + mean of ℓ(y f(x)),   f(x) = ⟨w, x⟩ + b

    from ``θ = 0``: step t sets ``w = θ/(λt)``, draws a row uniformly, and adds ``−ℓ'(z) y x`` to θ; for the hinge this is
    ``y x`` if ``y f(x) < 1``, else nothing. The model is the mean of all w. After T steps its expected objective is
    ``O(log(T)/(λT))`` above the optimum: a step costs the same for any number of rows, but a precise answer takes many steps.
    By default the rows are shuffled instead (``draws``). `LinearClassifier` finds the exact optimum; ``partial_fit`` is for
    rows that arrive in batches.

    Parameters
    ----------
    loss : str or MarginLoss, default="hinge"
        The loss of a row: "hinge", "squared_hinge", "logistic", "exponential", "squared" or an object of
        :mod:`maxmargin.losses`.
    lam_half : float or "auto", default="auto"
        λ above, positive; ``C = 1/(λ n)`` (:func:`maxmargin.scales.C_from_lam_half`). "auto" suits text as well as tables: with
        ``R²``, the median of ``|x|²`` over the rows of the first call (and the constant feature of a penalised offset),
        it is ``R² max(10⁻⁶, 0.1/n)`` in `fit`, where n is the number of different rows, and ``10⁻⁵ R²`` in ``partial_fit``,
        where the number of rows to come is not known. For up to 100 000 rows this is ``C = 10/R²``.
        The walk then begins with a delay of ``R²/λ`` steps unless one is set: the first step changes the score of its row by
        about 1.
    draws : "auto", "independent" or "shuffled", default="auto"
        "independent": each step draws its row anew, and the model is the mean of all w: exactly the steps above. "shuffled":
        the steps go through the rows in random order, again and again, and w of step t has weight t in the mean: a
        quarter of the steps or less to the same gap. The model then depends on the weighted rows alone, not on their
        order or on whether a row is there twice or has weight 2. "auto" is "shuffled" if ``lam_half="auto"``, else
        "independent".
    tol : float, default=0.2
        Largest gap between the two objectives at which `fit` stops, relative to the primal one. Smaller gaps rarely predict
        better, and take proportionally more steps.
    fit_intercept : bool, default=True
        Whether f has an offset.
    penalise_intercept : bool, default=True
        Treat the offset as the weight of a constant feature, penalised like the others. A free offset takes the steps
        ``b ← b − η ℓ'(z) y`` with ``η = 1/(λt)``. Its first steps are very long and no penalty pulls it back to 0, so that it
        takes very many steps to settle.
    intercept_scaling : float or "auto", default="auto"
        Only with ``penalise_intercept``: the value of the constant feature. "auto" is 1 if ``lam_half`` is a number; else the
        square root of the median of ``|x|²``, so that the offset counts as much as a row, whatever the unit of the rows.
    delay : int, default=0
        Number of steps that count as taken before the first: ``w = θ/(λ (delay + t))``. A squared or exponential loss needs a
        delay of about ``|x|² ℓ''/λ``: otherwise the first steps are too long, and the iteration diverges.
    class_weight : dict, "balanced" or None, default=None
        Factor of a row's weight for each class; "balanced" gives every class the same total weight. It needs all rows, and
        so is for `fit` only.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws; None is 0, so that the same rows give the same model.
    max_iter : int, default=-1
        Largest number of steps for each binary classifier in `fit`; −1 for a million plus ten per row.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of each binary classifier; for three classes or more there is one for each class against the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factor for each class.
    lam_half_ : float
        λ.
    delay_ : int
        The delay that the walk began with.
    intercept_scaling_ : float
        The value of the constant feature.
    t_ : int
        Number of steps taken so far in all calls: the largest of any binary classifier.
    n_iter_ : int
        The same as ``t_``.
    certificate_ : Certificate
        Objectives on the rows of the last call, summed over the binary classifiers, with the worst relative gap.
    status_ : Status
        The worst status among the binary classifiers; after ``partial_fit`` ITERATION_LIMIT unless the gap on its rows is
        within ``tol``.
    fit_status_ : int
        0 if all binary classifiers converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro and Cotter, Pegasos, Mathematical Programming 127, 2011. Lacoste-Julien, Schmidt and Bach, A
    simpler approach to obtaining an O(1/t) convergence rate for the projected stochastic subgradient method, 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from maxmargin import StochasticClassifier
    >>> X, y = make_classification(1000, 5, flip_y=0.1, random_state=0)
    >>> model = StochasticClassifier(lam_half=0.1, random_state=0)
    >>> for start in range(0, 1000, 100):
    ...     model = model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1])
    >>> model.t_, model.score(X, y) > 0.85
    (1000, True)
    """

    def __init__(
        self,
        *,
        loss: str | MarginLoss = "hinge",
        lam_half: float | Literal["auto"] = "auto",
        draws: Literal["auto", "independent", "shuffled"] = "auto",
        tol: float = 0.2,
        fit_intercept: bool = True,
        penalise_intercept: bool = True,
        intercept_scaling: float | Literal["auto"] = "auto",
        delay: int = 0,
        class_weight: Any = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = -1,
        max_time: float | None = None,
    ) -> None:
        self.loss = loss
        self.lam_half = lam_half
        self.draws = draws
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.intercept_scaling = intercept_scaling
        self.delay = delay
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit from ``w = 0``: take steps until the gap is at most ``tol`` or a limit is reached.

        `RowBlocks` are gone through in their order, and the rows of each block are shuffled, anew in each epoch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or RowBlocks
            Training rows. float32 is kept, and so are CSR matrices with 32- or 64-bit indices.
        y : array-like of shape (n_samples,)
            Labels; `RowBlocks` may have them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, in proportion to which it is drawn; rows of weight 0 or less are left out.

        Returns
        -------
        self : StochasticClassifier
            The fitted model.
        """
        with WholeOrNothing(self):
            if isinstance(X, RowBlocks):
                fit_by_blocks(self, X, y, sample_weight)
                return self
            self._check()
            deadline, stages = Deadline(self.max_time), Stages()
            X = linear_rows(self, X, reset=True)
            data = labelled_set(X, label_column(y, X), sample_weight)
            walks, solutions, centring = [], [], Centring(data.X)
            feature_scale_warning(data.X, type(self).__name__, stacklevel=2, features=centring.features)
            self.class_weight_ = class_weights(self.class_weight, data.classes, data.codes, data.weight, type(self).__name__)
            weight = self.class_weight_[data.codes] * data.weight
            order = RowOrder.of(data.X, centring.features, data.codes, weight) if self._is_shuffled else None
            self._choose_rate(data.X, weight, len(weight) if order is None else order.steps)
            stages.end("validation")
            scheme = scheme_of(len(data.classes), one_vs_rest=True)
            names, seeds = subproblem_names(scheme, data.classes), self._seeds(scheme.n_subproblems)
            with (
                watching(self, X, y, sample_weight, solves=scheme.n_subproblems) as watch,
                report_for(self.verbose, type(self).__name__, scheme.n_subproblems, self.tol) as report,
            ):
                for name, seed, (_, labels) in zip(names, seeds, scheme.subproblems(data.codes).each(), strict=True):
                    problem = self._problem(data.X, labels, weight, centring)
                    follow = both(report.start([name]), watch, 1, self.tol)
                    walks.append(self._solver(seed).walk(problem, order))
                    (solution,) = solve_batch([problem], WalkOn(walks[-1]), self.tol, self.max_iter, deadline, callback=follow)
                    solutions.append(solution)
                    report.done([solution])
                stages.end("solve", deadline.certifying)
                self.classes_ = data.classes
                self._keep(walks, solutions)
                self._seconds = stages.seconds
            asked = watch is not None and watch.stopped
            silent = asked and all(each.status.is_optimal or each.status is Status.INTERRUPTED for each in solutions)
            if not silent and (said := worst_warning(solutions, lambda: names)) is not None:
                warnings.warn(said[0], said[1], stacklevel=2)
        return self

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Continue with these rows: take as many steps as there are rows, each with a row drawn from them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of this batch.
        y : array-like of shape (n_samples,)
            Their labels; not every class has to be among them.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Required in the first call; if given again, they must be the same.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: rows are drawn in proportion to it; rows of weight 0 or less are left out.

        Returns
        -------
        self : StochasticClassifier
            The model, the mean of all steps so far.
        """
        with WholeOrNothing(self):
            self._check()
            first = not hasattr(self, "classes_")
            if not first and not self._walks:
                raise InvalidInput("partial_fit cannot go on after fit(blocks.standardised()). Fit to blocks as they are.")
            X = linear_rows(self, X, reset=first)
            known = known_classes(classes, None if first else self.classes_)
            labels_of = label_column(y, X)
            rows = weighted_rows(X, sample_weight)
            codes = rows.of_kept(known_codes(labels_of, known))
            if self.class_weight is not None and not isinstance(self.class_weight, Mapping):
                raise InvalidInput(
                    "class_weight='balanced' needs all rows, and partial_fit sees one batch. Pass a dict of weights, for"
                    " example of sklearn.utils.compute_class_weight('balanced', classes=classes, y=y)."
                )
            if first:
                self.class_weight_ = class_weights(
                    self.class_weight, known, np.arange(len(known)), np.ones(len(known)), "partial_fit"
                )
            weight, features = self.class_weight_[codes] * rows.weight, as_features(rows.X)
            order = RowOrder.of(rows.X, features, codes, weight) if self._is_shuffled else None
            if first:
                self._choose_rate(rows.X, weight, None)
            scheme = scheme_of(len(known), one_vs_rest=True)
            walks: list[SubgradientWalk] = [] if first else [copy(walk) for walk in self._walks]
            solutions = []
            for k, (seed, (_, labels)) in enumerate(
                zip(self._seeds(scheme.n_subproblems), scheme.subproblems(codes).each(), strict=True)
            ):
                problem = self._problem(rows.X, labels, weight, features=features)
                solver = self._solver(seed)
                if (reason := solver.supports(problem)) is not None:
                    raise InvalidInput(f"StochasticSubgradient cannot solve this: {reason}")
                if first:
                    walks.append(solver.walk(problem, order))
                else:
                    walks[k].move_to(problem, order)
                iterate = WalkOn(walks[k]).through(problem, problem.n)
                solutions.append(solution_of(problem, iterate, self.tol))
            self.classes_ = known
            self.__dict__.pop("_seconds", None)  # they were those of a fit
            self._keep(walks, solutions)
        return self

    def _formula(self) -> Formula:
        loss, offset = as_loss(self.loss, "StochasticClassifier"), bool(self.fit_intercept)
        return stochastic_formula(loss, offset=offset, lam_half=self.lam_half_, steps=self.t_)

    def _check(self) -> None:
        owner = "StochasticClassifier"
        if not (isinstance(self.lam_half, str) and self.lam_half == "auto"):
            check_positive("lam_half", self.lam_half, owner)
        check_class_weight(self.class_weight, owner)
        check_integer("delay", self.delay, owner, 0)
        if self.draws not in ("auto", "independent", "shuffled"):
            raise reject("draws", self.draws, owner, "a str among {'auto', 'independent', 'shuffled'}")
        check_intercept(self, automatic_scale=True)
        check_budget(self, fewest=-1)
        check_random_state(self.random_state, owner)
        if not isinstance(loss := as_loss(self.loss, owner), MarginLoss):
            raise InvalidInput(f"The 'loss' parameter of {owner} must be a loss of the margin. Got {loss!r}, of a residual.")

    @property
    def _is_shuffled(self) -> bool:
        return self.draws == "shuffled" or (self.draws == "auto" and isinstance(self.lam_half, str))

    def _choose_rate(self, X: Any, weight: NDArray[np.float64], n: int | None) -> None:
        """λ, delay and constant feature, from the rows of the first call: ``n`` different ones, None if more may come."""
        self.delay_ = int(self.delay)
        automatic = isinstance(self.lam_half, str)
        square = median_square(X, weight) if automatic else 1.0
        square = square if 0.0 < square < math.inf else 1.0
        given = self.intercept_scaling
        self.intercept_scaling_ = float(given) if not isinstance(given, str) else math.sqrt(square)
        if not automatic:
            self.lam_half_ = float(self.lam_half)
            return
        share = _SHARE_OF_A_STREAM if n is None else max(_LEAST_SHARE, _ROW_SHARE / n)
        constant = self.intercept_scaling_**2 if self._offset is Offset.PENALISED else 0.0
        self.lam_half_ = share * (square + constant)
        self.delay_ = self.delay_ or math.ceil(1.0 / share)

    @property
    def _offset(self) -> Offset:
        if not self.fit_intercept:
            return Offset.NONE
        return Offset.PENALISED if self.penalise_intercept else Offset.FREE

    def _problem(
        self,
        X: Any,
        y: NDArray[np.float64],
        weight: NDArray[np.float64],
        centring: Centring | None = None,
        features: Any = None,
    ) -> PrimalProblem:
        """``C_i = w_i/(λ Σw)``: the mean of the loss."""
        lam = self.lam_half_ if isinstance(self.lam_half, str) else float(self.lam_half)
        cost = weight / (lam * float(weight.sum()))
        loss = as_loss(self.loss, "StochasticClassifier")
        scale = self.intercept_scaling_ if self._offset is Offset.PENALISED else 1.0
        return PrimalProblem.on(X, y, cost, loss, Penalty.L2, self._offset, scale, centring=centring, features=features)

    def _solver(self, seed: int) -> StochasticSubgradient:
        return StochasticSubgradient(seed=seed, delay=self.delay_, shuffled=self._is_shuffled)

    def _seeds(self, count: int) -> list[int]:
        """One seed for each binary classifier; the first is the given one."""
        given = self.random_state
        seed = int(given.randint(2**31)) if isinstance(given, np.random.RandomState) else int(given or 0)
        return [seed, *np.random.SeedSequence(seed).generate_state(count - 1).tolist()]

    def _keep(self, walks: list[SubgradientWalk], solutions: list[Any]) -> None:
        for walk in walks:
            walk.leave()
        self._walks = walks
        self.coef_ = np.stack([solution.weights for solution in solutions])
        self.intercept_ = np.array([solution.bias for solution in solutions])
        self.t_ = max(walk.steps for walk in walks)
        self.n_iter_ = max(1, self.t_)
        self.certificate_ = Certificate.combined(solution.certificate for solution in solutions)
        self.status_ = self.certificate_.status
        self.fit_status_ = int(not self.status_.is_optimal)
