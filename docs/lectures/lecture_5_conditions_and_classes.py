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
     - ``CrammerSinger(X, y, C=C)``, in the same scale; without slack ``C=np.inf``
   * - joint: :math:`w^k`, :math:`w_0^k`
     - with a linear kernel ``solution.coefficients.T @ X[solution.support]``, ``solution.bias``
   * - boundary support vectors :math:`\widetilde{SV}`, and :math:`w_0` from them
     - ``(solution.alpha > 0) & (solution.alpha < C)``, ``solution.bias``, ``solution.bias_interval``
   * - :math:`\mathcal L(M) = [1 - M]_+`
     - ``losses.Hinge()``, ``PrimalProblem(X, y, loss="hinge", C=C)``
   * - regression, :math:`\varepsilon`
     - ``SVR(epsilon=…)``, ``EpsilonRegression``
   * - :math:`C` chosen on a validation set
     - ``SVCCV()``, ``GridSearchCV``: :doc:`/tuning`

.. note::

   **Where the text errs.** :math:`0 < \alpha_i < C` implies :math:`y_i f(x_i) = 1`; the converse is false. A prediction
   uses :math:`K(x_i, x)`, not :math:`K(x_i, x_j)`. The constraint of the regression is :math:`w^{\mathsf T}x_n + w_0`. For
   convex problems the conditions suffice by themselves; Slater's condition is what makes them necessary. Each is shown
   below by a
   number.
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
from timeit import repeat

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris, make_blobs

from maxmargin import SVC, SVR, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.plots import decision_boundary, tube
from maxmargin.problems import CrammerSinger, SoftMargin
from maxmargin.solution import Kind
from maxmargin.solvers import qp

centre = np.array([2.4, 0.7])
A, c = np.array([[-1.0, -1.0], [-1.0, 0.3], [1.0, 0.0], [0.0, 1.0]]), np.array([-2.0, -1.4, 0.0, 0.0])
found = qp(np.eye(2), -centre, A, c)
u, multipliers = found.u, found.multipliers
print(f"u = {u.round(4)}, multipliers {multipliers.round(4)}, A u - c = {(A @ u - c).round(4)}")
print(f"stationarity: {np.abs(u - centre - A.T @ multipliers).max():.1e}")

_, ax = plt.subplots(figsize=(6, 5), layout="constrained")
grid = np.linspace(-0.3, 2.7, 300)
x1, x2 = np.meshgrid(grid, grid)
inside = np.all(np.stack([x1, x2], axis=-1) @ A.T >= c, axis=-1)
ax.contourf(x1, x2, inside, levels=[0.5, 1.5], colors=["#0072B2"], alpha=0.15)
ax.contour(x1, x2, 0.5 * ((x1 - centre[0]) ** 2 + (x2 - centre[1]) ** 2), levels=10, colors="#999999", linewidths=0.8)
ax.plot(*u, "o", color="#222222")
ax.annotate("", centre, u, arrowprops={"arrowstyle": "->", "color": "#D55E00", "lw": 2})
for row, multiplier in zip(A, multipliers, strict=True):
    if multiplier > 1e-6:
        ax.annotate("", u - multiplier * row, u, arrowprops={"arrowstyle": "->", "color": "#0072B2", "lw": 2})
