"""LIBSVM's model files, as svm-train writes and svm-predict reads them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import SVC, SVR, KernelNumbers, NuSVC, NuSVR, OneClassSVM, fitted_kernel_model
from maxmargin.io._bytes import Source, name_of_source, read_bytes
from maxmargin.io._svmlight import read_svmlight_text
from maxmargin.kernels import formula_of

__all__ = ["read_libsvm", "write_libsvm"]

Floats = NDArray[np.float64]
_TYPES: Final[dict[str, Any]] = {
    "c_svc": SVC,
    "nu_svc": NuSVC,
    "one_class": OneClassSVM,
    "epsilon_svr": SVR,
    "nu_svr": NuSVR,
}
_KERNELS: Final = {"linear": "linear", "polynomial": "poly", "rbf": "rbf", "sigmoid": "sigmoid", "precomputed": "precomputed"}
_KEYS: Final = frozenset(
    ("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "probA", "probB", "nr_sv")
) | {"prob_density_marks"}
_MOST_CLASSES: Final = 10_000


def write_libsvm(model: Any, path: Source) -> None:
    """Write a model in LIBSVM's text format, which ``svm-predict`` and programs around LIBSVM read.

    Parameters
    ----------
    model : estimator
        A fitted SVC (classes in pairs), NuSVC, SVR, NuSVR or OneClassSVM with the kernel linear, poly, rbf, sigmoid or
        precomputed. Labels must be whole numbers, as LIBSVM's are. For two classes its sigmoid is written too.
    path : str, path or binary file
        Where to.

    Raises
    ------
    InvalidInput
        The format has no place for the model; the message says why.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin import SVC, io
    >>> model, file = SVC(kernel="linear").fit([[0.0], [2.0]], [-1, 1]), BytesIO()
    >>> io.write_libsvm(model, file)
    >>> print(file.getvalue().decode().split("label")[0], end="")
    svm_type c_svc
    kernel_type linear
    nr_class 2
    total_sv 2
    rho -1.0
    """
    text = "".join(line + "\n" for line in _lines(getattr(model, "best_estimator_", model))).encode("ascii")
    if hasattr(path, "write"):
        path.write(text)
        return
    with open(name_of_source(path, "LIBSVM model"), "wb") as file:
        file.write(text)


def _lines(model: Any) -> list[str]:
    owner = type(model).__name__
    kind = next((name for name, ours in _TYPES.items() if type(model) is ours), None)
    if kind is None:
        raise InvalidInput(f"LIBSVM's format has SVC, NuSVC, SVR, NuSVR and OneClassSVM. Got a {owner}. Use maxmargin.io.save.")
    check_is_fitted(model)
    if getattr(model, "_ovr", False):
        raise InvalidInput(
            f"LIBSVM separates classes in pairs. Got multi_class={model.multi_class!r}. Fit with multi_class='ovo'."
        )
    if len(model.intercept_) > 1 and not hasattr(model, "classes_"):
        raise InvalidInput(f"LIBSVM's {kind} has one output. Got {len(model.intercept_)}: fit one model for each.")
    dual = model._dual_coef_
    dual = np.asarray(dual.toarray() if sparse.issparse(dual) else dual)
    classes = getattr(model, "classes_", None)
    head = [f"svm_type {kind}", *_kernel_lines(model._kernel), f"nr_class {2 if classes is None else len(classes)}"]
    head += [f"total_sv {dual.shape[1]}", "rho " + " ".join(repr(-float(b)) for b in model._intercept_)]
    if classes is not None:
        head.append("label " + " ".join(map(str, _whole(classes))))
        if len(classes) == 2 and "_calibrator" in vars(model):
            head += [f"probA {float(model.probA_[0])!r}", f"probB {float(model.probB_[0])!r}"]
        head.append("nr_sv " + " ".join(map(str, model.n_support_.tolist())))
    if model._kernel.is_precomputed:
        rows = [[f"0:{number + 1}"] for number in model.support_.tolist()]
    else:
        rows = _entries(model.support_vectors_)
    body = [" ".join([*map(repr, column), *row]) for column, row in zip(dual.T.tolist(), rows, strict=True)]
    return [*head, "SV", *body]


def _kernel_lines(kernel: Any) -> list[str]:
    if kernel.is_precomputed:
        return ["kernel_type precomputed"]
    formula = formula_of(kernel)
    if formula.name not in _KERNELS:
        raise InvalidInput(
            f"LIBSVM's kernels are linear, polynomial, rbf and sigmoid. Got {formula.name!r}. Use maxmargin.io.save, or"
            " precompute the values."
        )
    found = [f"kernel_type {formula.name}"]
    found += [f"degree {formula.degree}"] if formula.name == "polynomial" else []
    found += [f"gamma {formula.gamma!r}"] if formula.name != "linear" else []
    return found + ([f"coef0 {float(formula.coef0)!r}"] if formula.name in ("polynomial", "sigmoid") else [])


def _whole(classes: NDArray[Any]) -> list[int]:
    """Labels as LIBSVM keeps them: C's ints."""
    numbers = classes.dtype.kind in "biuf" and bool((classes == np.floor(classes)).all())
    if not numbers or np.abs(classes.astype(np.float64)).max() >= 2**31:
        raise InvalidInput(
            f"LIBSVM's labels are whole numbers. Got {classes[:4].tolist()}. Code them before the fit: np.unique(y,"
            " return_inverse=True)."
        )
    return [int(label) for label in classes]


