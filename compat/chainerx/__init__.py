"""Leads to chainer_fast, whose modules take the place of this one."""
import importlib as _importlib

_leads_to_chainer_fast = True

_importlib.import_module('chainer_fast.alias').install()
