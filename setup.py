"""Build of the compiled modules; all metadata stands in pyproject.toml.

Set ``CHAINER_FAST_DEBUG=1`` to build with bounds and None checks, overflow checks
and debug symbols. ``--force`` translates and compiles everything anew, as is needed
when going from one kind of build to the other.
"""
import glob
import os
import sys

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get('CHAINER_FAST_DEBUG', '') not in ('', '0')

# The one place where compiler directives are set.
DIRECTIVES = {
    'language_level': 3,
    'binding': True,
    'embedsignature': False,
    'boundscheck': DEBUG,
    'wraparound': DEBUG,
    'initializedcheck': DEBUG,
    'nonecheck': DEBUG,
    'overflowcheck': DEBUG,
    'cdivision': True,
    'freethreading_compatible': False,
}

# Every .pyx file of these folders is a module; headers stand beside them.
FOLDERS = ['chainer_fast/_core', 'chainer_fast/backends/kernels/_compiled']

if sys.platform == 'win32':
    COMPILE_ARGS = ['/Od', '/Zi'] if DEBUG else ['/O2']
else:
    COMPILE_ARGS = ['-O0', '-g'] if DEBUG else ['-O3', '-fno-strict-aliasing']
    # ``x * y + z`` must round twice, as NumPy does, on every machine; and no loop with
    # a square root is vectorized while ``errno`` has to be set.
    COMPILE_ARGS += ['-ffp-contract=off', '-fno-math-errno']
    # A module need not use all that a header offers.
    COMPILE_ARGS += ['-Wno-unused-function']


def extensions():
    """Return the compiled modules."""
    headers = [h for folder in FOLDERS for h in glob.glob(folder + '/*.h')]
    return [
        Extension(
            source[:-len('.pyx')].replace(os.sep, '.').replace('/', '.'),
            [source],
            depends=headers,
            include_dirs=[numpy.get_include(), *FOLDERS],
            define_macros=[('NPY_NO_DEPRECATED_API', 'NPY_1_22_API_VERSION')],
            extra_compile_args=COMPILE_ARGS)
        for folder in FOLDERS for source in sorted(glob.glob(folder + '/*.pyx'))]


setup(ext_modules=cythonize(
    extensions(), compiler_directives=DIRECTIVES, force='--force' in sys.argv))
