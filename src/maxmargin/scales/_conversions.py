"""One function for each direction, named so that no two constants can be taken for each other."""

from __future__ import annotations

from typing import Any

from maxmargin.errors import InvalidInput
from maxmargin.validation import check_integer, check_positive

__all__ = ["C_from_alpha_sum", "C_from_lam", "C_from_lam_half", "alpha_sum_from_C", "lam_from_C", "lam_half_from_C"]


def _inverse(name: str, value: Any, owner: str, factor: float) -> float:
    """``1 / (factor · value)``, refused where that is not a positive, finite number."""
    number = factor * check_positive(name, value, owner)
    if not 0.0 < number < float("inf") or not 0.0 < 1.0 / number < float("inf"):
        raise InvalidInput(
            f"The {name!r} parameter of {owner} is too extreme. Got {value!r}, whose counterpart is not finite. "
            "Choose one nearer to 1."
        )
    return 1.0 / number


def C_from_lam(lam: float, n: int) -> float:
    """C for the λ in front of ``|w|²``, with the mean loss.

    The objective ``λ|w|² + (1/n) Σ loss`` is ``2 λ`` times ``½|w|² + C Σ loss`` with ``C = 1/(2 λ n)``.

    Parameters
    ----------
    lam : float
        λ, positive.
    n : int
        Number of rows the mean is taken over; for weighted rows the divisor of the weighted sum.

    Returns
    -------
    float
        ``1 / (2 lam n)``

    Notes
    -----
    The regularised form of the soft margin (Shalev-Shwartz and Ben-David 2014, section 15.2).

    Examples
    --------
    >>> from maxmargin.scales import C_from_lam
    >>> C_from_lam(0.01, n=100)
    0.5
    """
    return _inverse("lam", lam, "C_from_lam", 2.0 * check_integer("n", n, "C_from_lam", 1))


def lam_from_C(C: float, n: int) -> float:
    """The λ in front of ``|w|²``, with the mean loss, for a given C.

    The objective ``λ|w|² + (1/n) Σ loss`` is ``2 λ`` times ``½|w|² + C Σ loss`` with ``C = 1/(2 λ n)``.

    Parameters
    ----------
    C : float
        Cost of slack, positive.
    n : int
        Number of rows the mean is taken over; for weighted rows the divisor of the weighted sum.

    Returns
    -------
    float
        ``1 / (2 C n)``

    Notes
    -----
    The regularised form of the soft margin (Shalev-Shwartz and Ben-David 2014, section 15.2).

    Examples
    --------
    >>> from maxmargin.scales import lam_from_C
    >>> lam_from_C(0.5, n=100)
    0.01
    """
    return _inverse("C", C, "lam_from_C", 2.0 * check_integer("n", n, "lam_from_C", 1))


def C_from_lam_half(lam_half: float, n: int) -> float:
    """C for the λ in front of ``½|w|²``, with the mean loss.

    The objective ``(λ/2)|w|² + (1/n) Σ loss`` is ``λ`` times ``½|w|² + C Σ loss`` with ``C = 1/(λ n)``.

    Parameters
    ----------
    lam_half : float
        λ, positive.
    n : int
        Number of rows the mean is taken over; for weighted rows the divisor of the weighted sum.

    Returns
    -------
    float
        ``1 / (lam_half n)``

    Notes
    -----
    The form that stochastic gradient descent is stated for (Shalev-Shwartz and Ben-David 2014, section 15.5; Pegasos 2011).

    Examples
    --------
    >>> from maxmargin.scales import C_from_lam_half
    >>> C_from_lam_half(0.01, n=100)
    1.0
    """
    return _inverse("lam_half", lam_half, "C_from_lam_half", check_integer("n", n, "C_from_lam_half", 1))


def lam_half_from_C(C: float, n: int) -> float:
    """The λ in front of ``½|w|²``, with the mean loss, for a given C.

    The objective ``(λ/2)|w|² + (1/n) Σ loss`` is ``λ`` times ``½|w|² + C Σ loss`` with ``C = 1/(λ n)``.

    Parameters
    ----------
    C : float
        Cost of slack, positive.
    n : int
        Number of rows the mean is taken over; for weighted rows the divisor of the weighted sum.

    Returns
    -------
    float
        ``1 / (C n)``

    Notes
    -----
    The form that stochastic gradient descent is stated for (Shalev-Shwartz and Ben-David 2014, section 15.5; Pegasos 2011).

    Examples
    --------
    >>> from maxmargin.scales import lam_half_from_C
    >>> lam_half_from_C(1.0, n=100)
    0.01
    """
    return _inverse("C", C, "lam_half_from_C", check_integer("n", n, "lam_half_from_C", 1))


def C_from_alpha_sum(alpha_sum: float) -> float:
    """C for the α in front of ``½|w|²``, with the sum of losses.

    The objective ``(α/2)|w|² + Σ loss`` is ``α`` times ``½|w|² + C Σ loss`` with ``C = 1/α``.

    Parameters
    ----------
    alpha_sum : float
        The constant above, positive.

    Returns
    -------
    float
        ``1 / alpha_sum``

    Notes
    -----
    The form of the saddle point ``min_w max_{λ ∈ [0,1]ⁿ} Σ λ_i (1 − y_i f(x_i)) + (α/2)|w|²``,
    whose ``λ_i`` are ``α_i / C`` here.

    Examples
    --------
    >>> from maxmargin.scales import C_from_alpha_sum
    >>> C_from_alpha_sum(4.0)
    0.25
    """
    return _inverse("alpha_sum", alpha_sum, "C_from_alpha_sum", 1.0)


def alpha_sum_from_C(C: float) -> float:
    """The α in front of ``½|w|²``, with the sum of losses, for a given C.

    The objective ``(α/2)|w|² + Σ loss`` is ``α`` times ``½|w|² + C Σ loss`` with ``C = 1/α``.

    Parameters
    ----------
    C : float
        Cost of slack, positive.

    Returns
    -------
    float
        ``1 / C``

    Notes
    -----
    The form of the saddle point ``min_w max_{λ ∈ [0,1]ⁿ} Σ λ_i (1 − y_i f(x_i)) + (α/2)|w|²``,
    whose ``λ_i`` are ``α_i / C`` here.

    Examples
    --------
    >>> from maxmargin.scales import alpha_sum_from_C
    >>> alpha_sum_from_C(0.25)
    4.0
    """
    return _inverse("C", C, "alpha_sum_from_C", 1.0)
