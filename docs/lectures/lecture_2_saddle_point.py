r"""
Lecture 2: a saddle point, and steps towards it
===============================================

The second lecture measures the width of the margin, writes the hinge as a maximum, and so turns training into a saddle point:
min and max may change places, and projected gradient ascent climbs to the answer, with any kernel.

.. list-table:: Text → call
   :header-rows: 1
   :widths: 45 55

   * - in the text
     - here
   * - :math:`\frac{\alpha}{2}\|w\|^2 + \sum_i \max(0, 1 - y_i\langle x_i, w\rangle)`
     - ``SoftMargin(X, y, C=C_from_alpha_sum(alpha), offset=False)``, with :math:`C = 1/\alpha`
   * - :math:`\lambda_i \in [0, 1]`
     - ``solution.alpha / C``
   * - the step :math:`\tau`, in :math:`0 < \tau < 2\alpha/\|K\|`
     - ``ProjectedGradient(step=C * tau)``
   * - :math:`f(x) = \frac1\alpha \sum_i \lambda_i y_i \kappa(x_i, x)`
     - ``solution.decision_function(Z)``
   * - the constant feature :math:`(1, x)`, its weight penalised
     - ``SoftMargin(X, y, C=C, offset="penalised")``; the map ``Affine()``, its kernel ``Affine().kernel``
   * - :math:`\langle w, u\rangle + b \ge 0`: a star
     - ``solution.predict(U)``; 0 is a star too
   * - MSE, logistic and hinge loss of :math:`z = y f`
     - ``losses.Squared().value(z)``, ``losses.Logistic()``, ``losses.Hinge()``
   * - :math:`(1, x, \dots, x^k)`
     - ``Powers(degree=k)``
   * - :math:`(x_1^2, x_2^2, \sqrt2 x_1x_2)`; the same with a leading 1
     - ``QuadraticForm()``, in the order :math:`x_1^2, \sqrt2 x_1x_2, x_2^2`; ``QuadraticForm(constant=True)``
   * - :math:`e^{-\frac12 \|x - z\|^2}`
     - ``RBF(sigma=1.0)``, which is ``RBF(gamma=0.5)``
   * - symmetric and positive semidefinite?
     - ``print(mercer(K))``

.. note::

   **Where the text errs.** With a Gram matrix of rows, :math:`K = \Phi\Phi^{\mathsf T}`, not :math:`\Phi^{\mathsf T}\Phi`.
   The offset :math:`b` disappears between two slides, and the hard margin becomes a soft one. Von Neumann's theorem asks
   for two compact sets; :math:`w` is in all of :math:`\mathbb R^n`, so it is Sion's theorem that lets min and max change
   places. All four are shown below by numbers.
"""

# %%
# The width of the street
# -----------------------
#
# For support vectors on either side, :math:`y_i(\langle w, x_i\rangle + b) = 1`. The width is the projection of their
# difference on the unit normal: :math:`\langle x_+ - x_-,\ w/\|w\| \rangle = 2/\|w\|`.
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from maxmargin import losses, solve
from maxmargin.feature_maps import QuadraticForm
from maxmargin.kernels import RBF, Linear, Polynomial, mercer
from maxmargin.plots import decision_boundary, margin_losses
from maxmargin.problems import HardMargin, SoftMargin
from maxmargin.scales import C_from_alpha_sum
from maxmargin.solvers import ProjectedGradient

rng = np.random.default_rng(0)
X = np.vstack([rng.normal([-2.0, 0.0], 0.6, size=(20, 2)), rng.normal([2.0, 1.0], 0.6, size=(20, 2))])
y = np.repeat([-1.0, 1.0], 20)
hard = solve(HardMargin(X, y, kernel=Linear()))
plus, minus = (X[hard.support[y[hard.support] == side][0]] for side in (1.0, -1.0))
print(f"projection {(plus - minus) @ hard.weights / np.linalg.norm(hard.weights):.9f}")
print(f"2/|w|      {2.0 / np.linalg.norm(hard.weights):.9f}")
print(f"geometry   {hard.geometry.width:.9f}")

