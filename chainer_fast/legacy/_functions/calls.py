"""Removed arguments of functions: ``train``, ``use_cudnn`` and others."""
import sys

from chainer_fast import functions
from chainer_fast._help.past.removed import forms
from chainer_fast.legacy import _named, _old_calls


def replace(patches, name, make):
    """Replace a function by another one, here and in the module that defines it.

    Its pickles refer to that module.
    """
    today = getattr(functions, name)
    new = make(today)
    patches.set(functions, name, new)
    patches.set(sys.modules[today.__module__], today.__name__, new)


def _adapt_all(patches, forms, version):
    named = _named.is_named(patches, version)
    for name, old in forms.items():
        def make(today, name=name, old=old):
            return _old_calls.adapt(_old_calls.OldForm(
                'chainer.functions.' + name, old, today, named), today)
        replace(patches, name, make)


def install(patches):
    """Accept the arguments of Chainer 1 and 2."""
    _adapt_all(patches, forms.FUNCTIONS_OF_V2, 'v2')
    if 'v1' in patches.parts:
        _adapt_all(patches, forms.FUNCTIONS, 'v1')
