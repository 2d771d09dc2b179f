"""Operator set versions that a converter supports."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def support(opset_versions: Any) -> Callable[..., Any]:
    """Return a decorator that lists the opset versions a converter distinguishes.

    A form applies to all versions up to the next one in the list, which therefore has
    the versions in which the emitted nodes change.

    Parameters
    ----------
    opset_versions : iterable of int
        The versions.

    Returns
    -------
    callable
        Decorator for ``converter(func, opset_version, input_names, output_names,
        context)``. The converter gets the largest listed version that is not above
        that of the export. Below the smallest one, RuntimeError is raised.
    """
    versions = sorted(opset_versions)

    def decorate(converter):
        @functools.wraps(converter)
        def convert(func, opset_version, input_names, output_names, context):
            usable = [version for version in versions if version <= opset_version]
            if not usable:
                raise RuntimeError(
                    'opset version %d has no form of %s: export with opset_version=%d '
                    'or later' % (opset_version, type(func).__name__, versions[0]))
            return converter(func, usable[-1], input_names, output_names, context)
        return convert
    return decorate
