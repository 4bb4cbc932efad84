"""ONNX: fitted models as graphs that other runtimes compute."""

from maxmargin.onnx._register import register

__all__ = ["register"]
