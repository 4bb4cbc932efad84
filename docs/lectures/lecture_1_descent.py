r"""
Lecture 1: the soft margin, one row at a time
=============================================

The first lecture states the soft margin as regularised loss, minimises it by stochastic gradient descent, and arrives through
the dual at the kernel trick. Each formula stands beside the call that computes it.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - :math:`\lambda \|w\|^2 + \frac{1}{m}\sum_i \ell_i`
     - ``C = C_from_lam(lam, n=m)``, which is :math:`1/(2\lambda m)`
   * - :math:`\frac{\lambda}{2} \|w\|^2 + \frac{1}{m}\sum_i \ell_i` (stochastic gradient descent)
     - ``C = C_from_lam_half(lam, n=m)``, which is :math:`1/(\lambda m)`
   * - :math:`w`, :math:`b`
     - ``solution.weights``, ``solution.bias``; of an estimator ``coef_``, ``intercept_``
   * - :math:`T`, :math:`w^{(T)}`, :math:`\bar w`
     - ``walk = StochasticSubgradient(seed=0).walk(problem)``, ``walk.advance(T)``; then ``walk.last``, ``walk.mean``
   * - :math:`\alpha`
     - ``solution.alpha``
   * - the same steps with a kernel
     - ``solve(SoftMargin(X, y, C=C, kernel=…, offset=False), solver=KernelSubgradient(seed=0))``
   * - hard margin without :math:`b`
     - ``HardMargin(X, y, kernel=Linear(), offset=False)``
   * - :math:`\psi(x)`, :math:`K_\psi(x, x')`
     - ``SecondOrder().fit_transform(X)``, ``Quadratic()``

.. note::

   **Where the text errs.** Two slides write the same :math:`\lambda`, one in front of :math:`\|w\|^2`, the other in front of
   :math:`\frac12 \|w\|^2`. These are two problems: for one :math:`\lambda` their :math:`C` differ by a factor of two. The
   second
   block below solves both, and prints how far their hyperplanes are apart.
"""

# %%
# The soft margin as regularised loss
# -----------------------------------
#
# .. math::
#
#    \min_{w, b}\ \lambda \|w\|^2 + \frac1m \sum_{i=1}^m \max\{0,\ 1 - y_i(\langle w, x_i\rangle + b)\}
#
# ``PrimalProblem`` is the same in the scale of this library, :math:`\frac12\|w\|^2 + C \sum_i \ell_i`. Its minimum, times
# :math:`2\lambda`, is the minimum of the lecture's objective.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_circles

from maxmargin import SVC, solve
from maxmargin.errors import InfeasibleError
from maxmargin.feature_maps import SecondOrder
from maxmargin.kernels import Linear, Quadratic
from maxmargin.plots import decision_boundary
from maxmargin.problems import HardMargin, PrimalProblem, SoftMargin
from maxmargin.scales import C_from_lam, C_from_lam_half
from maxmargin.solvers import KernelSubgradient, StochasticSubgradient

X, labels = make_blobs(200, centers=[[-1.0, -1.0], [1.0, 1.0]], cluster_std=0.9, random_state=0)
y = np.where(labels == 1, 1.0, -1.0)
m, lam = len(X), 0.01

solution = solve(PrimalProblem(X, y, loss="hinge", C=C_from_lam(lam, n=m)), tol=1e-9)
w, b = solution.weights, solution.bias
by_hand = lam * w @ w + np.mean(np.maximum(0.0, 1.0 - y * (X @ w + b)))
print(f"w = {w.round(4)}, b = {b:.4f}")
print(f"the lecture's objective, by hand: {by_hand:.9f}")
print(f"the certificate's, times 2 lam:   {2 * lam * solution.certificate.primal_objective:.9f}")

# %%
# One :math:`\lambda`, two scales, and two optima:
for name, C in (("lam |w|^2", C_from_lam(lam, n=m)), ("lam/2 |w|^2", C_from_lam_half(lam, n=m))):
    found = solve(PrimalProblem(X, y, loss="hinge", C=C), tol=1e-9)
    print(f"{name:<12} C = {C:g}, |w| = {np.linalg.norm(found.weights):.4f}, b = {found.bias:.4f}")

