r"""
Lecture 4: logistic regression, the margin, and kernels
=======================================================

The fourth lecture goes from regression to probabilities: the sigmoid, cross-entropy and its descent. Then it asks for the
widest margin, takes the dual, replaces inner products by a kernel, and says how large problems are cut into small ones.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - :math:`h[\vec w](\vec x) = 1/(1 + e^{-\vec w\cdot\tilde x})`
     - ``losses.sigmoid(f)``; ``LogisticRegression().predict_proba(X)[:, 1]``
   * - odds, logit
     - ``losses.odds(h)``, ``losses.logit(h)``
   * - cross-entropy :math:`E(\vec w)`
     - ``losses.cross_entropy(c, h)``; ``PrimalProblem(X, c, loss="logistic", penalty=None)``
   * - :math:`\vec w \leftarrow \vec w - \varepsilon\nabla E(\vec w)`
     - ``GradientDescent(step=epsilon)``
   * - the batch perceptron
     - ``Perceptron(eta0=epsilon)``
   * - threshold :math:`\xi`
     - ``LogisticRegression(threshold=xi)``
   * - :math:`d[\vec w](\vec x)`, :math:`\rho[\vec w]`
     - ``solution.geometry.distance(X)``, ``margin_of(w, b, X, y)``
   * - :math:`\kappa = e^{-\|u - v\|^2 / 2\sigma^2}`, :math:`(1 + u\cdot v)^m`
     - ``RBF(sigma=sigma)``, ``Polynomial(degree=m, gamma=1.0, coef0=1.0)``
   * - start with a subset, keep its support vectors, add rows
     - ``Chunking(inner=…, size=…)``; a few :math:`\alpha` at a time: ``Decomposition(q=…)``, ``SMO()``

.. note::

   **Where the text errs.** It states the dual of :math:`\tfrac12\|w\|^2` beside :math:`\|w\|^2`: their optima differ by a
   factor of two, a gap that is none. Norms leave :math:`w_0` out, products do not. :math:`\varepsilon \le 1` is not enough
   for the descent to converge. "\ :math:`\alpha_k > 0` iff on the margin" holds in one direction only. Each is shown below
   by a number.
"""

# %%
# Sigmoid, odds, logit
# --------------------
#
# If the logarithm of the odds is a linear function of the features, the probability is the sigmoid of it. The gallery draws
# all three: :ref:`sphx_glr_gallery_sigmoid.py`.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons

from maxmargin import LogisticRegression, losses, solve
from maxmargin.feature_maps import Multinomial
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.plots import convergence, decision_boundary
from maxmargin.problems import HardMargin, PrimalProblem, SoftMargin
from maxmargin.solution import margin_of
from maxmargin.solvers import SMO, Chunking, Decomposition, GradientDescent

h = np.array([0.1, 0.5, 0.9])
print(f"odds {losses.odds(h).round(3)}, logit {losses.logit(h).round(3)}, and back {losses.sigmoid(losses.logit(h))}")

# %%
# Cross-entropy
# -------------
#
# .. math::
#
#    E(\vec w) = -\sum_k c_k\log h(\vec x_k) + (1 - c_k)\log(1 - h(\vec x_k)),\qquad \nabla E = \sum_k (h(\vec x_k) -
#    c_k)\,\tilde x_k
#
# is the sum of logistic losses with :math:`y = 2c - 1`, and minus the logarithm of the likelihood, whatever function
# :math:`h` is.
X, c = make_blobs(150, centers=[[-1.0, 0.0], [1.0, 0.5]], cluster_std=1.0, random_state=0)
problem = PrimalProblem(X, c, loss="logistic", penalty=None, C=1.0)
best = solve(problem, tol=1e-9)
h = losses.sigmoid(best.decision_function(X))
gradient = np.column_stack([X, np.ones(len(X))]).T @ (h - c)
print(f"cross-entropy {losses.cross_entropy(c, h):.9f}, the problem's objective {best.certificate.primal_objective:.9f}")
print(f"minus log likelihood {-np.log(np.where(c == 1, h, 1 - h)).sum():.9f}; gradient {np.abs(gradient).max():.1e}")

# %%
# Squared error with a sigmoid is not convex: between two weights it can be higher than on the line that joins them.
# Cross-entropy never is: :ref:`sphx_glr_gallery_squared_error.py`.
#
# Gradient descent
# ----------------
#
# The step is safe below :math:`2/L`, with :math:`L = \tfrac14\lambda_{\max}(\tilde X^{\mathsf T}\tilde X)`. Here that is
# far below 1, and :math:`\varepsilon = 1` diverges:
tilde = np.column_stack([X, np.ones(len(X))])
L = 0.25 * np.linalg.eigvalsh(tilde.T @ tilde)[-1]
print(f"2/L = {2 / L:.4f}")
for step in (0.1 / L, 1.0 / L, 1.0):
    with warnings.catch_warnings(action="ignore"):  # the library warns of the last one
        solution = solve(problem, solver=GradientDescent(step=step), tol=1e-6, max_iter=3000)
    print(f"step {step:.2g}: {solution.status.name} after {solution.steps} steps")

