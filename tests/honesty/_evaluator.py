"""The verdict on a fit: what the model says of itself, held against what is true of it.

A verdict is first reached in 80-bit floats; one against the library is reached again in 120 decimal digits, and given only
then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from maxmargin.errors import InfeasibleError, InvalidInput

from ._comparison import HONEST, Finding, Truth, compared
from ._generator import Case
from ._kernel_models import Subproblem, kernel_machines
from ._landmark_models import of_landmarks
from ._linear_verdicts import of_linear_model
from ._logistic_models import logistic_machine
from ._numbers import DEEP, LONG, Digits, precise
from ._proofs import refuted_joint_margin, refuted_margin, refuted_tube
from ._rows import TrainingRows, gamma_of

__all__ = ["Finding", "Verdict", "evaluate", "judge", "of_machine"]

KERNEL_MODELS = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "SVDD", "KernelLogisticRegression")
OPTIMAL = ("CONVERGED", "ZERO_OPTIMUM")


@dataclass(frozen=True)
class Verdict:
    """How a fit ended, what is wrong with it, and whether the judge could not tell."""

    status: str
    findings: list[Finding] = field(default_factory=list)
    undecided: bool = False


def evaluate(case: Case, fitted: Callable[[], object] = lambda: None, judged: bool = True) -> Verdict:
    """Fit a case, tell when that is done, and judge it, if it shall be."""
    try:
        model = case.fit()
        fitted()
    except InfeasibleError:
        return Verdict("INFEASIBLE", _of_refusal(case) if judged else [])
    except InvalidInput:
        return Verdict("refused")
    except Exception as error:
        return Verdict("crash", [Finding("crash", f"{type(error).__name__}: {error}")])
    return judge(case, model) if judged else Verdict(model.status_.name)


def judge(case: Case, model: Any) -> Verdict:
    """The verdict on a fitted model."""
    status = model.status_.name
    if found := _of_numbers(case, model):
        return Verdict(status, found)
    if case.estimator == "Perceptron":
        return Verdict(status, _of_perceptron(case, model))
    if case.estimator in KERNEL_MODELS:
        return Verdict(status, _confirmed(_of_kernel_model, case, model))
    if case.estimator.startswith("Approximate") and (found := of_landmarks(case, model)):
        return Verdict(status, found)
    return Verdict(status, *of_linear_model(case, model))


def _confirmed(look: Callable[[Case, Any, Digits], list[Finding]], case: Case, model: Any) -> list[Finding]:
    """What is found in few digits and in many, once of each kind."""
    with np.errstate(all="ignore"):
        found = {finding.kind for finding in look(case, model, LONG)}
    if not found:
        return []
    with precise():
        deep = {finding.kind: finding for finding in look(case, model, DEEP)}
    return [finding for kind, finding in deep.items() if kind in found]


def _of_numbers(case: Case, model: Any) -> list[Finding]:
    """No output is NaN or infinite; a certificate is infinite only where the model is not optimal."""
    found = []
    if not (case.estimator == "SVDD" and case.params["kernel"] == "precomputed"):
        try:
            scores = model.predict(case.given) if is_regressor(model) else model.decision_function(case.given)
        except Exception as error:
            return [Finding("crash", f"scores of the training rows: {type(error).__name__}: {error}")]
        if not np.isfinite(scores).all():
            found.append(Finding("not finite", "scores of the training rows"))
    if not np.isfinite(model.intercept_).all():
        found.append(Finding("not finite", "intercept_"))
    certificate = getattr(model, "certificate_", None)
    for name in ("primal_objective", "dual_objective", "kkt_violation") if certificate is not None else ():
        value = float(getattr(certificate, name))
        if math.isnan(value) or (math.isinf(value) and model.status_.is_optimal):
            found.append(Finding("not finite", f"certificate_.{name} = {value}"))
    return found


def _of_kernel_model(case: Case, model: Any, digits: Digits) -> list[Finding]:
    found: list[Finding] = []
    logistic = case.estimator == "KernelLogisticRegression"
    machines = [logistic_machine(case, model, digits)] if logistic else kernel_machines(case, model, digits)
    gamma, defined = getattr(machines[0].record.kernel, "gamma", None), gamma_of(case)
    # a variance that is no float64 is taken for 0, and γ for 1
    if gamma is not None and defined is not None and defined < 1e300 and abs(gamma - defined) > 1e-6 * defined:
        found.append(Finding("another gamma", f"{gamma:.9g}, by definition {float(defined):.9g}"))
    joint = logistic or (case.params.get("multi_class") == "joint" and len(model.classes_) > 2)
    for k, machine in enumerate(machines):
        found += [replace(finding, detail=f"machine {k}: {finding.detail}") for finding in of_machine(case, machine, joint)]
    return found


def of_machine(case: Case, machine: Subproblem, joint: bool) -> list[Finding]:
    """What is false of the status and the certificate of one machine."""
    promised = case.params["tol"] if joint else max(case.params["tol"], 1e-3)
    certificate, status = machine.record.certificate, machine.record.status.name
    if status == "INDEFINITE" or math.isnan(certificate.gap):
        return _of_indefinite(case, machine)
    if _indefinite(case, machine):  # nothing is bounded by anything
        lie = Finding("CONVERGED on an indefinite kernel", f"certified gap {certificate.gap:.3g}")
        return [lie] if status in OPTIMAL else []
    if not math.isfinite(float(machine.primal)):
        return [Finding(f"{status} beyond", "a constraint without slack is violated")] if status in OPTIMAL else []
    sizes = machine.square, machine.rest
    found = compared(status, certificate, Truth(machine.primal, machine.dual, machine.exact, promised, *sizes))
    if status == "CONVERGED" and not joint and certificate.kkt_violation > case.params["tol"] * HONEST:
        found.append(Finding("CONVERGED beyond tol", f"KKT violation {certificate.kkt_violation:.3g}"))
    if case.estimator != "NuSVC" or certificate.primal_objective < float(machine.primal):
        return found
    # the length and the margin of this model are chosen here as well as can be: its own objective may be larger
    return [finding for finding in found if not finding.kind.startswith("certificate of another")]


def _of_indefinite(case: Case, machine: Subproblem) -> list[Finding]:
    """A claim that duality says nothing is false of a kernel, or of values, without an eigenvalue clearly below 0."""
    if TrainingRows(case, LONG).is_semidefinite():
        return [Finding("false INDEFINITE", "the kernel is positive semidefinite by its formula")]
    matrix = _scaled_values(case, machine)
    if matrix is None:
        return []
    lengths = np.sqrt(np.abs(matrix.diagonal()))
    lengths[lengths == 0.0] = 1.0
    lowest = min(float(np.linalg.eigvalsh(each)[0]) for each in (matrix, matrix / np.outer(lengths, lengths)))
    least = 1e-7 if case.container == "float32" else 1e-9
    false = Finding("false INDEFINITE", f"the lowest eigenvalue is {lowest:.3g} of the largest value")
    return [false] if lowest > -least else []


def _scaled_values(case: Case, machine: Subproblem) -> np.ndarray | None:
    """Kernel values of the machine's rows as parts of the largest; None if that is no number, or the rows are many."""
    gamma = getattr(machine.record.kernel, "gamma", None)  # which `_of_kernel_model` compares with its definition
    data = TrainingRows(case, LONG, None if gamma is None else float(gamma))
    if len(machine.rows) > 256:
        return None
    matrix = data.block(machine.rows)
    size = np.abs(matrix).max()
    return np.asarray(matrix / size, dtype=np.float64) if size > 0.0 and np.isfinite(size) else None


