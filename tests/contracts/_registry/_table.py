"""What supports what: one cell for every solver and every problem of its family, + or the letter of the reason why not.

The tests compare it with what the solvers say: a change of either is a change of both.
"""

from __future__ import annotations

import re
from typing import Final

from ._problems import PROBLEMS
from ._solvers import SOLVERS

REASONS: Final = {
    "p": "its kernel matrix is not positive semidefinite, and a general QP solver",
    "e": "the dual rises without end",
    "k": "it needs kernels.Linear()",
    "m": "built for SoftMargin, HardMargin and EpsilonRegression only",
    "4": "Set q to 4 or more",
    "a": "losses add up over the rows",
    "N": "nothing solves its penalised form",
    "c": "it has no curvature of",
    "2": "the λ of an L2 penalty",
    "1": "L1 penalty",
    "B": "is 'ball'",
    "E": "is 'elasticnet'",
    "b": "it is for the penalty 'ball'",
    "0": "without a penalty",
    "f": "a free offset ties all multipliers together",
    "l": "penalty='l1'",
    "h": "it needs the hinge or",
    "s": "it needs a squared hinge, logistic, squared or squared ε-insensitive loss",
    "S": "it needs a smooth loss",
    "d": "it needs a loss with slopes to follow",
    "K": "has kinks that Newton's method does not see",
    "j": "its steps are for the joint loss",
}
"""Words of the reason that a solver gives."""

_DUAL: Final = """
                                          smo
                                          | smo without shrinking
                                          | | smo, tiny cache
                                          | | | dual_qp
                                          | | | | primal_qp
                                          | | | | | projected gradient
                                          | | | | | | chunking
                                          | | | | | | | chunking by QP
                                          | | | | | | | | decomposition
                                          | | | | | | | | | decomposition by SMO
                                          | | | | | | | | | | decomposition, two at a time
                                          | | | | | | | | | | | kernel subgradient
soft margin, linear                       + + + + + + + + + + + +
soft margin, rbf                          + + + + k + + + + + + +
soft margin, sigmoid                      + + + p k + + p p + + +
soft margin, no offset, linear            + + + + + + + + + + + +
soft margin, no offset, rbf               + + + + k + + + + + + +
soft margin, no offset, sigmoid           + + + p k + + p p + + +
soft margin, penalised offset, linear     + + + + + + + + + + + +
soft margin, penalised offset, rbf        + + + + k + + + + + + +
soft margin, penalised offset, sigmoid    + + + p k + + p p + + +
squared slack, linear                     + + + + + + + + + + + +
squared slack, rbf                        + + + + k + + + + + + +
squared slack, sigmoid                    + + + p k e + p p + + +
squared slack, no offset, linear          + + + + + + + + + + + +
squared slack, no offset, rbf             + + + + k + + + + + + +
squared slack, no offset, sigmoid         + + + p k e + p p + + +
squared slack, penalised offset, linear   + + + + + + + + + + + +
squared slack, penalised offset, rbf      + + + + k + + + + + + +
squared slack, penalised offset, sigmoid  + + + p k e + p p + + +
hard margin, linear                       + + + + + + + + + + 4 a
hard margin, rbf                          + + + + k + + + + + 4 a
hard margin, sigmoid                      + + + p k + + p p + 4 a
hard margin, no offset, linear            + + + + + + + + + + + a
hard margin, no offset, rbf               + + + + k + + + + + + a
hard margin, no offset, sigmoid           + + + p k + + p p + + a
nu-classification, linear                 + + + + m + + + + + 4 a
nu-classification, rbf                    + + + + m + + + + + 4 a
nu-classification, sigmoid                + + + p m + + p p + 4 a
epsilon-regression, linear                + + + + + + + + + + + +
epsilon-regression, rbf                   + + + + k + + + + + + +
epsilon-regression, sigmoid               + + + p k + + p p + + +
epsilon-regression, no offset, linear     + + + + + + + + + + + +
epsilon-regression, no offset, rbf        + + + + k + + + + + + +
epsilon-regression, no offset, sigmoid    + + + p k + + p p + + +
nu-regression, linear                     + + + + m + + + + + 4 a
nu-regression, rbf                        + + + + m + + + + + 4 a
nu-regression, sigmoid                    + + + p m + + p p + 4 a
one class, linear                         + + + + m + + + + + + a
one class, rbf                            + + + + m + + + + + + a
one class, sigmoid                        + + + p m + + p p + + a
data description, linear                  + + + + m + + + + + + a
data description, rbf                     + + + + m + + + + + + a
data description, sigmoid                 + + + p m + + p p + + a
"""

_JOINT: Final = """
                                        joint rows
                                        | joint rows, tiny cache
all classes at once, linear             + +
all classes at once, linear, no offset  + +
all classes at once, rbf                + +
all classes at once, rbf, no offset     + +
"""

