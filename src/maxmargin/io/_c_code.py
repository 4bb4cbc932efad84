"""A fitted model as one function in C99, without a library."""

from __future__ import annotations

import re
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators import ModelFormula, model_formula
from maxmargin.kernels import KernelFormula

__all__ = ["to_c"]

Floats = NDArray[np.float64]
_MOST_NUMBERS: Final = 2_000_000
_PER_LINE: Final = 6
_NAME: Final = re.compile(r"[A-Za-z_]\w{0,62}", re.ASCII)


def to_c(model: Any, name: str = "predict") -> str:
    """Write a fitted model as a self-contained function in C99.

    The text has the function ``name`` and, behind it, the numbers of the model. For a classifier it returns the place of the
    predicted label in ``name_classes``; for a regressor the predicted number; for a model of one class 1 or −1. ``name_values``
    writes the values of the binary classifiers or outputs. Compile it with ``-lm``.

    Parameters
    ----------
    model : estimator
        A fitted kernel model of vectors with up to two million numbers, a model on landmarks, or a linear model.
    name : str, default="predict"
        Name of the function.

    Returns
    -------
    str
        The source.

    Raises
    ------
    InvalidInput
        The model is too large, or its kernel is no formula of vectors.

    Examples
    --------
    >>> from maxmargin import LinearSVC, io
    >>> source = io.to_c(LinearSVC().fit([[0.0], [2.0]], ["no", "yes"]), "decide")
    >>> "int decide(const double x[1])" in source
    True
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidInput(f"The 'name' parameter of to_c must be a name in C. Got {name!r}. Use letters, digits and '_'.")
    formula = model_formula(getattr(model, "best_estimator_", model))
    size = formula.weights.size + (0 if formula.vectors is None else formula.vectors.size)
    if size > _MOST_NUMBERS:
        raise InvalidInput(
            f"to_c is for small models. This {type(model).__name__} has {size} numbers. Use fewer support vectors"
            " (maxmargin.inspection.reduce_support), or maxmargin.onnx."
        )
    head = [f"/* {type(model).__name__}: x has {formula.n_features} features. Compile with -lm. */", "#include <math.h>", ""]
    parts = (_labels, _tables, _values, _function)
    return "\n".join([*head, *(line for part in parts for line in part(name, formula))])


def _table(declaration: str, values: Floats) -> list[str]:
    flat = [repr(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist()]
    rows = ["  " + ", ".join(flat[at : at + _PER_LINE]) for at in range(0, len(flat), _PER_LINE)]
    return [f"{declaration} = {{", ",\n".join(rows), "};", ""]


def _labels(name: str, formula: ModelFormula) -> list[str]:
    classes = formula.classes
    if classes is None or formula.one_class:
        return []
    if classes.dtype.kind in "biuf":
        return _table(f"const double {name}_classes[{len(classes)}]", classes.astype(np.float64))
    quoted = ", ".join(_quoted(str(label)) for label in classes.tolist())
    return [f"const char *const {name}_classes[{len(classes)}] = {{{quoted}}};", ""]


def _quoted(text: str) -> str:
    """A string in C: three octal digits for each byte that is not plain."""
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode("utf-8"))
    return '"' + "".join(plain) + '"'


def _tables(name: str, formula: ModelFormula) -> list[str]:
    weights, offsets = formula.weights, formula.offsets
    lines = _table(f"static const double {name}_offsets[{len(offsets)}]", offsets)
    if formula.vectors is not None:
        n, d = formula.vectors.shape
        lines += _table(f"static const double {name}_vectors[{max(1, n * d)}]", formula.vectors if n else np.zeros(1))
    # Of many pairs a support vector has coefficients in few: those that are not 0 are listed, one value after the other.
    rows, columns = np.nonzero(weights)
    starts = np.searchsorted(rows, np.arange(len(weights) + 1))
    held = weights[rows, columns] if len(rows) else np.zeros(1)
    lines += _table(f"static const double {name}_weights[{len(held)}]", held)
    for kind, values in (("places", columns if len(columns) else np.zeros(1, dtype=int)), ("starts", starts)):
        text = ", ".join(map(str, values.tolist()))
        lines += [f"static const int {name}_{kind}[{len(values)}] = {{{text}}};", ""]
    return lines


def _values(name: str, formula: ModelFormula) -> list[str]:
    d, T = formula.n_features, len(formula.offsets)
    lines: list[str] = []
    body = [f"void {name}_values(const double x[{d}], double f[{T}]) {{"]
    terms = "x"
    if formula.kernel is not None and formula.vectors is not None:
        n, terms = len(formula.vectors), "k"
        kernel = _kernel(formula.kernel, list(range(d)), lines, f"{name}_kernel", count())
        loop = f"  for (int i = 0; i < {n}; ++i) k[i] = {kernel}(x, {name}_vectors + {d} * i);"
        body += [f"  double k[{max(1, n)}];", loop]
        own = f" - 0.5 * {kernel}(x, x)" if formula.half_diagonal else ""
    else:
        own = ""
    body += [
        f"  for (int t = 0; t < {T}; ++t) {{",
        "    double sum = 0.0;",
        f"    for (int j = {name}_starts[t]; j < {name}_starts[t + 1]; ++j)",
        f"      sum += {name}_weights[j] * {terms}[{name}_places[j]];",
        f"    f[t] = sum + {name}_offsets[t]{own};",
        "  }",
        "}",
        "",
    ]
    return [*lines, *body]


def _function(name: str, formula: ModelFormula) -> list[str]:
    d, T = formula.n_features, len(formula.offsets)
    begin = [f"  double f[{T}];", f"  {name}_values(x, f);"]
    if formula.vote == "value":
        if T > 1:
            return []
        return [f"double {name}(const double x[{d}]) {{", *begin, "  return f[0];", "}", ""]
    lines = [f"int {name}(const double x[{d}]) {{", *begin]
    if formula.vote == "sign":
        level = "0.0" if formula.level == 0.0 else repr(formula.level).replace("inf", "HUGE_VAL")
        return [*lines, f"  return f[0] >= {level} ? 1 : {-1 if formula.one_class else 0};", "}", ""]
    K = len(formula.classes) if formula.classes is not None else T
    scores = "f"
    if formula.vote == "pairs":
        scores = "score"
        lines += [f"  double score[{K}] = {{0.0}};"]
        lines += [f"  double sum[{K}] = {{0.0}};"] if formula.break_ties else []
        lines += ["  int t = 0;", f"  for (int i = 0; i < {K}; ++i)", f"    for (int j = i + 1; j < {K}; ++j, ++t) {{"]
        lines += [
            "      score[f[t] < 0.0 ? j : i] += 1.0;" if formula.break_ties else "      score[f[t] > 0.0 ? i : j] += 1.0;"
        ]
        lines += ["      sum[i] += f[t];", "      sum[j] -= f[t];"] if formula.break_ties else []
        lines += ["    }"]
        if formula.break_ties:
            lines += [f"  for (int i = 0; i < {K}; ++i) score[i] += sum[i] / (3.0 * (fabs(sum[i]) + 1.0));"]
    return [
        *lines,
        "  int best = 0;",
        f"  for (int i = 1; i < {K}; ++i)",
        f"    if ({scores}[i] > {scores}[best]) best = i;",
        "  return best;",
        "}",
        "",
    ]


def _kernel(formula: KernelFormula, columns: list[int], lines: list[str], name: str, numbers: Any) -> str:
    """Append the function of a kernel, after those of its parts, and give its name."""
    if formula.name == "columns":
        return _kernel(formula.parts[0], [columns[k] for k in formula.columns], lines, name, numbers)
    parts = [_kernel(part, columns, lines, name, numbers) for part in formula.parts]
    own = f"{name}{next(numbers)}"
    body = _operation(formula, parts) if parts else _formula(formula, columns)
    lines += [f"static double {own}(const double *u, const double *v) {{", *(f"  {line}" for line in body), "}", ""]
    return own


def _operation(formula: KernelFormula, parts: list[str]) -> list[str]:
    calls = [f"{part}(u, v)" for part in parts]
    if formula.name == "normalise":
        (part,) = parts
        return [
            f"const double a = {part}(u, u), b = {part}(v, v), size = sqrt(a) * sqrt(b);",
            f"return size > 0.0 ? {part}(u, v) / size : a + b > 0.0 ? 0.0 : 1.0;",
        ]
    return {
        "add": lambda: [f"return {' + '.join(calls)};"],
        "multiply": lambda: [f"return {' * '.join(calls)};"],
        "scale": lambda: [f"return {formula.gamma!r} * {calls[0]};"],
        "power": lambda: _power(calls[0], formula.degree),
    }[formula.name]()


def _power(base: str, exponent: int) -> list[str]:
    return [
        f"double base = {base}, power = 1.0;",
        f"for (long n = {exponent}; n > 0; n /= 2, base *= base)",
        "  if (n % 2) power *= base;",
        "return power;",
    ]


_SUMS: Final = {
    "inner": ("double s = 0.0;", "s += u[c] * v[c];"),
    "square": ("double s = 0.0;", "s += (u[c] - v[c]) * (u[c] - v[c]);"),
    "absolute": ("double s = 0.0;", "s += fabs(u[c] - v[c]);"),
    "chi": ("double s = 0.0;", "if (u[c] + v[c] > 0.0) s += (u[c] - v[c]) * (u[c] - v[c]) / (u[c] + v[c]);"),
    "least": ("double s = 0.0;", "s += u[c] < v[c] ? u[c] : v[c];"),
    "both": ("double s = 0.0, most = 0.0;", "s += u[c] < v[c] ? u[c] : v[c], most += u[c] < v[c] ? v[c] : u[c];"),
    "lengths": ("double s = 0.0, a = 0.0, b = 0.0;", "s += u[c] * v[c], a += u[c] * u[c], b += v[c] * v[c];"),
}
"""What is summed over the columns."""


def _formula(formula: KernelFormula, columns: list[int]) -> list[str]:
    gamma, coef0, degree = f"{float(formula.gamma)!r}", f"{float(formula.coef0)!r}", formula.degree
    matern = {0: "exp(-r)", 1: "(1.0 + r) * exp(-r)", 2: "(1.0 + r + r * r / 3.0) * exp(-r)"}
    kinds: dict[str, tuple[str, list[str]]] = {
        "linear": ("inner", ["return s;"]),
        "polynomial": ("inner", _power(f"{gamma} * s + {coef0}", degree)),
        "sigmoid": ("inner", [f"return tanh({gamma} * s + {coef0});"]),
        "quadratic": ("inner", ["return 1.0 + s * (1.0 + s);"]),
        "rbf": ("square", [f"return exp(-{gamma} * s);"]),
        "laplacian": ("absolute", [f"return exp(-{gamma} * s);"]),
        "chi_squared": ("chi", [f"return exp(-{gamma} * s);"]),
        "matern": ("square", [f"const double r = {gamma} * sqrt(s);", f"return {matern.get(degree, '')};"]),
        "rational_quadratic": ("square", [f"return pow(1.0 + {gamma} * s, -{coef0});"]),
        "intersection": ("least", ["return s;"]),
        "min_max": ("both", ["return most > 0.0 ? s / most : 1.0;"]),
        "cosine": (
            "lengths",
            ["const double size = sqrt(a) * sqrt(b);", "return size > 0.0 ? s / size : a + b > 0.0 ? 0.0 : 1.0;"],
        ),
        "tanimoto": ("lengths", ["return a + b - s > 0.0 ? s / (a + b - s) : 1.0;"]),
    }
    if formula.name not in kinds:
        raise InvalidInput(f"to_c does not know the kernel {formula.name!r}.")
    sums, end = kinds[formula.name]
    begin, step = _SUMS[sums]
    if columns == list(range(len(columns))):
        return [begin, f"for (int c = 0; c < {len(columns)}; ++c) {{", f"  {step}", "}", *end]
    listed = ", ".join(map(str, columns))
    loop = f"for (int k = 0; k < {len(columns)}; ++k) {{"
    return [f"static const int columns[] = {{{listed}}};", begin, loop, "  const int c = columns[k];", f"  {step}", "}", *end]
