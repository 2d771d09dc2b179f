"""Products of matrices and linear algebra."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    ledger_launch,
    ndarray,
    view,
    wrap,
)
from tests.doubles.host_cupy.creation import ascontiguousarray
from tests.doubles.host_cupy.registry import method, routine
from tests.doubles.host_cupy.tools import errstate


def _as_matrix(host, rows, columns):
    """Return a matrix for cuBLAS, and report the copies that this takes."""
    if host.shape != (rows, columns):
        matrix = host.reshape(rows, columns)
        if not numpy.may_share_memory(matrix, host):
            ledger.launch('copy')
        host = matrix
    flags = host.flags
    if not (flags.c_contiguous or flags.f_contiguous or 1 in host.shape and (
            host.strides[0] % host.itemsize == 0)):
        # Rows may be apart from each other, elements of a row may not.
        ledger.launch('copy')
        host = numpy.ascontiguousarray(host)
    return host


def _tensordot(a, b, out, n, m, k, shape):
    """Multiply the (k, n) of ``a``, transposed, by the (k, m) of ``b``."""
    dtype = numpy.promote_types(a.dtype, b.dtype)
    if out is not None:
        target = array_operand(out)
        if target.dtype != dtype:
            raise ValueError('Not supported dtype combination.')
        if not target.flags.c_contiguous:
            raise ValueError('Output array must be C-contiguous')
    if not a.size or not b.size:
        result = numpy.zeros(shape, dtype)
        ledger_launch('fill', result.size)
    else:
        if m == 1 and n == 1:
            for host in (a, b):
                if not host.flags.c_contiguous:
                    ledger.launch('ravel')
            ledger.launch('multiply')
            ledger.launch('sum')
        else:
            for host in (a, b):
                if host.dtype != dtype:
                    ledger.launch('astype')
            a_matrix = _as_matrix(a.astype(dtype, copy=False), k, n)
            b_matrix = _as_matrix(b.astype(dtype, copy=False), k, m)
            if dtype.kind in 'biu':
                ledger.launch('tensordot of integers')
            else:
                ledger.launch('gemm')
            a, b = a_matrix, b_matrix
        wide = numpy.float32 if dtype.char == 'e' else dtype
        with numpy.errstate(all='ignore'):
            result = (a.reshape(k, n).astype(wide, copy=False).T
                      @ b.reshape(k, m).astype(wide, copy=False))
            result = result.astype(dtype).reshape(shape)
    if out is None:
        return wrap(numpy.ascontiguousarray(result).reshape(shape))
    target[...] = result.reshape(target.shape)
    return out


def _array(x, name):
    if not isinstance(x, ndarray):
        raise TypeError('%s takes arrays of CuPy, not %s' % (name, type(x)))
    return array_operand(x)


@routine
def dot(a, b, out=None):
    a_host, b_host = _array(a, 'dot'), _array(b, 'dot')
    if not a_host.ndim or not b_host.ndim:
        import cupy
        return cupy.multiply(a, b, out=out)
    shape_a = a_host.shape[:-1]
    b_axis = max(b_host.ndim - 2, 0)
    if a_host.shape[-1] != b_host.shape[b_axis]:
        raise ValueError('Axis dimension mismatch')
    a_host = numpy.moveaxis(a_host, -1, 0)
    b_host = numpy.moveaxis(b_host, b_axis, 0)
    return _by_heads(a_host, b_host, 1, out, shape_a + b_host.shape[1:])


method(dot)


def _by_heads(a, b, axes, out, shape=None):
    """Sum over the first axes of both arrays."""
    k = int(numpy.prod(a.shape[:axes]))
    if shape is None:
        shape = a.shape[axes:] + b.shape[axes:]
    n, m = (a.size // k, b.size // k) if k else (0, 0)
    return _tensordot(a, b, out, n, m, k, shape)


@routine
def vdot(a, b):
    a_host, b_host = _array(a, 'vdot'), _array(b, 'vdot')
    if a_host.size != b_host.size:
        raise ValueError('Axis dimension mismatch')
    return _tensordot(a_host, b_host, None, 1, 1, a_host.size, ())


@routine
def inner(a, b):
    a_host, b_host = _array(a, 'inner'), _array(b, 'inner')
    if not a_host.ndim or not b_host.ndim:
        import cupy
        return cupy.multiply(a, b)
    if a_host.shape[-1] != b_host.shape[-1]:
        raise ValueError('Axis dimension mismatch')
    return _by_heads(
        numpy.moveaxis(a_host, -1, 0), numpy.moveaxis(b_host, -1, 0), 1, None)


@routine
def outer(a, b, out=None):
    import cupy
    return cupy.multiply(a.ravel()[:, None], b.ravel()[None, :], out=out)


@routine
def tensordot(a, b, axes=2):
    a_host, b_host = _array(a, 'tensordot'), _array(b, 'tensordot')
    if not a_host.ndim or not b_host.ndim:
        import cupy
        return cupy.multiply(a, b)
    if isinstance(axes, (list, tuple)):
        a_axes, b_axes = [(x,) if numpy.isscalar(x) else tuple(x) for x in axes]
    else:
        a_axes = tuple(range(a_host.ndim - axes, a_host.ndim))
        b_axes = tuple(range(axes))
    if len(a_axes) != len(b_axes):
        raise ValueError('Axes length mismatch')
    if any(a_host.shape[i] != b_host.shape[j]
           for i, j in zip(a_axes, b_axes, strict=True)):
        raise ValueError('Axis dimension mismatch')
    heads = range(len(a_axes))
    return _by_heads(numpy.moveaxis(a_host, a_axes, heads),
                     numpy.moveaxis(b_host, b_axes, heads), len(a_axes), None)


@routine
def matmul(x1, x2, out=None):
    a, b = _array(x1, 'matmul'), _array(x2, 'matmul')
    if not a.ndim or not b.ndim:
        raise ValueError("Scalar operands are not allowed, use '*' instead")
    if max(a.ndim, b.ndim) <= 2:
        if out is None or (out.flags.c_contiguous
                           and out.dtype == numpy.promote_types(a.dtype, b.dtype)):
            return dot(x1, x2, out)
        result = dot(x1, x2)
        out[...] = result
        return out
    final = numpy.promote_types(a.dtype, b.dtype)
    dtype = numpy.dtype('f') if final.char == 'e' else final
    a, b = [ascontiguousarray(x, dtype)._host for x in (x1, x2)]
    with numpy.errstate(all='ignore'):
        result = numpy.matmul(a, b)
    if not result.size:
        pass
    elif not a.size:
        ledger.launch('zeros')
    else:
        if a.shape[:-2] != b.shape[:-2]:
            # Broadcast matrices are multiplied by way of their addresses.
            for _ in range(3):
                ledger.launch('mat_ptrs')
        ledger.launch('gemm')
    if out is not None:
        if not (out.dtype == dtype and out.flags.c_contiguous):
            ledger_launch('copy', result.size)
        array_operand(out)[...] = result
        return out
    if final != dtype:
        ledger_launch('copy', result.size)
    return wrap(result.astype(final, copy=False))


@routine
def einsum(*operands, **kwargs):
    kwargs.pop('optimize', None)
    dtype = kwargs.pop('dtype', None)
    if kwargs:
        raise TypeError('Did not understand the following kwargs: %s' % list(kwargs))
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        raise NotImplementedError('the stand-in takes the subscripts as a string')
    hosts = [_array(x, 'einsum') for x in arrays]
    final = numpy.result_type(*hosts) if dtype is None else numpy.dtype(dtype)
    wide = numpy.float32 if final.char == 'e' else final
    with numpy.errstate(all='ignore'):
        result = numpy.einsum(subscripts, *[h.astype(wide, copy=False) for h in hosts],
                              optimize=len(hosts) > 2)
    inputs, _, output = subscripts.replace(' ', '').partition('->')
    terms = inputs.split(',')
    # Axes that only one operand has are summed first.
    for i, term in enumerate(terms):
        others = set(''.join(terms[:i] + terms[i + 1:]) + output)
        if set(term) - others - {'.'} and len(terms) > 1:
            ledger.launch('sum')
    if len(terms) == 1:
        if set(terms[0]) - set(output):
            ledger_launch('sum', result.size)
        elif len(set(terms[0])) == len(terms[0]) and hosts[0].dtype == final:
            # A mere order of axes.
            return view(arrays[0], numpy.einsum(subscripts, hosts[0]))
    for _ in range(len(terms) - 1):
        # For a product, both operands are put in order and, where their elements lie
        # otherwise in memory, copied.
        ledger_launch('einsum copy', result.size)
        ledger_launch('einsum copy', result.size)
        ledger_launch('gemm', result.size)
    return wrap(numpy.ascontiguousarray(result.astype(final)).reshape(result.shape))


@routine
def kron(a, b):
    ledger_launch('kron', a.size)
    return wrap(numpy.kron(array_operand(a), array_operand(b)))


@routine
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    for _ in range(9):
        ledger_launch('cross', a.size)
    return wrap(numpy.cross(array_operand(a), array_operand(b), axisa, axisb, axisc,
                            axis))


def _checked(host, square=True):
    if host.dtype.char not in 'fdFD':
        if host.dtype.kind in 'iub':
            return host.astype(numpy.float64)
        raise TypeError('Unsupported dtype %s' % host.dtype)
    if square and (host.ndim < 2 or host.shape[-1] != host.shape[-2]):
        raise numpy.linalg.LinAlgError(
            'Last 2 dimensions of the array must be square')
    return host


def _linalg(name, launches, synchronises, square=True):
    """Register a function that NumPy computes.

    As in CuPy, errors show only in the results, which are NaN here, and CuPy waits for
    numbers alone, unless ``cupyx.errstate(linalg='raise')`` asks for them.
    """
    f = getattr(numpy.linalg, name)

    def g(a, *args, **kwargs):
        host = _checked(_array(a, name), square)
        args = [_array(x, name) if isinstance(x, ndarray) else x for x in args]
        kwargs = {k: _array(x, name) if isinstance(x, ndarray) else x
                  for k, x in kwargs.items()}
        for _ in range(launches):
            ledger_launch(name, host.size)
        strict = errstate.linalg == 'raise'
        if synchronises or strict:
            ledger.synchronise('linalg.' + name)
        with numpy.errstate(all='ignore'):
            try:
                result = f(host, *args, **kwargs)
            except numpy.linalg.LinAlgError:
                if strict:
                    raise
                like = numpy.broadcast_to(numpy.eye(*host.shape[-2:]), host.shape)
                result = f(like.astype(host.dtype), *args, **kwargs) * numpy.nan
        if isinstance(result, tuple):
            return type(result)(*map(wrap, result)) if hasattr(
                result, '_fields') else tuple(map(wrap, result))
        return wrap(result)
    g.__name__ = name
    routine(module='cupy.linalg')(g)


# The copies to the order of columns, the solvers of cuSOLVER, the result.
for _name, _launches, _synchronises, _square in (
        ('cholesky', 4, False, True), ('inv', 5, False, True),
        ('pinv', 10, False, False), ('eigh', 3, False, True),
        ('eigvalsh', 3, False, True), ('svd', 4, False, False), ('det', 8, False, True),
        ('slogdet', 8, False, True), ('solve', 5, False, True), ('qr', 5, False, False),
        ('matrix_rank', 6, True, False), ('matrix_power', 3, False, True)):
    _linalg(_name, _launches, _synchronises, _square)


@routine(module='cupy.linalg')
def lstsq(a, b, rcond='warn'):
    for _ in range(10):
        ledger.launch('lstsq')
    ledger.synchronise('linalg.lstsq')
    x, residuals, rank, s = numpy.linalg.lstsq(
        array_operand(a), array_operand(b), None if rcond == 'warn' else rcond)
    return wrap(x), wrap(residuals), wrap(numpy.asarray(rank)), wrap(s)


@routine(module='cupy.linalg')
def norm(x, ord=None, axis=None, keepdims=False):
    host = _array(x, 'norm')
    if host.dtype.kind not in 'fc':
        host = host.astype(float)
    result = numpy.linalg.norm(host, ord, axis, keepdims)
    for _ in range(3 if ord in (None, 2, 'fro') else 2):
        ledger.launch('norm')
    return wrap(numpy.asarray(result))
