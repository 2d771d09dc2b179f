"""Declared kernels: a loop in C++, and a line that declares its arguments.

``declared('huber_grad')`` is the compiled form of the kernel of that name. It is
called with arrays and numbers in the order of its signature (see
:mod:`~chainer_fast.backends.kernels.declared.signatures`). It returns a new array, or a
tuple of several, or ``NotImplemented``: for arguments that the signature does not name,
and if the loop has raised a floating-point flag of which NumPy would warn.
"""
from __future__ import annotations

from chainer_fast.backends.kernels.declared.adapter import (
    KERNELS,
    Declared as Declared,
    DeclaredKernel,
)


def declared(name: str) -> DeclaredKernel:
    """Return a declared kernel by its name."""
    return KERNELS[name]
