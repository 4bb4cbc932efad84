r"""
Lecture 5: conditions of optimality, slack, and more than two classes
=====================================================================

The fifth lecture begins with the conditions of Karush, Kuhn and Tucker, applies them to the margin with and without slack,
reads from them the kinds of training rows and the offset, and ends with regression and several classes.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - KKT conditions, regularity, Slater
     - ``print(solution.kkt)``
   * - :math:`\xi_i`, :math:`r_i = C - \alpha_i`
     - ``solution.slack``, ``C - solution.alpha``
   * - :math:`C\sum\xi_i^2`
     - ``SoftMargin(…, slack="squared")``, ``SVC(loss="squared_hinge")``
   * - non-informative, boundary, violating rows
     - ``solution.taxonomy``, whose values are of ``solution.Kind``
   * - one against all, one against one, joint
     - ``SVC(multi_class="ovr")``, ``"ovo"``, ``"joint"``
   * - joint: :math:`\sum_k\|w^k\|^2 + C\sum\xi_i`
     - ``CrammerSinger(X, y, C=C)``, in the same scale
   * - regression, :math:`\varepsilon`
     - ``SVR(epsilon=…)``, ``EpsilonRegression``

.. note::

   **Where the text errs.** :math:`0 < \alpha_i < C` implies :math:`y_i f(x_i) = 1`; the converse is false. A prediction
   uses :math:`K(x_i, x)`, not :math:`K(x_i, x_j)`. The constraint of the regression is :math:`w^{\mathsf T}x_n + w_0`. For
   convex problems the conditions suffice by themselves; Slater's condition is what makes them necessary.
"""

# %%
# The conditions of a small problem
# ---------------------------------
#
# .. math::
#
#    \min f(x),\ g_i(x) \le 0:\qquad \nabla f + \sum_i\lambda_i\nabla g_i = 0,\quad g_i \le 0,\quad \lambda_i \ge 0,\quad
#    \lambda_i g_i = 0
#
# With a quadratic :math:`f` and linear :math:`g_i`, ``qp`` returns the point and the multipliers. At the solution minus the
# gradient of :math:`f` is a combination of the normals of the active constraints, and of these only:
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris, make_blobs

from maxmargin import SVC, SVR, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.plots import decision_boundary, tube
from maxmargin.problems import CrammerSinger, SoftMargin
from maxmargin.solution import Kind
from maxmargin.solvers import qp

centre = np.array([2.0, 1.5])
A, c = np.array([[-1.0, -1.0], [-1.0, 0.3], [1.0, 0.0], [0.0, 1.0]]), np.array([-2.0, -1.4, 0.0, 0.0])
found = qp(np.eye(2), -centre, A, c)
u, multipliers = found.u, found.multipliers
print(f"u = {u.round(4)}, multipliers {multipliers.round(4)}, A u - c = {(A @ u - c).round(4)}")
print(f"stationarity: {np.abs(u - centre - A.T @ multipliers).max():.1e}")

_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
grid = np.linspace(-0.3, 2.5, 300)
x1, x2 = np.meshgrid(grid, grid)
inside = np.all(np.stack([x1, x2], axis=-1) @ A.T >= c, axis=-1)
ax.contourf(x1, x2, inside, levels=[0.5, 1.5], colors=["#0072B2"], alpha=0.15)
ax.contour(x1, x2, 0.5 * ((x1 - centre[0]) ** 2 + (x2 - centre[1]) ** 2), levels=8, colors="#999999", linewidths=0.8)
ax.plot(*u, "o", color="#222222")
ax.annotate("", u + 0.6 * (centre - u), u, arrowprops={"arrowstyle": "->", "color": "#D55E00", "lw": 2})
for row, multiplier in zip(A, multipliers, strict=True):
    if multiplier > 1e-6:
        ax.annotate("", u - 0.6 * multiplier * row, u, arrowprops={"arrowstyle": "->", "color": "#0072B2", "lw": 2})