normal = hard.weights / np.linalg.norm(hard.weights)
_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(hard, X, y, ax=ax)
ax.annotate("", plus, minus, arrowprops={"arrowstyle": "->", "color": "#222222", "lw": 1.5})
ax.annotate("", minus + (plus - minus) @ normal * normal, minus, arrowprops={"arrowstyle": "->", "color": "#009E73", "lw": 3})
ax.set(title="$x_+ - x_-$ (black), projected on $w/|w|$ (green): the width", aspect="equal")
plt.show()

# %%
# The text goes on with a soft margin and without :math:`b`, and does not say so. These are three problems:
for name, problem in (
    ("hard, with b", HardMargin(X, y, kernel=Linear())),
    ("soft, with b", SoftMargin(X, y, C=0.1, kernel=Linear())),
    ("soft, without b", SoftMargin(X, y, C=0.1, kernel=Linear(), offset=False)),
):
    found = solve(problem, tol=1e-9)
    print(f"{name:<16} |w| = {np.linalg.norm(found.weights):.4f}, b = {found.bias:.4f}, width {found.geometry.width:.4f}")

# %%
# .. admonition:: Exercise
#
#    Multiply :math:`w` and :math:`b` by 3. What becomes of the boundary, of :math:`2/\|w\|`, and of the distance between the
#    two support vectors along :math:`w/\|w\|`?
#
#    .. dropdown:: Answer
#
#       The boundary and the distance stay. :math:`2/\|w\|` becomes a third, and is no longer the width: it is that of the
#       form with :math:`\min_i y_i f(x_i) = 1` only.

# %%
# Losses
# ------
#
# The hinge, the logistic loss and the squared loss, as functions of :math:`z = y f(x)`:
z = np.array([-1.0, 0.0, 1.0, 3.0])
for loss in (losses.Hinge(), losses.Logistic(), losses.Squared()):
    print(f"{type(loss).__name__:<9} at z = {z}: {loss.value(z).round(3)}")
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
margin_losses(ax=ax)
plt.show()

# %%
# .. admonition:: Exercise
#
#    Which of them punishes a row with :math:`z = 3`, which is on the right side and far away?
#
#    .. dropdown:: Answer
#
#       The squared loss: :math:`(1 - 3)^2 = 4`, more than for a row on the boundary, whose loss is 1. The logistic loss is
#       :math:`\log(1 + e^{-3}) \approx 0.049`, the hinge 0. See :ref:`sphx_glr_gallery_methods_losses.py` for what that
#       does to a line.

# %%
# The saddle point
# ----------------
#
# Since :math:`\max(0, z) = \max_{\lambda\in[0,1]} \lambda z`, training is
#
# .. math::
#
#    \min_w \max_{\lambda\in[0,1]^s} L(w, \lambda),\qquad
#    L(w, \lambda) = \sum_i \lambda_i (1 - y_i\langle x_i, w\rangle) + \frac{\alpha}{2}\|w\|^2 ,
#
# and as :math:`L` is convex in :math:`w` and concave in :math:`\lambda`, this is :math:`\max_\lambda \min_w L`. Both sides
# are reported: they are :math:`\alpha` times the two objectives of the certificate.
moons, label = make_moons(120, noise=0.2, random_state=0)
y = np.where(label == 1, 1.0, -1.0)
alpha = 0.5
C = C_from_alpha_sum(alpha)
solution = solve(SoftMargin(moons, y, C=C, kernel=Linear(), offset=False), tol=1e-9)
lam, w = solution.alpha / C, solution.weights
YX = y[:, None] * moons
print(f"min max: {np.maximum(0.0, 1.0 - YX @ w).sum() + alpha / 2 * w @ w:.9f}")
print(f"max min: {lam.sum() - np.sum((YX.T @ lam) ** 2) / (2 * alpha):.9f}")
print(f"w = X'Y lambda / alpha: {np.abs(w - YX.T @ lam / alpha).max():.1e} apart; lambda in [{lam.min():g}, {lam.max():g}]")

# %%
# Von Neumann's theorem wants both sets compact. They may be: :math:`w = 0` has :math:`L = s`, so the best :math:`w` has
# :math:`\frac\alpha2\|w\|^2 \le s`, and a ball is enough.
print(f"|w| = {np.linalg.norm(w):.4f} <= sqrt(2 s / alpha) = {np.sqrt(2 * len(y) / alpha):.4f}")