# %%
# The classifier and its margin, which a smaller :math:`\lambda` makes narrower:
_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(solve(SoftMargin(X, y, C=C_from_lam(lam, n=m), kernel=Linear())), X, y, ax=ax)
plt.show()

# %%
# .. admonition:: Exercise
#
#    Why is :math:`C = 1/(2\lambda m)`? And which :math:`\lambda` has the same hyperplane if every row is in the table twice?
#
#    .. dropdown:: Answer
#
#       Divide the lecture's objective by :math:`2\lambda`: what stands before :math:`\sum_i \ell_i` is :math:`1/(2\lambda
#       m)`. The same :math:`\lambda`: the mean of the losses does not change with copies. :math:`C` stands before a sum,
#       and so has to be halved, which ``C_from_lam(lam, n=2 * m)`` does.

# %%
# Stochastic gradient descent
# ---------------------------
#
# The text's algorithm holds for :math:`\frac{\lambda}{2}\|w\|^2` and has no offset. It begins with :math:`\theta^{(1)} =
# 0`; in step :math:`t`, :math:`w^{(t)} = \theta^{(t)} / (\lambda t)`, a row :math:`i` is drawn, and :math:`y_i x_i` is
# added to :math:`\theta` if :math:`y_i \langle w^{(t)}, x_i \rangle < 1`. The answer is the mean of all :math:`w^{(t)}`.
# The walk below takes exactly these steps.
problem = PrimalProblem(X, y, loss="hinge", C=C_from_lam_half(lam, n=m), offset=None)
best = solve(problem, tol=1e-9).certificate.primal_objective
walk = StochasticSubgradient(seed=0).walk(problem)
steps, of_mean, of_last = [], [], []
for T in np.unique(np.logspace(1, 5, 30).astype(int)):
    walk.advance(int(T) - walk.steps)
    steps.append(walk.steps)
    of_mean.append(problem.objective(*walk.mean) / best - 1.0)
    of_last.append(problem.objective(*walk.last) / best - 1.0)

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.loglog(steps, of_last, ".", color="#999999", label="the last $w^{(t)}$")
ax.loglog(steps, of_mean, "o-", color="#0072B2", ms=4, label=r"the mean $\bar w$")
ax.set(xlabel="steps T", ylabel="objective above the optimum, relative", title="Cheap steps, slow digits")
ax.legend()
plt.show()

# %%
# With a kernel a step changes one coefficient instead of :math:`w`; the point is evaluated in the dual:
with warnings.catch_warnings(action="ignore"):  # 20 000 steps are not enough for the tolerance, and the library says so
    dual_problem = SoftMargin(X, y, C=C_from_lam_half(lam, n=m), kernel=Linear(), offset=False)
    by_kernel = solve(dual_problem, solver=KernelSubgradient(seed=0), tol=1e-6, max_iter=20_000)
short = 1 - by_kernel.certificate.dual_objective / best
print(f"{by_kernel.steps} steps with a kernel: dual objective {short:.1e} below the optimum, relative")

# %%
# .. admonition:: Exercise
#
#    The expected distance from the optimum is :math:`O(\log T / (\lambda T))`. Read from the picture how many steps each
#    digit costs, and compare it with what ``solve`` needs.
#
#    .. dropdown:: Answer
#
#       Each digit costs about ten times as many steps. ``solve(problem, tol=1e-9)`` takes a Newton method: a handful of
#       passes over the rows give nine digits, and the certificate proves them. A step of the walk, however, costs the same
#       for a thousand rows as for a thousand million.