def _indefinite(case: Case, machine: Subproblem) -> bool:
    """Whether the kernel values of the machine's rows are indefinite where coefficients sum to 0."""
    matrix = None if TrainingRows(case, LONG).is_semidefinite() else _scaled_values(case, machine)
    if matrix is None:
        return False
    if case.params.get("fit_intercept", True):
        matrix = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, np.newaxis] + matrix.mean()
    return bool(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0] < (-1e-5 if case.container == "float32" else -1e-6))


def _sides(case: Case) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of positive weight, their classes as numbers, and how many classes there are."""
    rows = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
    assert case.y is not None
    classes, codes = np.unique(case.y[rows], return_inverse=True)
    return rows, codes, len(classes)


def _against_the_rest(codes: np.ndarray, classes: int) -> list[np.ndarray]:
    return [np.where(codes == k, 1.0, -1.0) for k in ([1] if classes == 2 else range(classes))]


def _of_refusal(case: Case) -> list[Finding]:
    """INFEASIBLE is false if every machine can be had without slack."""
    if case.estimator == "SVR":
        rows = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
        return [Finding("false proof", "there is a tube")] if refuted_tube(case, rows) else []
    rows, codes, classes = _sides(case)
    scheme = case.params["multi_class"]
    offset = bool(case.params.get("fit_intercept", True))
    if classes > 2 and scheme == "joint":
        false = offset and refuted_joint_margin(case, rows, codes)
    elif classes > 2 and scheme == "ovo":
        pairs = [(codes == i) | (codes == j) for i, j in combinations(range(classes), 2)]
        sides = [np.where(codes[two] == codes[two].min(), 1.0, -1.0) for two in pairs]
        false = all(refuted_margin(case, rows[two], sign, offset) for two, sign in zip(pairs, sides, strict=True))
    else:
        false = all(refuted_margin(case, rows, sign, offset) for sign in _against_the_rest(codes, classes))
    return [Finding("false proof", "hyperplanes separate all machines")] if false else []


def _of_perceptron(case: Case, model: Any) -> list[Finding]:
    """CONVERGED has no row wrong, INSEPARABLE at least one machine without a separating hyperplane."""
    rows, codes, classes = _sides(case)
    signs = _against_the_rest(codes, classes)
    offset = bool(case.params["fit_intercept"])
    if model.status_.name == "INSEPARABLE" and all(refuted_margin(case, rows, sign, offset) for sign in signs):
        return [Finding("false proof", "hyperplanes separate all machines")]
    if model.status_.name == "CONVERGED":
        values = np.asarray(model.decision_function(case.given))[rows].reshape(len(rows), -1)
        if any(((f >= 0.0) != (sign > 0.0)).any() for f, sign in zip(values.T, signs, strict=True)):
            return [Finding("CONVERGED beyond", "the perceptron has wrong rows")]
    return []
