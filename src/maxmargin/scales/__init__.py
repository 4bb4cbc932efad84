"""From the regularisation constants of the lectures to C and back; inside the library there is only C.

==============  ======================================  ==================
constant        objective                               C
==============  ======================================  ==================
``C``           ``½|w|² + C Σ loss``                    itself
``lam``         ``λ|w|² + (1/n) Σ loss``                ``1 / (2 λ n)``
``lam_half``    ``(λ/2)|w|² + (1/n) Σ loss``            ``1 / (λ n)``
``alpha_sum``   ``(α/2)|w|² + Σ loss``                  ``1 / α``
==============  ======================================  ==================

Each objective is that of C times a number, so that all have the same minimiser. Two texts that write λ may mean constants
that differ by a factor of 2: hence two names.
"""

from maxmargin.scales._conversions import (
    C_from_alpha_sum,
    C_from_lam,
    C_from_lam_half,
    alpha_sum_from_C,
    lam_from_C,
    lam_half_from_C,
)

__all__ = ["C_from_alpha_sum", "C_from_lam", "C_from_lam_half", "alpha_sum_from_C", "lam_from_C", "lam_half_from_C"]
