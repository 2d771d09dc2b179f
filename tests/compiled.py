"""C++ that tests compile."""
import ctypes
import os
import shlex
import shutil
import subprocess

import pytest


def library(folder, code, *options):
    """Return the library that a text becomes; skip the test without a compiler.

    As in a build, ``CXX`` names the compiler.
    """
    compiler = shlex.split(os.environ.get('CXX', '')) or [
        path for path in map(shutil.which, ('c++', 'g++')) if path][:1]
    if not compiler:
        pytest.skip('there is no C++ compiler')
    source, found = folder / 'code.cpp', folder / 'code.so'
    source.write_text(code)
    subprocess.run(
        [*compiler, '-Wall', '-Werror', '-shared', '-fPIC', *options, '-o', found,
         source], check=True)
    return ctypes.CDLL(str(found))