_LINEAR: Final = """
                                                        newton
                                                        | coordinate descent
                                                        | | ball
                                                        | | | ball by coordinates
                                                        | | | | proximal newton
                                                        | | | | | linear program
                                                        | | | | | | gradient descent
                                                        | | | | | | | stochastic subgradient
hinge, l2, free offset                                  + f b b l l S +
hinge, l2, penalised/no offset                          + + b b l l S +
hinge, l1, any offset                                   1 1 b b s + 1 2
hinge, elasticnet, any offset                           E E b b s l E E
hinge, ball, free offset                                B B + N l l B B
hinge, ball, penalised/no offset                        B B + + l l B B
hinge, no penalty, any offset                           0 0 b b l l S 0
squared_hinge, l2, free offset                          + f b b l l + +
squared_hinge, l2, penalised/no offset                  + + b b l l + +
squared_hinge, l1, any offset                           1 1 b b + h 1 2
squared_hinge, elasticnet, any offset                   E E b b + l E E
squared_hinge, ball, free offset                        B B + N l l B B
squared_hinge, ball, penalised/no offset                B B + + l l B B
squared_hinge, no penalty, any offset                   + 0 b b l l + 0
logistic, l2, any offset                                + h b b l l + +
logistic, l1, any offset                                1 h b b + h 1 2
logistic, elasticnet, any offset                        E h b b + l E E
logistic, ball, any offset                              B h + N l l B B
logistic, no penalty, any offset                        + h b b l l + 0
exponential, l2, any offset                             + h b b l l + +
exponential, l1, any offset                             1 h b b s h 1 2
exponential, elasticnet, any offset                     E h b b s l E E
exponential, ball, any offset                           B h + N l l B B
exponential, no penalty, any offset                     + h b b l l + 0
squared, l2, free offset                                + f b b l l + +
squared, l2, penalised/no offset                        + + b b l l + +
squared, l1, any offset                                 1 1 b b + h 1 2
squared, elasticnet, any offset                         E E b b + l E E
squared, ball, free offset                              B B + N l l B B
squared, ball, penalised/no offset                      B B + + l l B B
squared, no penalty, any offset                         + 0 b b l l + 0
epsilon_insensitive, l2, free offset                    + f b b l l S +
epsilon_insensitive, l2, penalised/no offset            + + b b l l S +
epsilon_insensitive, l1, any offset                     1 1 b b s + 1 2
epsilon_insensitive, elasticnet, any offset             E E b b s l E E
epsilon_insensitive, ball, free offset                  B B + N l l B B
epsilon_insensitive, ball, penalised/no offset          B B + + l l B B
epsilon_insensitive, no penalty, any offset             0 0 b b l l S 0
squared_epsilon_insensitive, l2, free offset            + f b b l l + +
squared_epsilon_insensitive, l2, penalised/no offset    + + b b l l + +
squared_epsilon_insensitive, l1, any offset             1 1 b b + h 1 2
squared_epsilon_insensitive, elasticnet, any offset     E E b b + l E E
squared_epsilon_insensitive, ball, free offset          B B + N l l B B
squared_epsilon_insensitive, ball, penalised/no offset  B B + + l l B B
squared_epsilon_insensitive, no penalty, any offset     + 0 b b l l + 0
perceptron, l2, any offset                              c h b b l l S +
perceptron, l1, any offset                              c h b b s h 1 2
perceptron, elasticnet, any offset                      c h b b s l E E
perceptron, ball, any offset                            c h + N l l B B
perceptron, no penalty, any offset                      c h b b l l S 0
zero_one, l2, any offset                                c h b b l l S d
zero_one, l1, any offset                                c h b b s h 1 d
zero_one, elasticnet, any offset                        c h b b s l E d
zero_one, ball, any offset                              c h N N l l B d
zero_one, no penalty, any offset                        c h b b l l S d
"""

_CLASSES: Final = """
                                     classes newton
                                     | classes proximal newton
                                     | | classes descent
multinomial, l2, any offset          + l j
multinomial, l1, any offset          K + j
multinomial, elasticnet, any offset  K + j
joint, l2, any offset                + l +
multinomial, no penalty, any offset  + l j
"""

_LOGISTIC: Final = """
                                    kernel newton
                                    | kernel newton, tiny cache
kernel logistic, linear             + +
kernel logistic, linear, no offset  + +
kernel logistic, rbf                + +
kernel logistic, rbf, no offset     + +
"""

SUPPORTED: Final = "+"


def _problems(name: str) -> list[str]:
    """The problems of a row: "any offset" is every one that is posed, "penalised/no offset" is two of them."""
    if not name.endswith(" offset") or name in PROBLEMS:
        return [name]
    stem, _, offsets = name.removesuffix(" offset").rpartition(", ")
    several = ["free", "penalised", "no"] if offsets == "any" else offsets.split("/")
    named = [f"{stem}, {offset} offset" for offset in several]
    return [each for each in named if each in PROBLEMS] if offsets == "any" else named


def _read(text: str) -> dict[tuple[str, str], str]:
    lines = text.strip("\n").splitlines()
    count = next(i for i, line in enumerate(lines) if not line.startswith(" "))
    solvers = [line.lstrip(" |") for line in lines[:count]]
    cells = {}
    for line in lines[count:]:
        name, letters = re.split(r" {2,}", line)
        for problem in _problems(name):
            cells |= {(solver, problem): letter for solver, letter in zip(solvers, letters.split(" "), strict=True)}
    return cells


TABLE: Final = {pair: cell for text in (_DUAL, _JOINT, _LINEAR, _CLASSES, _LOGISTIC) for pair, cell in _read(text).items()}
"""The letter of every solver and problem, by their names."""

PAIRS: Final = [(SOLVERS[solver], PROBLEMS[problem]) for (solver, problem), cell in TABLE.items() if cell == SUPPORTED]
"""What the contract tests run over."""