# %%
# On separable rows without a penalty there is no minimum: the loss falls for ever while :math:`\|w\|` grows. The solver
# says so.
apart = X[:, 0] + 0.25 * X[:, 1]
clear = np.abs(apart) > 0.4
separable = PrimalProblem(X[clear], apart[clear] > 0, loss="logistic", penalty=None, C=1.0)
with warnings.catch_warnings(action="ignore"):
    print(solve(separable).status.message)

# %%
# The margin
# ----------
#
# The rows nearest to a consistent hyperplane decide its margin. For any such hyperplane some row attains :math:`\min |d|`;
# the widest margin has them on both sides.
y = np.where(apart[clear] > 0, 1.0, -1.0)
hard = solve(HardMargin(X[clear], y, kernel=Linear()), tol=1e-9)
smooth = LogisticRegression(C=1.0).fit(X[clear], y)
for name, w, b in (("hard margin", hard.weights, hard.bias), ("logistic", smooth.coef_[0], smooth.intercept_[0])):
    d = (X[clear] @ w + b) / np.linalg.norm(w)
    nearest = np.flatnonzero(np.isclose(np.abs(d), np.abs(d).min()))
    print(f"{name:<12} margin {margin_of(w, b, X[clear], y):.4f}; nearest rows {nearest}")

# %%
# The dual belongs to :math:`\tfrac12\|w\|^2`. Beside :math:`\|w\|^2` it leaves half of the value open, at the optimum:
half = 0.5 * hard.weights @ hard.weights
print(f"1/2 |w|^2 = {half:.6f}, |w|^2 = {2 * half:.6f}, dual = {hard.alpha.sum() - 0.5 * hard.weights @ hard.weights:.6f}")

# %%
# A row on the margin need not have :math:`\alpha > 0`. Four corners of a square, two on each side, are all on the margin,
# but two of them carry the whole street; which two, the KKT report says, is not unique:
square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
corners = solve(HardMargin(square, [0, 0, 1, 1], kernel=Linear()))
print(f"alpha {corners.alpha.round(3)}, on the margin {np.isclose(np.abs(corners.decision_function(square)), 1.0)}")
print(f"w unique: {corners.kkt.w_unique}, alpha unique: {corners.kkt.alpha_unique}")

# %%
# Kernels
# -------
#
# In squared features an ellipse is a line (:ref:`sphx_glr_gallery_ellipse.py`). The polynomial kernel of power :math:`m` has
# :math:`\binom{n+m}{m}` features:
Z = np.random.default_rng(0).normal(size=(5, 3))
phi = Multinomial(degree=4).fit_transform(Z)
K = Polynomial(degree=4, gamma=1.0, coef0=1.0)(Z, Z)
print(f"{phi.shape[1]} features, difference {np.abs(phi @ phi.T - K).max():.1e}")

moons, moon = make_moons(200, noise=0.15, random_state=0)
soft = solve(SoftMargin(moons, moon, C=10.0, kernel=RBF(sigma=0.5)))
_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(soft, moons, moon, ax=ax)
plt.show()

# %%
# Large problems, cut into small ones
# -----------------------------------
#
# A naive QP solver takes time that grows with the cube of the number of rows. Start with some rows, keep their support
# vectors, add others: the dual objective never falls. All solvers end at the same optimum:
big, side = make_moons(600, noise=0.2, random_state=1)
problem = SoftMargin(big, side, C=1.0, kernel=RBF(sigma=0.7))
solutions = {type(s).__name__: solve(problem, solver=s, tol=1e-6) for s in (SMO(), Chunking(size=50), Decomposition(q=40))}
for name, found in solutions.items():
    print(f"{name:<14} {found.certificate.dual_objective:.6f} after {found.steps} steps, {len(found.support)} vectors")
convergence(solutions)
plt.show()

# %%
# .. dropdown:: Exercise: is the cube true?
#
#    Time ``solve(problem, solver=DualQP())`` for 200, 400 and 800 rows, and ``solve(problem)`` beside it.
#
#    **Answer.** Doubling the rows costs the QP solver about eight times the time, once the matrix is large enough for
#    its factorisation to dominate; decomposition about four times or less: it needs the rows of the kernel matrix that
#    belong to few variables.
