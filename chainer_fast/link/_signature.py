"""The signature of links as callables."""
from __future__ import annotations

import inspect
from typing import Any

from chainer_fast._core.graphs.links import LinkBase


class CallSignature:
    """Attribute ``__signature__`` of links that are called by the compiled method.

    Without it ``inspect.signature(link)`` finds no signature, since the method is
    compiled. Classes, and links whose class defines ``__call__`` in Python, are left to
    :mod:`inspect`.
    """

    _signature = inspect.Signature([
        inspect.Parameter('args', inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter('kwargs', inspect.Parameter.VAR_KEYWORD)])

    def __get__(self, link: Any, cls: type[Any]) -> inspect.Signature:
        if link is None or cls.__call__ is not LinkBase.__call__:
            raise AttributeError('__signature__')
        return self._signature
