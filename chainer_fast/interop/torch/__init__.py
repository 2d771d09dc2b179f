"""PyTorch and Chainer in one program: shared memory, joined graphs.

Importing this module imports PyTorch.
"""
from __future__ import annotations


from chainer_fast._help import installation

try:
    import torch as _torch
except ImportError as error:
    raise ImportError(
        'chainer_fast.interop.torch needs PyTorch 2.1 or newer: '
        + installation.install('torch')) from error

from chainer_fast.interop.torch._graph import from_torch, to_torch
from chainer_fast.interop.torch._link import ModuleLink
from chainer_fast.interop.torch._module import LinkModule
from chainer_fast.interop.torch._weights import (
    load_torch_state_dict,
    torch_state_dict,
)

__all__ = [
    'LinkModule', 'ModuleLink', 'from_torch', 'load_torch_state_dict', 'to_torch',
    'torch_state_dict']