ax.set(title=r"$-\nabla f$ (orange) is the sum of active normals (blue)", aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
plt.show()

# %%
# Slater's condition is not about sufficiency. Minimise :math:`x` subject to :math:`x^2 \le \delta`. For :math:`\delta > 0`
# it holds, and
# the multiplier of the minimum :math:`-\sqrt\delta` solves :math:`1 + 2\lambda x = 0`. For :math:`\delta = 0` the minimum
# is 0, no point has
# :math:`x^2 < 0`, and the multiplier has gone to infinity: the conditions are not necessary there.
for delta in (1e-2, 1e-4, 1e-8):
    print(f"delta {delta:g}: multiplier {1.0 / (2.0 * np.sqrt(delta)):g}")

# %%
# .. admonition:: Exercise
#
#    Move ``centre`` to (−0.5, 1), outside of the third constraint only. Which multipliers are not 0, and how large are they?
#
#    .. dropdown:: Answer
#
#       Only the third: 0.5, the distance that the solution (0, 1) is kept away from the centre. The others hold with room to
#       spare, so that :math:`\lambda_i g_i = 0`.

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
# .. admonition:: Exercise
#
#    A row is misclassified. What are its :math:`\xi_i`, :math:`\alpha_i` and :math:`r_i`?
#
#    .. dropdown:: Answer
#
#       :math:`\xi_i > 1`, so :math:`r_i = 0` and :math:`\alpha_i = C`: it pulls as hard as any row can.

# %%
# The offset
# ----------
#
# :math:`w_0` is the mean of :math:`y_j - w^{\mathsf T}x_j` over the boundary support vectors:
free = (alpha > 1e-7) & (alpha < C - 1e-7)
by_hand = np.mean(signs[free] - X[free] @ solution.weights)
print(f"mean over {free.sum()} rows: {by_hand:.9f}; solution.bias {solution.bias:.9f}")

# %%
# A prediction sums over :math:`K(x_i, x)` with the new row :math:`x`. With :math:`K(x_i, x_j)`, as printed, every row
# would get the same
# score:
new = np.array([[-2.0, 0.0], [0.0, 0.0], [2.0, 1.0]])
right = (alpha * signs) @ (X @ new.T) + solution.bias
printed = (alpha * signs) @ (X @ np.tile(X[free][0], (3, 1)).T) + solution.bias
print(f"K(x_i, x) {right.round(4)}, solution {solution.decision_function(new).round(4)}, K(x_i, x_j) {printed.round(4)}")

# %%
# .. admonition:: Exercise
#
#    Two rows, one of each class, and :math:`C = 0.01`: both multipliers are at their bound. What is :math:`w_0`?
#
#    .. dropdown:: Answer
#
#       There is no boundary support vector, and an interval of :math:`w_0` is optimal. ``solution.bias_interval`` has its
#       ends, and ``solution.bias`` is its middle.

# %%
# Squared slack
# -------------
#
# With :math:`C\sum\xi_i^2` the multipliers have no upper bound, and :math:`\alpha_i = 2C\xi_i`:
squared = solve(SoftMargin(X, y, C=C, kernel=Linear(), slack="squared"), tol=1e-10)
print(f"|alpha - 2 C xi|: {np.abs(squared.alpha - 2 * C * squared.slack).max():.1e}, largest alpha {squared.alpha.max():.3f}")

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for found, name, colour in (
    (solution, r"linear: $\alpha \leq C$", "#0072B2"),
    (squared, r"squared: $\alpha = 2C\xi$", "#D55E00"),
):
    ax.plot(found.slack, found.alpha, "o", color=colour, ms=5, alpha=0.6, label=name)
ax.set(xlabel=r"slack $\xi$", ylabel=r"$\alpha$", title="What a row may pull with")
ax.legend()
plt.show()

# %%
# .. admonition:: Exercise
#
#    With squared slack, is there a row with :math:`\alpha_i > 0` and :math:`y_if(x_i) = 1`?
#
#    .. dropdown:: Answer
#
#       No: :math:`\alpha_i > 0` means :math:`\xi_i = \alpha_i/2C > 0`, so every support vector is inside its margin.

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
far_squared = solve(SoftMargin(outlier, labels, C=C, kernel=Linear(), slack="squared"), tol=1e-9)

_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.scatter(*outlier.T, c=np.where(labels == 1, "#D55E00", "#0072B2"), s=16)
ends = np.array([-3.0, 3.0])
for name, found, style in (
    ("without it", solution, "-"),
    ("with it, linear slack", with_outlier, "--"),
    ("with it, squared slack", far_squared, ":"),
):
    ax.plot(-(found.bias + found.weights[1] * ends) / found.weights[0], ends, style, color="#222222", label=name)
ax.annotate("outlier", (6.0, 0.0), (4.6, 1.2), arrowprops={"arrowstyle": "->"})
ax.set(title="One row pulls with C at most, or with 2Cξ")
ax.legend()
plt.show()

# %%
# .. admonition:: Exercise
#
#    What is the outlier's multiplier with squared slack?
#
#    .. dropdown:: Answer
#
#       It is not bounded by :math:`C`: it is :math:`2C\xi = 8.1`, and :math:`w_1` falls from 1.32 to 0.53. Linear slack
#       limits what one row can do.

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
# The text's constraint has lost a :math:`w`. With it, :math:`|w^{\mathsf T}x_n + w_0 - y_n| \le \varepsilon + \xi_n` holds
# for every row of a
# linear fit; as printed, :math:`x^{\mathsf T}x_n + w_0`, it has no meaning: there is no :math:`x`.
straight = SVR(kernel="linear", C=10.0, epsilon=0.2, tol=1e-8).fit(x, target)
slack = np.maximum(0.0, np.abs(straight.predict(x) - target) - 0.2)
primal = 0.5 * (straight.coef_**2).sum() + 10.0 * slack.sum()
print(f"1/2 |w|^2 + C sum of slack: {primal:.6f}, the certificate's {straight.certificate_.primal_objective:.6f}")

# %%
# .. admonition:: Exercise
#
#    What becomes of the number of support vectors when :math:`\varepsilon` grows?
#
#    .. dropdown:: Answer
#
#       It falls: rows inside the tube have no multiplier. See :ref:`sphx_glr_gallery_data_tube.py`.

# %%
# Several classes
# ---------------
#
# One classifier against all others, one for each pair, or all at once. "Is slower, but shows similar accuracy", says the
# text of the last:
digits, numbers = load_digits(return_X_y=True)
train, test = np.arange(len(digits)) % 3 != 0, np.arange(len(digits)) % 3 == 0
names, seconds, accuracies = ("ovr", "ovo", "joint"), [], []
for scheme in names:
    model = SVC(multi_class=scheme, C=10.0, gamma=1e-3)
    seconds.append(min(repeat(lambda m=model: m.fit(digits[train], numbers[train]), number=1, repeat=3)))
    accuracies.append(100 * model.score(digits[test], numbers[test]))
    print(f"{scheme:<6} {accuracies[-1]:.2f} % of new digits right, relative gap {model.certificate_.relative_gap:.1e}")
print(f"joint takes {seconds[2] / seconds[1]:.1f} times as long as pairs")

_, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
for ax, values, title in ((axes[0], seconds, "seconds of a fit"), (axes[1], accuracies, "% of new digits right")):
    ax.bar_label(ax.bar(names, values, color=["#56B4E9", "#0072B2", "#D55E00"], width=0.6), fmt="%.3g", padding=2)
    ax.set(title=title, ylim=(0, 1.15 * max(values)))
plt.show()

# %%
# The joint problem of the text, without slack and with a linear kernel: each row's own score is above all others by 1, the
# sum of all :math:`w^k` is 0 without being asked for, and any constant may be added to all :math:`w_0^k`.
clouds, colour = make_blobs(60, centers=[[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], cluster_std=0.7, random_state=0)
apart = solve(CrammerSinger(clouds, colour, C=np.inf, kernel=Linear()), tol=1e-8)
w, w0 = apart.coefficients.T @ clouds[apart.support], apart.bias
g = clouds @ w.T + w0
own = g[np.arange(60), colour]
others = np.where(np.eye(3, dtype=bool)[colour], -np.inf, g).max(axis=1)
print(f"smallest lead {np.min(own - others):.6f}, sum of w^k {np.abs(w.sum(axis=0)).max():.1e}, of w_0^k {w0.sum():.1e}")
print(f"sum of |w^k|^2 = {(w**2).sum():.6f}, the certificate's objective {apart.certificate.primal_objective:.6f}")

# %%
# For two classes the joint form equals the binary one: the text writes :math:`\sum_k\|w^k\|^2 + C\sum\xi`, with :math:`w^2
# = -w^1` at the optimum.
flowers, species = load_iris(return_X_y=True)
two = species > 0
binary = solve(SoftMargin(flowers[two], species[two], C=1.0, kernel=RBF(gamma=0.5)), tol=1e-10)
joint = solve(CrammerSinger(flowers[two], species[two], C=1.0, kernel=RBF(gamma=0.5)), tol=1e-10)
scores = np.diff(joint.decision_function(flowers[two]), axis=1)[:, 0]
print(f"largest difference of the scores: {np.abs(scores - binary.decision_function(flowers[two])).max():.1e}")

# %%
# .. admonition:: Exercise
#
#    Why the same :math:`C`, though there is no :math:`\tfrac12`?
#
#    .. dropdown:: Answer
#
#       With :math:`w^2 = -w^1 = w/2` the constraint is that of the binary model, and :math:`\sum_k\|w^k\|^2 = 2\|w/2\|^2 =
#       \tfrac12\|w\|^2`.