# %%
# The dual of the hard margin
# ---------------------------
#
# .. math::
#
#    \min_w \tfrac12 \|w\|^2,\quad y_i\langle w, x_i\rangle \ge 1
#    \qquad\text{and}\qquad
#    \max_{\alpha \ge 0}\ \sum_i \alpha_i - \tfrac12 \sum_{i,j} \alpha_i \alpha_j y_i y_j \langle x_i, x_j \rangle
#
# Rows that are far enough apart have a hard margin. Without an offset (``offset=False``), as in the text, the two optima
# are equal, :math:`w = \sum_i \alpha_i y_i x_i`, and few :math:`\alpha_i` are not 0: those of the support vectors.
apart = np.abs(X @ [1.0, 1.0]) > 1.2
apart &= np.sign(X @ [1.0, 1.0]) == y
hard = solve(HardMargin(X[apart], y[apart], kernel=Linear(), offset=False))
alpha, K = hard.alpha, X[apart] @ X[apart].T
dual = alpha.sum() - 0.5 * (alpha * y[apart]) @ K @ (alpha * y[apart])
print(f"primal {0.5 * hard.weights @ hard.weights:.9f}, dual {dual:.9f}")
print(f"w = {hard.weights.round(6)}, from alpha {(X[apart].T @ (alpha * y[apart])).round(6)}")
print(f"{np.count_nonzero(alpha)} support vectors of {apart.sum()} rows")

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(hard, X[apart], y[apart], ax=ax)
plt.show()

# %%
# A hyperplane through the origin need not exist, even where one with an offset does. The proof is a combination
# :math:`\alpha \ge 0`, :math:`\sum_i \alpha_i = 1`, with :math:`\sum_i \alpha_i y_i x_i = 0`:
line, sides = np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([1.0, -1.0])
try:
    solve(HardMargin(line, sides, kernel=Linear(), offset=False))
except InfeasibleError as error:
    weights = error.solution.proof.weights / error.solution.proof.weights.sum()
    print(f"alpha = {weights.round(4)}, sum of alpha y x = {(weights * sides) @ line}")
print(f"with an offset: {solve(HardMargin(line, sides, kernel=Linear())).status.name}")

# %%
# .. admonition:: Exercise
#
#    Leave one of the rows that are no support vectors out. What changes? And a support vector?
#
#    .. dropdown:: Answer
#
#       Nothing: :math:`w` is a sum over the support vectors, and the conditions of optimality still hold. Without a support
#       vector the margin can only grow: one constraint fewer.

# %%
# The kernel trick
# ----------------
#
# A linear model cannot separate a circle from what surrounds it. It can after the map :math:`\psi(x) = (1, x_1, \dots, x_d,
# x_1x_1, x_1x_2, \dots, x_dx_d)`, of :math:`1 + d + d^2` features. The dual needs inner products only, and these need no
# features:
#
# .. math::
#
#    K_\psi(x, x') = \langle\psi(x), \psi(x')\rangle = 1 + \langle x, x'\rangle + \langle x, x'\rangle^2
circle, inside = make_circles(150, noise=0.08, factor=0.5, random_state=0)
psi = SecondOrder().fit_transform(circle)
print(f"{psi.shape[1]} features, 1 + d + d^2 = {1 + 2 + 2**2}")
print(f"largest difference of the two Gram matrices: {np.abs(psi @ psi.T - Quadratic()(circle, circle)).max():.1e}")

by_map = SVC(kernel="linear", C=10.0, tol=1e-9).fit(psi, inside)
by_kernel = SVC(kernel=Quadratic(), C=10.0, tol=1e-9).fit(circle, inside)
difference = np.abs(by_map.decision_function(psi) - by_kernel.decision_function(circle)).max()
print(f"largest difference of the two models' scores: {difference:.1e}")

_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
decision_boundary(by_kernel, circle, inside, ax=ax)
plt.show()

# %%
# .. admonition:: Exercise
#
#    Computing :math:`\psi(x)` takes :math:`\Theta(d^2)` time, the last formula :math:`\Theta(d)`. When does the kernel pay?
#
#    .. dropdown:: Answer
#
#       The gallery measures it: :ref:`sphx_glr_gallery_methods_map_or_kernel.py`. The features of 300 columns are 90 301
#       columns, and the product of two such rows costs 300 times as much as that of the rows themselves. With two columns,
#       seven features and a million rows the map is the better choice: a linear model's time grows with the number of rows,
#       a kernel's with its square.
