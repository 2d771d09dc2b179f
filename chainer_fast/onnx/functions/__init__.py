"""Converters of functions to ONNX nodes, one module for each family of functions.

A converter of the class ``X`` is named ``convert_X``; all of them are collected here.
"""
import importlib
import pkgutil

for _info in pkgutil.iter_modules(__path__):
    _module = importlib.import_module('%s.%s' % (__name__, _info.name))
    for _name, _converter in vars(_module).items():
        if _name.startswith('convert_'):
            # Converters of single operators are made by a function, without a name.
            _converter.__name__ = _converter.__qualname__ = _name
            _converter.__module__ = _module.__name__
            globals()[_name] = _converter
