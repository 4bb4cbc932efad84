"""Converters for skl2onnx."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from maxmargin import estimators
from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.estimators import ModelFormula, model_formula
from maxmargin.onnx._graph import Graph
from maxmargin.onnx._kernels import cross, own

__all__ = ["register"]

_MODELS: Final = [
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "SVDD",
    "KernelLogisticRegression",
    "Perceptron",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "LinearClassifier",
    "LinearOneClassSVM",
    "StochasticClassifier",
    "ApproximateSVC",
    "ApproximateSVR",
    "ApproximateOneClass",
]


def register() -> None:
    """Tell skl2onnx how to write maxmargin's estimators, alone or at the end of a Pipeline.

    After that ``skl2onnx.to_onnx(model, X[:1].astype(np.float32))`` works. Classifiers and models of one class have two
    outputs: "label", what `predict` gives, and "scores", what `decision_function` gives, with one column at least; labels are
    whole numbers or strings. Regressors have "variable". All kernels of vectors are written, and sums, products and powers of
    them. Inside, the graph computes in float64; "scores" have the type of the input.

    Raises
    ------
    MissingExtra
        skl2onnx is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import maxmargin
    >>> from maxmargin import onnx
    >>> onnx.register()
    >>> from skl2onnx import to_onnx
    >>> model = maxmargin.SVC().fit([[0.0], [2.0]], [-1, 1])
    >>> [output.name for output in to_onnx(model, np.zeros((1, 1), np.float32)).graph.output]
    ['label', 'scores']
    """
    try:
        skl2onnx = import_module("skl2onnx")
    except ImportError:
        raise MissingExtra('ONNX needs skl2onnx. Install it with: pip install "maxmargin[onnx]"') from None
    for name in _MODELS:
        skl2onnx.update_registered_converter(
            getattr(estimators, name), f"Maxmargin{name}", _shapes, _convert, overwrite=True, parser=_outputs
        )


def _outputs(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the outputs of a model."""
    find = import_module("skl2onnx._supported_operators").get_model_alias
    operator = scope.declare_local_operator(find(type(model)), model)
    operator.inputs = inputs
    types = import_module("skl2onnx.common.data_types")
    number = types.guess_tensor_type(inputs[0].type)
    if hasattr(model, "classes_") or hasattr(model, "offset_"):
        label = types.StringTensorType() if _labels(model).dtype.kind == "U" else types.Int64TensorType()
        operator.outputs.append(scope.declare_local_variable("label", label))
        operator.outputs.append(scope.declare_local_variable("scores", number))
    else:
        operator.outputs.append(scope.declare_local_variable("variable", number))
    return operator.outputs


def _labels(model: Any) -> Any:
    """Labels as ONNX has them: int64 or strings."""
    classes = np.asarray(getattr(model, "classes_", np.array([-1, 1])))
    if classes.dtype.kind in "iub":
        return classes.astype(np.int64)
    if classes.dtype.kind == "f":
        if not (classes == np.floor(classes)).all():
            raise InvalidInput(
                f"ONNX's labels are whole numbers or strings. Got {classes[:4].tolist()}. Code them before the fit."
            )
        return classes.astype(np.int64)
    return np.array([str(label) for label in classes.tolist()])


def _shapes(operator: Any) -> None:
    """Tell the shapes of the outputs."""
    rows = operator.inputs[0].get_first_dimension()
    formula = model_formula(operator.raw_operator)
    width = len(formula.offsets)
    if formula.vote == "pairs" and formula.by_class and formula.classes is not None:
        width = len(formula.classes)
    if len(operator.outputs) > 1:
        operator.outputs[0].type.shape = [rows]
    operator.outputs[-1].type.shape = [rows, width]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes of a model."""
    graph, formula = Graph(scope, container), model_formula(operator.raw_operator)
    rows = graph.as_double(operator.inputs[0].full_name)
    values = _values(graph, formula, rows)
    scores = _scores(graph, formula, values)
    number = import_module("skl2onnx.common.data_types").guess_proto_type(operator.outputs[-1].type)
    graph.node("Cast", scores, into=operator.outputs[-1].full_name, to=number)
    if len(operator.outputs) > 1:
        code = _code(graph, formula, values, scores)
        graph.node("Gather", graph.constant(_labels(operator.raw_operator)), code, into=operator.outputs[0].full_name, axis=0)


def _values(graph: Graph, formula: ModelFormula, rows: str) -> str:
    terms = rows
    if formula.kernel is not None and formula.vectors is not None:
        terms = cross(graph, formula.kernel, rows, formula.vectors)
    values = graph.node("Add", graph.node("MatMul", terms, graph.constant(formula.weights.T)), graph.constant(formula.offsets))
    if not formula.half_diagonal or formula.kernel is None:
        return values
    return graph.node("Sub", values, graph.times(own(graph, formula.kernel, rows), 0.5))


def _signs(formula: ModelFormula) -> Any:
    assert formula.classes is not None  # classes have pairs
    signs = np.zeros((len(formula.pairs), len(formula.classes)))
    for number, (first, second) in enumerate(formula.pairs):
        signs[number, first], signs[number, second] = 1.0, -1.0
    return signs


def _votes(graph: Graph, formula: ModelFormula, wins: str) -> str:
    """Votes of each class less a constant: half a vote for the winner of each pair, half a vote against the other."""
    halves = graph.node("Sub", graph.as_double(wins), graph.constant(0.5))
    return graph.node("MatMul", halves, graph.constant(_signs(formula)))


def _scores(graph: Graph, formula: ModelFormula, values: str) -> str:
    """What decision_function gives."""
    if formula.vote != "pairs" or not (formula.by_class or formula.break_ties):
        return values
    signs = _signs(formula)
    wins = graph.node("Not", graph.node("Less", values, graph.constant(0.0)))
    votes = graph.node("Add", _votes(graph, formula, wins), graph.constant(0.5 * (signs.shape[1] - 1)))
    sums = graph.node("MatMul", values, graph.constant(signs))
    below = graph.times(graph.node("Add", graph.node("Abs", sums), graph.constant(1.0)), 3.0)
    return graph.node("Add", votes, graph.node("Div", sums, below))


def _code(graph: Graph, formula: ModelFormula, values: str, scores: str) -> str:
    """The place of the predicted label."""
    if formula.vote == "sign":
        above = graph.node("Not", graph.node("Less", values, graph.constant(formula.level)))
        return graph.node("Squeeze", graph.node("Cast", above, to=7), graph.constant(np.array([1])))
    best = scores
    if formula.vote == "pairs" and not formula.break_ties:
        best = _votes(graph, formula, graph.node("Greater", values, graph.constant(0.0)))
    return graph.node("ArgMax", best, axis=1, keepdims=0)
