"""Alias of chainer_fast, whose modules replace this one."""
import importlib as _importlib

_leads_to_chainer_fast = True

_importlib.import_module('chainer_fast.alias').install()