def _entries(vectors: Any) -> list[list[str]]:
    rows = sparse.csr_matrix(vectors, dtype=np.float64)
    found = []
    for start, stop in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        pairs = zip(rows.indices[start:stop].tolist(), rows.data[start:stop].tolist(), strict=True)
        found.append([f"{index + 1}:{value!r}" for index, value in pairs if value != 0.0])
    return found


def read_libsvm(path: Source, *, n_features: int | None = None, max_bytes: int | None = None) -> Any:
    """Read a model that LIBSVM's ``svm-train``, or `write_libsvm`, wrote.

    The model predicts, and can be saved, explained, reduced or written in another format. The file has neither C nor the
    certificate: `maxmargin.inspection.verify` computes one from the training rows, once the parameters are set. Three or more
    classes keep the order of the file in ``classes_``, since it decides which of them wins a tie.

    Parameters
    ----------
    path : str, path or binary file
        The model file, plain or compressed.
    n_features : int, default=None
        Number of features of rows to predict; None for the largest index of a support vector.
    max_bytes : int, default=None
        Largest number of decompressed bytes; None for 200 times the compressed ones, at least 64 MiB.

    Returns
    -------
    SVC, NuSVC, SVR, NuSVR or OneClassSVM
        The model; its rows are sparse.

    Raises
    ------
    InvalidInput
        The file is no such model, or is damaged; the message has the line.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin import SVC, io
    >>> model, file = SVC().fit([[0.0], [2.0]], [-1, 1]), BytesIO()
    >>> io.write_libsvm(model, file)
    >>> _ = file.seek(0)
    >>> io.read_libsvm(file).predict([[1.8]])
    array([1])
    """
    name = name_of_source(path, "LIBSVM model")
    data = read_bytes(path, "LIBSVM model", max_bytes)
    head, body, above = _split(data, name)
    kind, kernel = _one_of(head, "svm_type", _TYPES, name), _one_of(head, "kernel_type", _KERNELS, name)
    count = int(_numbers(head, "total_sv", 1, name)[0])
    classifies = kind in ("c_svc", "nu_svc")
    classes = int(_numbers(head, "nr_class", 1, name)[0]) if classifies else 2
    if not 2 <= classes <= _MOST_CLASSES:
        raise InvalidInput(f"{name} has nr_class {classes}. LIBSVM's classifiers have 2 or more.")
    dual, vectors = _support_vectors(body, classes - 1, above, name, n_features, kernel)
    if dual.shape[1] != count:
        raise InvalidInput(f"{name} is cut off or damaged: it says total_sv {count}, and has {dual.shape[1]} support vectors.")
    rho = _numbers(head, "rho", classes * (classes - 1) // 2, name)
    parameters: dict[str, Any] = {"kernel": kernel}
    for key, make in (("gamma", float), ("coef0", float), ("degree", int)):
        if key in head:
            parameters[key] = make(_numbers(head, key, 1, name)[0])
    support = np.arange(count, dtype=np.int32)
    if kernel == "precomputed":
        support, vectors = (vectors.toarray()[:, 0] - 1).astype(np.int32), None
        if len(support) and support.min() < 0:
            raise InvalidInput(f"{name} is damaged: a support vector of a precomputed kernel has no number 0:1, 0:2, …")
    rows = int(support.max(initial=-1)) + 1
    shape: dict[str, Any] = {"support": support, "n_rows": rows, "n_features": rows if vectors is None else vectors.shape[1]}
    if not classifies:
        n_support = np.full(2, count, dtype=np.int32)
        return fitted_kernel_model(
            _TYPES[kind](**parameters), KernelNumbers(vectors, n_support=n_support, dual=dual, intercept=-rho, **shape)
        )
    labels, sizes = (
        _numbers(head, "label", classes, name).astype(np.int64),
        _numbers(head, "nr_sv", classes, name).astype(np.int32),
    )
    if sizes.min() < 0 or sizes.sum() != count or len(np.unique(labels)) != classes:
        raise InvalidInput(f"{name} is damaged: nr_sv and label do not fit total_sv {count}.")
    turned = classes == 2 and labels[0] < labels[1]  # ours is positive for the larger of two labels, theirs for the first
    platt = None
    if classes == 2 and {"probA", "probB"} <= head.keys():
        slope, offset = float(_numbers(head, "probA", 1, name)[0]), float(_numbers(head, "probB", 1, name)[0])
        platt = (-slope, offset if turned else -offset)
        parameters["probability"] = True
    if classes == 2 and not turned:
        halves = np.arange(sizes[0]), np.arange(sizes[0], count)
        order = np.concatenate(halves[::-1])
        dual, labels, sizes = dual[:, order], labels[::-1], sizes[::-1]
        vectors, shape["support"] = (None, support[order]) if vectors is None else (vectors[order], support)
    sign = -1.0 if turned else 1.0
    intercept = -sign * rho
    model = _TYPES[kind](**parameters)
    dual = np.ascontiguousarray(sign * dual)
    return fitted_kernel_model(
        model,
        KernelNumbers(vectors, n_support=sizes.copy(), dual=dual, intercept=intercept, classes=labels, platt=platt, **shape),
    )


def _split(data: bytes, name: str) -> tuple[dict[str, list[str]], bytes, int]:
    """The lines before "SV" by their keys, what is after it, and how many lines that is below the top."""
    head: dict[str, list[str]] = {}
    begin, number = 0, 0
    while begin < len(data):
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        number += 1
        words = data[begin : min(end, begin + (1 << 20))].decode("ascii", "backslashreplace").split()
        begin = end + 1
        if words == ["SV"]:
            return head, data[begin:], number
        if words and words[0] not in _KEYS:
            raise InvalidInput(f"Line {number} of {name} begins with {words[0][:40]!r}, which no model of LIBSVM has.")
        if words:
            head[words[0]] = words[1:]
    raise InvalidInput(f"{name} is no model of LIBSVM, or is cut off: it has no line SV before its support vectors.")


def _one_of(head: dict[str, list[str]], key: str, known: Any, name: str) -> str:
    found = head.get(key, ["nothing"])
    if len(found) != 1 or found[0] not in known:
        raise InvalidInput(f"{name} has {key} {' '.join(found)[:40]!r}. Known are {', '.join(known)}.")
    return found[0] if key == "svm_type" else str(known[found[0]])


def _numbers(head: dict[str, list[str]], key: str, count: int, name: str) -> Floats:
    words = head.get(key, [])
    try:
        found = np.array([float(word) for word in words], dtype=np.float64)
    except ValueError:
        found = np.full(1, np.nan)
    if len(words) != count or not np.isfinite(found).all() or np.abs(found).max(initial=0.0) > 1e300:
        raise InvalidInput(f"{name} is damaged: {key} has {' '.join(words)[:40]!r} where {count} numbers are expected.")
    whole = key in ("total_sv", "nr_class", "nr_sv", "label", "degree")
    if whole and not ((found == np.floor(found)) & (np.abs(found) < 2**31)).all():
        raise InvalidInput(f"{name} is damaged: {key} has {' '.join(words)[:40]!r}, which are no whole numbers.")
    return found


def _support_vectors(
    body: bytes, coefficients: int, above: int, name: str, n_features: int | None, kernel: str
) -> tuple[Floats, Any]:
    """Coefficients and support vectors: each line is one of LIBSVM's rows, with coefficients for a label."""
    zero_based = kernel == "precomputed"
    if coefficients == 1:
        rows = read_svmlight_text(body, name, n_features, zero_based=zero_based, above=above)
        return np.asarray(rows.y).reshape(1, -1), rows.X
    duals: list[list[bytes]] = []
    rest: list[bytes] = []
    for number, line in enumerate(body.split(b"\n"), above + 1):
        words = line.split(None, coefficients)
        if not words:
            rest.append(b"")  # keeps the numbers of lines
            continue
        if len(words) < coefficients or any(b":" in word for word in words[:coefficients]):
            raise InvalidInput(f"Line {number} of {name} has less than {coefficients} coefficients.")
        duals.append(words[:coefficients])
        rest.append(b"0 " + (words[coefficients] if len(words) > coefficients else b""))
    rows = read_svmlight_text(b"\n".join(rest), name, n_features, zero_based=zero_based, above=above)
    try:
        dual = np.array(duals, dtype=np.float64).reshape(len(duals), coefficients).T
    except ValueError as error:
        raise InvalidInput(f"{name} is damaged: {error} among its coefficients.") from None
    return np.ascontiguousarray(dual), rows.X
