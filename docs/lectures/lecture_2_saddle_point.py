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
     - ``SoftMargin(X, y, C=C, offset="penalised")``

.. note::

   **Where the text errs.** With a Gram matrix of rows, :math:`K = \Phi\Phi^{\mathsf T}`, not :math:`\Phi^{\mathsf T}\Phi`.
   The offset :math:`b` disappears between two slides, and the hard margin becomes a soft one. Von Neumann's theorem asks
   for two compact sets; :math:`w` is in all of :math:`\mathbb R^n`, so it is Sion's theorem that lets min and max change
   places.
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

from maxmargin import solve
from maxmargin.feature_maps import QuadraticForm
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.plots import margin_losses
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

# %%
# Losses
# ------
#
# The hinge, the logistic loss and the squared loss, as functions of :math:`z = y f(x)`:
_, ax = plt.subplots(figsize=(7, 4), layout="constrained")
margin_losses(ax=ax)
plt.show()

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
# .. dropdown:: Exercise: what if the step is longer than :math:`2\alpha/\|K\|`?
#
#    Replace ``tau`` by ``2.2 * alpha / norm`` and look at the dual objective after each step.
#
#    **Answer.** In the direction of the largest eigenvalue each step overshoots by more than it gains: the objective
#    falls, and :math:`\lambda` jumps between the ends of the box. ``ProjectedGradient()`` takes :math:`\tau =
#    \alpha/\|K\|`, half of the limit.

# %%
# Feature maps and kernels
# ------------------------
#
# :math:`\phi(x) = (x_1^2, x_2^2, \sqrt2 x_1x_2)` has :math:`\langle\phi(x), \phi(z)\rangle = \langle x, z\rangle^2`, for
# any number of features:
Z = rng.normal(size=(6, 3))
phi = QuadraticForm().fit_transform(Z)
print(f"{phi.shape[1]} features; difference {np.abs(phi @ phi.T - Polynomial(degree=2, gamma=1.0, coef0=0.0)(Z, Z)).max():.1e}")

# %%
# A constant feature is not an offset
# -----------------------------------
#
# The feature :math:`(1, x)` gives a weight :math:`w_0` that is penalised with the others: the kernel :math:`k + 1`. That is
# another optimum than the one with a free offset.
free = solve(SoftMargin(moons + 3.0, y, C=C, kernel=Linear()), tol=1e-9)
penalised = solve(SoftMargin(moons + 3.0, y, C=C, kernel=Linear(), offset="penalised"), tol=1e-9)
print(f"free offset {free.bias:.4f}, penalised {penalised.bias:.4f} = sum of y alpha {np.sum(y * penalised.alpha):.4f}")
