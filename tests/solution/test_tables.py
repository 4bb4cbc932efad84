"""Statuses, solutions, conditions and geometry as text and as the HTML of a notebook."""

from __future__ import annotations

import math
from html.parser import HTMLParser

import pytest

from maxmargin import solve
from maxmargin.errors import InfeasibleError
from maxmargin.kernels import Linear
from maxmargin.problems import CrammerSinger, EpsilonRegression, HardMargin, MulticlassLinear, PrimalProblem, SoftMargin
from maxmargin.solution import Status

X = [[0.0], [1.0], [3.0], [4.0]]
SOLUTIONS = {
    "SoftMargin": solve(SoftMargin(X, [0, 0, 1, 1], C=10.0, kernel=Linear())),
    "EpsilonRegression": solve(EpsilonRegression(X, [0.0, 1.0, 3.0, 4.0], C=1.0, epsilon=0.1, kernel=Linear())),
    "PrimalProblem": solve(PrimalProblem(X, [0, 0, 1, 1], loss="squared_hinge")),
    "logistic": solve(PrimalProblem(X, [0, 0, 1, 1], loss="logistic")),
    "MulticlassLinear": solve(MulticlassLinear(X, [0, 1, 2, 2], loss="joint")),
    "multinomial": solve(MulticlassLinear(X, [0, 1, 2, 2], loss="multinomial")),
    "CrammerSinger": solve(CrammerSinger(X, [0, 1, 2, 2], C=10.0, kernel=Linear())),
}


class _Table(HTMLParser):
    """The cells of a table; every tag that is opened is closed, and there is no script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("table", "caption", "tr", "th", "td")
        assert all("color" not in (value or "") and "background" not in (value or "") for _, value in attrs)
        self._open.append(tag)
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1] in ("th", "td"):
            self.cells[-1] += data


def _rows(text: str) -> dict[str, str]:
    cells = _Table(text).cells
    return dict(zip(cells[::2], cells[1::2], strict=True))


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_is_shown_with_its_proof(name: str) -> None:
    solution = SOLUTIONS[name]
    rows = _rows(solution._repr_html_())
    assert rows["status"] == f"CONVERGED: {Status.CONVERGED.message}"
    assert float(rows["primal objective"]) == pytest.approx(solution.certificate.primal_objective)
    assert rows["solver"] == f"{solution.solver}, {solution.steps} steps"
    has_margin = name in ("SoftMargin", "PrimalProblem", "MulticlassLinear", "CrammerSinger")
    assert ("margin" in rows) is has_margin
    if has_margin:
        assert float(rows["margin"]) == pytest.approx(solution.margin, rel=1e-5)


def test_a_solution_counts_its_support_vectors() -> None:
    assert _rows(SOLUTIONS["SoftMargin"]._repr_html_())["support vectors"] == "2 of 4 rows"


def test_what_has_no_answer_has_no_margin() -> None:
    with pytest.raises(InfeasibleError) as raised:
        solve(HardMargin([[0.0], [0.0]], [0, 1], kernel=Linear()))
    rows = _rows(raised.value.solution._repr_html_())
    assert rows["status"].startswith("INFEASIBLE")
    assert "margin" not in rows


@pytest.mark.parametrize("status", Status)
def test_a_status_says_what_happened_and_what_to_do(status: Status) -> None:
    assert status.message in repr(status)
    assert status.advice in repr(status)
    assert repr(status).startswith(f"<Status.{status.name}: ")
    rows = _rows(status._repr_html_())
    assert rows.get("advice", "") == status.advice
    assert rows["what happened"] == status.message


def test_conditions_are_shown() -> None:
    solution = SOLUTIONS["SoftMargin"]
    assert _rows(solution.kkt._repr_html_()) == dict(solution.kkt.rows())
    assert _rows(solution.certificate._repr_html_()) == dict(solution.certificate.rows())


def test_geometry_is_shown() -> None:
    geometry = SOLUTIONS["SoftMargin"].geometry
    rows = _rows(geometry._repr_html_())
    assert math.isclose(float(rows["width of the street"]), 2.0, rel_tol=1e-5)
    assert rows["canonical"] == "yes"
    assert str(geometry).splitlines()[1] == f"width of the street {geometry.width:.6g}"
