"""Diagnosis of a machine: what works, what is missing or broken, and how to fix it.

``python -m chainer_fast --doctor`` prints it. A check is a function that returns a
:class:`Finding`, and an error that it raises becomes a finding of a broken part.
"""
import sys
import warnings
from collections.abc import Callable

from chainer_fast._help.command.colours import coloured
from chainer_fast._help.command.doctor import gpu, processor
from chainer_fast._help.command.doctor.finding import (
    BROKEN,
    MISSING,
    WORKS,
    Finding,
    NotThere,
)

CHECKS: dict[str, Callable[[], Finding]] = {
    'chainer_fast': processor.check_package,
    'Python': processor.check_python,
    'GIL': processor.check_gil,
    'vectors': processor.check_vectors,
    'NumPy': processor.check_numpy,
    'SciPy': processor.check_scipy,
    'products': processor.check_products,
    'oneDNN': processor.check_onednn,
    'CUDA driver': gpu.check_driver,
    'GPUs': gpu.check_gpus,
    'CuPy': gpu.check_cupy,
    'NVRTC': gpu.check_nvrtc,
    'CUDA libraries': gpu.check_cuda_libraries,
    'GPU arithmetic': gpu.check_arithmetic,
    'cuDNN': gpu.check_cudnn,
    'NCCL': gpu.check_nccl,
    'MPI': processor.check_mpi,
    'ONNX': processor.check_onnx,
}

_COLOURS = {WORKS: 'green', MISSING: 'yellow', BROKEN: 'red'}


def examine():
    """Run the checks.

    Returns
    -------
    dict of str to Finding
    """
    findings = {}
    for part, check in CHECKS.items():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')     # findings report what is wrong
            try:
                findings[part] = check()
            except NotThere as e:
                findings[part] = Finding(MISSING, *e.args)
            except Exception as e:
                findings[part] = Finding(BROKEN, '%s: %s' % (type(e).__name__, e))
    return findings


def main(file=None):
    """Print a diagnosis of the machine.

    Parameters
    ----------
    file : file-like, optional
        Where to print; standard output by default.

    Returns
    -------
    int
        Exit status: 1 if an installed part is broken, else 0.
    """
    findings = examine()
    for part, finding in findings.items():
        seen = ' '.join(finding.seen.split())
        state = coloured(
            '%-10s' % finding.state, _COLOURS[finding.state], file or sys.stdout)
        print('%-15s %s %s' % (part, state, seen), file=file)
        if finding.remedy:
            print('%-15s %-10s %s' % ('', 'to fix:', finding.remedy), file=file)
    broken = [part for part, finding in findings.items() if finding.state == BROKEN]
    print('\nBroken: %s.' % ', '.join(broken) if broken
          else '\nNo installed part is broken.', file=file)
    return int(bool(broken))
