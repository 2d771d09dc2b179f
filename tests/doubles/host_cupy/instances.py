"""A list of the kernels that have been compiled, to be compiled by NVRTC as well.

With the environment variable HOST_CUPY_INSTANCES=FILE, a line of JSON is appended for
each kernel and each combination of arguments that its code depends on. Several
processes may write to one file.
"""
import json
import os
import sys

_PACKAGE = os.sep + 'chainer_fast' + os.sep


def place():
    """Return the lines of chainer_fast that are being run, if kernels are recorded."""
    if not os.environ.get('HOST_CUPY_INSTANCES'):
        return None
    lines = []
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if _PACKAGE in path:
            lines.append('%s:%d' % (path.rpartition(_PACKAGE)[2], frame.f_lineno))
        frame = frame.f_back
    return lines


def record(kind, init, kinds, ndims, letters, made_at):
    """Append a kernel to the list, if there is one.

    Parameters
    ----------
    kind : {'elementwise', 'reduction', 'raw'}
        Class of the kernel.
    init : dict
        Arguments of the class.
    kinds : sequence of tuple
        For each argument of the call ``('number', dtype)`` or
        ``('array', dtype, ndim, is_contiguous)``.
    ndims : sequence of int
        Number of axes of each indexer.
    letters : dict
        Types that letters stand for.
    made_at : list of str
        What :func:`place` said when the kernel was made.

    Returns
    -------
    dict or None
        What was appended.
    """
    path = os.environ.get('HOST_CUPY_INSTANCES')
    if not path:
        return None
    instance = {
        'kind': kind, 'init': init, 'arguments': kinds, 'ndims': ndims,
        'letters': {letter: dtype.name for letter, dtype in letters.items()},
        'made_at': made_at}
    line = json.dumps(instance)
    # One write, at the end of the file: lines of several processes do not mix.
    with open(path, 'ab', buffering=0) as file:
        file.write(line.encode() + b'\n')
    return instance