# %%
# .. admonition:: Exercise
#
#    Which rows have :math:`\lambda_i = 1`, which have 0, and which are between?
#
#    .. dropdown:: Answer
#
#       The best :math:`\lambda_i` for a given :math:`w` is 1 where :math:`1 - y_i\langle x_i, w\rangle > 0`, 0 where it is
#       negative, and anything where it is 0: rows on the margin. These make :math:`w = X^{\mathsf T}Y\lambda/\alpha` come
#       out right.

# %%
# Where a function is not convex and concave, the order matters. For :math:`\sin(x + y)` whoever moves last wins:
grid = np.linspace(-np.pi, np.pi, 401)
wave = np.sin(grid[:, None] + grid)
saddle = grid[:, None] ** 2 - grid**2 + grid[:, None] * grid
for name, f in (("sin(x + y)", wave), ("x^2 - y^2 + xy", saddle)):
    print(f"{name:<15} max min {f.min(axis=0).max():6.3f}   min max {f.max(axis=1).min():6.3f}")

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, f, name in ((axes[0], wave, r"$\sin(x+y)$: max min < min max"), (axes[1], saddle, r"$x^2 - y^2 + xy$: a saddle")):
    shown = ax.contourf(grid, grid, f.T, 20, cmap="cividis")
    ax.plot(grid, grid[f.argmax(axis=1)], ",", color="white")
    ax.set(title=name, xlabel="x, minimised", ylabel="y, maximised; white: the best answer to each x", aspect="equal")
    fig.colorbar(shown, ax=ax)
plt.show()

# %%
# On the saddle it does not. Whoever minimises first goes to the bottom of each curve over :math:`x` and then to the
# highest of these
# bottoms; whoever maximises first ends at the same point:
lowest, highest = saddle.min(axis=0), saddle.max(axis=1)
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(grid, lowest, color="#0072B2", label="min over x first, for each y")
ax.plot(grid, highest, color="#D55E00", label="max over y first, for each x")
ax.plot(grid[lowest.argmax()], lowest.max(), "o", color="#222222", ms=9, mfc="none", label="both: the saddle point")
ax.set(ylim=(-8, 8), xlabel="the variable that is left", ylabel="value", title="max min = min max")
ax.legend()
plt.show()

# %%
# .. admonition:: Exercise
#
#    Is :math:`\max\min \le \min\max` for every function?
#
#    .. dropdown:: Answer
#
#       Yes. For all :math:`x, y`: :math:`\min_{x'} f(x', y) \le f(x, y) \le \max_{y'} f(x, y')`. The left side does not
#       know :math:`x`, the right side not :math:`y`; take the best of each. That alone makes every dual objective a lower
#       bound: the certificate needs no more.

# %%
# Projected gradient ascent
# -------------------------
#
# .. math::
#
#    \lambda \leftarrow \operatorname{proj}_{[0,1]^s}\bigl[\lambda + \tau\,(1 - \tfrac1\alpha Y K Y \lambda)\bigr],\qquad
#    0 < \tau < 2\alpha/\|K\|
#
# Only the Gram matrix appears, so any kernel will do. The steps of the text, by hand, beside the solver's:
K = RBF(gamma=1.0)(moons, moons)
norm = np.linalg.eigvalsh(K)[-1]
tau = alpha / norm
lam = np.zeros(len(y))
for _ in range(300):
    lam = np.clip(lam + tau * (1.0 - y * (K @ (y * lam)) / alpha), 0.0, 1.0)
problem = SoftMargin(moons, y, C=C, kernel=RBF(gamma=1.0), offset=False)
with warnings.catch_warnings(action="ignore"):  # 300 steps are not enough, and the library says so
    steps = solve(problem, solver=ProjectedGradient(step=C * tau), tol=1e-12, max_iter=300)
print(f"after 300 steps, largest difference in lambda: {np.abs(steps.alpha / C - lam).max():.1e}")

# %%
# The dual objective rises with each step, and comes to its maximum slowly. The engine finds it at once:
exact = solve(problem, tol=1e-9).certificate.dual_objective
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.semilogy(steps.trace.steps, 1.0 - steps.trace.objective / exact, color="#0072B2")
ax.set(
    xlabel="steps",
    ylabel="dual objective below the optimum, relative",
    title=r"Projected gradient ascent, $\tau = \alpha/\|K\|$",
)
plt.show()

