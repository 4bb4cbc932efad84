"""How long the stages of a fit took."""

from __future__ import annotations

import time
from typing import final

__all__ = ["Stages"]


@final
class Stages:
    """The seconds of each stage of a fit, one after the other.

    Attributes
    ----------
    seconds : dict
        Name and seconds of each stage that has ended.

    Examples
    --------
    >>> from maxmargin.estimators._shared._stages import Stages
    >>> stages = Stages()
    >>> stages.end("validation")
    >>> list(stages.seconds)
    ['validation']
    """

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def end(self, name: str, certificate: float = 0.0) -> None:
        """The stage that ends now; so many of its seconds were for the certificate."""
        now = time.perf_counter()
        self.seconds[name] = max(now - self._begun - certificate, 0.0)
        if certificate > 0.0:
            self.seconds["certificate"] = certificate
        self._begun = now
