"""Converters of functions to ONNX nodes, one module for each family of functions.

A converter of the class ``X`` is named ``convert_X``; all of them are collected here.
"""
import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    globals().update({
        name: converter for name, converter in vars(
            importlib.import_module('%s.%s' % (__name__, _module.name))).items()
        if name.startswith('convert_')})