# %%
# .. admonition:: Exercise
#
#    What if the step is longer than :math:`2\alpha/\|K\|`? Replace ``tau`` by ``2.2 * alpha / norm`` and look at the dual
#    objective after each step.
#
#    .. dropdown:: Answer
#
#       In the direction of the largest eigenvalue each step overshoots by more than it gains: the objective falls, and
#       :math:`\lambda` jumps between the ends of the box. ``ProjectedGradient(step=…)`` refuses such a step and says what
#       the limit is; ``ProjectedGradient()`` takes :math:`\tau = \alpha/\|K\|`, half of it.

# %%
# Feature maps and kernels
# ------------------------
#
# :math:`\phi(x) = (x_1^2, x_2^2, \sqrt2 x_1x_2)` has :math:`\langle\phi(x), \phi(z)\rangle = \langle x, z\rangle^2`, for
# any number of features:
Z = rng.normal(size=(8, 3))
phi = QuadraticForm().fit_transform(Z)
two = QuadraticForm(constant=True).fit_transform([[2.0, 3.0]])
print(f"(2, 3) with a leading 1: {two.round(3)[0]}")
print(f"{phi.shape[1]} features; difference {np.abs(phi @ phi.T - Polynomial(degree=2, gamma=1.0, coef0=0.0)(Z, Z)).max():.1e}")

# %%
# The matrix of inner products of rows is :math:`\Phi\Phi^{\mathsf T}`. What the text prints is another matrix, of features:
print(f"Phi Phi' {(phi @ phi.T).shape} is K: {np.allclose(phi @ phi.T, (Z @ Z.T) ** 2)}; Phi' Phi {(phi.T @ phi).shape} is not")

# %%
# A line in the lifted space is a curve in the plane: :ref:`sphx_glr_gallery_claims_lifted_circle.py`. With a Gaussian kernel
# nobody needs to
# know :math:`\phi`:
bent = solve(SoftMargin(moons, y, C=10.0, kernel=RBF(sigma=0.5), offset=False))
_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
decision_boundary(bent, moons, y, ax=ax)
plt.show()

# %%
# When is there a :math:`\phi`? When every matrix of kernel values is symmetric and positive semidefinite. A sample can
# disprove it,
# never prove it (:ref:`sphx_glr_gallery_methods_mercer.py`):
distance = np.linalg.norm(moons[:, None] - moons, axis=2)
print(f"1 - |x - z|: {mercer(1.0 - distance)}")
print(f"Gaussian:    {mercer(RBF(sigma=0.5), moons)}")

# %%
# .. admonition:: Exercise
#
#    How many features has :math:`(x_1^2, x_2^2, \sqrt2x_1x_2)` for rows of 10 columns? And its kernel, how many
#    multiplications?
#
#    .. dropdown:: Answer
#
#       :math:`10 \cdot 11 / 2 = 55` features; the kernel takes 10 multiplications and one more for the square.

# %%
# A constant feature is not an offset
# -----------------------------------
#
# The feature :math:`(1, x)` gives a weight :math:`w_0` that is penalised with the others: the kernel :math:`k + 1`. That is
# another optimum than the one with a free offset.
free = solve(SoftMargin(moons + 3.0, y, C=C, kernel=Linear()), tol=1e-9)
penalised = solve(SoftMargin(moons + 3.0, y, C=C, kernel=Linear(), offset="penalised"), tol=1e-9)
print(f"free offset {free.bias:.4f}, penalised {penalised.bias:.4f} = sum of y alpha {np.sum(y * penalised.alpha):.4f}")

_, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.scatter(*(moons + 3.0).T, c=np.where(y > 0, "#D55E00", "#0072B2"), s=16)
ends = np.array([1.5, 5.5])
for name, found, style in (("free offset", free, "-"), ("constant feature", penalised, "--")):
    ax.plot(ends, -(found.bias + found.weights[0] * ends) / found.weights[1], style, color="#222222", label=name)
ax.set(ylim=(2, 4.5), title="Far from the origin a penalised offset pays for being there")
ax.legend()
plt.show()

# %%
# .. admonition:: Exercise
#
#    With which constant in place of 1 would the two agree?
#
#    .. dropdown:: Answer
#
#       With none, but nearly with a large one: a feature :math:`(s, x)` has the offset :math:`b = s w_0` and pays
#       :math:`\frac12 b^2/s^2` for it, which goes to 0. ``LinearSVC(penalise_intercept=True, intercept_scaling=s)`` is that.
