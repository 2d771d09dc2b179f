"""C++ that tests compile."""
import ctypes
import os
import shlex
import shutil
import subprocess

import pytest


def run(source, *options):
    """Have a file compiled; skip the test without a compiler.

    As in a build, ``CXX`` names the compiler.
    """
    compiler = shlex.split(os.environ.get('CXX', '')) or [
        path for path in map(shutil.which, ('c++', 'g++')) if path][:1]
    if not compiler:
        pytest.skip('there is no C++ compiler')
    subprocess.run([*compiler, *options, source], check=True)


def library(folder, code, *options):
    """Return the library that a text becomes."""
    source, found = folder / 'code.cpp', folder / 'code.so'
    source.write_text(code)
    run(source, '-Wall', '-Werror', '-shared', '-fPIC', *options, '-o', found)
    return ctypes.CDLL(str(found))