ax.set(title=r"$-\nabla f$ (orange) is a sum of active normals (blue)", aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
plt.show()

# %%
# Soft margin: the four kinds of rows
# -----------------------------------
X, y = make_blobs(120, centers=[[-1.0, 0.0], [1.2, 0.4]], cluster_std=0.8, random_state=0)
C = 1.0
solution = solve(SoftMargin(X, y, C=C, kernel=Linear()), tol=1e-9)
for kind in Kind:
    print(f"{np.sum(solution.taxonomy == kind):4} {kind.name}")
print(solution.kkt)

_, ax = plt.subplots(figsize=(7, 5), layout="constrained")
decision_boundary(solution, X, y, ax=ax)
plt.show()

# %%
# Dual variables and slack answer one another: :math:`r_i = C - \alpha_i`, and :math:`\alpha_i(y_i f(x_i) - 1 + \xi_i) = 0`,
# :math:`r_i\xi_i = 0`.
signs = np.where(y == 1, 1.0, -1.0)
f, xi, alpha = solution.decision_function(X), solution.slack, solution.alpha
print(f"alpha (y f - 1 + xi): {np.abs(alpha * (signs * f - 1 + xi)).max():.1e}; r xi: {np.abs((C - alpha) * xi).max():.1e}")

# %%
# The converse of ":math:`0 < \alpha < C` implies :math:`y f = 1`" is false: a row may lie on the margin by chance, with
# :math:`\alpha = 0`. Take a third point on the edge of a street, and a fourth, while the first two hold it:
four, side = [[-1.0, 0.0], [1.0, 0.0], [1.0, 5.0], [-1.0, 5.0]], np.array([-1, 1, 1, -1])
edge = solve(SoftMargin(four, side, C=10.0, kernel=Linear()), tol=1e-9)
print(f"y f = {(side * edge.decision_function(four)).round(6)}, alpha = {edge.alpha.round(4)}")

# %%
# The offset
# ----------
#
# :math:`w_0` is the mean of :math:`y_j - w^{\mathsf T}x_j` over the boundary support vectors:
free = (alpha > 1e-7) & (alpha < C - 1e-7)
by_hand = np.mean(signs[free] - X[free] @ solution.weights)
print(f"mean over {free.sum()} rows: {by_hand:.9f}; solution.bias {solution.bias:.9f}")

# %%
# Squared slack
# -------------
#
# With :math:`C\sum\xi_i^2` the multipliers have no upper bound, and :math:`\alpha_i = 2C\xi_i`:
squared = solve(SoftMargin(X, y, C=C, kernel=Linear(), slack="squared"), tol=1e-10)
print(f"|alpha - 2 C xi|: {np.abs(squared.alpha - 2 * C * squared.slack).max():.1e}, largest alpha {squared.alpha.max():.3f}")

# %%
# Outliers are always support vectors
# -----------------------------------
#
# The hinge is 0 for margins of at least 1, so rows far on their own side do not count. A row far on the *wrong* side always
# does, with :math:`\alpha = C`:
outlier = np.vstack([X, [[6.0, 0.0]]])
labels = np.r_[y, 0]
with_outlier = solve(SoftMargin(outlier, labels, C=C, kernel=Linear()), tol=1e-9)
print(f"alpha of the outlier {with_outlier.alpha[-1]:g} = C")
print(f"w before {solution.weights.round(3)}, after {with_outlier.weights.round(3)}")

# %%
# .. dropdown:: Exercise: and with squared slack?
#
#    Add the outlier to the problem with ``slack="squared"``.
#
#    **Answer.** Its multiplier is not bounded by :math:`C`: it is :math:`2C\xi = 8.1`, and :math:`w_1` falls from 1.32 to
#    0.53. Linear slack limits what one row can do.

# %%
# Regression
# ----------
rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 60))[:, None]
target = np.sin(x[:, 0]) + 0.15 * rng.normal(size=60)
model = SVR(C=10.0, epsilon=0.2).fit(x, target)
residual = np.abs(model.predict(x) - target)
print(f"{np.sum(residual > 0.2 + 1e-3)} rows outside the tube, {len(model.support_)} support vectors of {len(x)}")
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
tube(model, x, target, ax=ax)
plt.show()

# %%
# Several classes
# ---------------
#
# One classifier against all others, one for each pair, or all at once. "Is slower, but shows similar accuracy", says the
# text of the last:
flowers, species = load_iris(return_X_y=True)
for scheme in ("ovr", "ovo", "joint"):
    model = SVC(multi_class=scheme, C=1.0, gamma=0.5).fit(flowers, species)
    print(f"{scheme:<6} accuracy {model.score(flowers, species):.3f}, relative gap {model.certificate_.relative_gap:.1e}")

# %%
# For two classes the joint form equals the binary one: the text writes :math:`\sum_k\|w^k\|^2 + C\sum\xi`, with :math:`w^2
# = -w^1` at the optimum.
two = species > 0
binary = solve(SoftMargin(flowers[two], species[two], C=1.0, kernel=RBF(gamma=0.5)), tol=1e-10)
joint = solve(CrammerSinger(flowers[two], species[two], C=1.0, kernel=RBF(gamma=0.5)), tol=1e-10)
scores = np.diff(joint.decision_function(flowers[two]), axis=1)[:, 0]
print(f"largest difference of the scores: {np.abs(scores - binary.decision_function(flowers[two])).max():.1e}")

# %%
# .. dropdown:: Exercise: why the same :math:`C`, though there is no :math:`\tfrac12`?
#
#    **Answer.** With :math:`w^2 = -w^1 = w/2` the constraint is that of the binary model, and
#    :math:`\sum_k\|w^k\|^2 = 2\|w/2\|^2 = \tfrac12\|w\|^2`.
