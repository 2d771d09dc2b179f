"""A list of the kernels that have been compiled, to be compiled by NVRTC as well.

With the environment variable HOST_CUPY_INSTANCES=FILE, a line of JSON is appended for
each kernel and each combination of arguments that its code depends on. Several
processes may write to one file.
"""
import json
import os


def record(kind, init, kinds, ndims, letters):
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
    ndims : list of int
        Number of axes of each indexer.
    letters : dict
        Types that letters stand for.
    """
    path = os.environ.get('HOST_CUPY_INSTANCES')
    if not path:
        return
    line = json.dumps({
        'kind': kind, 'init': init, 'arguments': kinds, 'ndims': ndims,
        'letters': {letter: dtype.name for letter, dtype in letters.items()}})
    # One write, at the end of the file: lines of several processes do not mix.
    with open(path, 'ab', buffering=0) as file:
        file.write(line.encode() + b'\n')
