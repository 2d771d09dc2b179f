"""Reductions, running sums and the like over each axis of two to four."""
from sweep.kinds import Kind

SHAPES = {
    2: ('x[a,b]', {'small': {'a': 32, 'b': 64}, 'medium': {'a': 320, 'b': 320},
                   'large': {'a': 1000, 'b': 2000}}),
    3: ('x[a,b,c]', {'small': {'a': 4, 'b': 8, 'c': 32},
                     'medium': {'a': 20, 'b': 100, 'c': 50},
                     'large': {'a': 64, 'b': 128, 'c': 256}}),
    4: ('x[a,b,c,d]', {'small': {'a': 2, 'b': 4, 'c': 8, 'd': 8},
                       'medium': {'a': 8, 'b': 32, 'c': 20, 'd': 20},
                       'large': {'a': 32, 'b': 64, 'c': 32, 'd': 32}}),
}
SEVERAL = {2: [], 3: [], 4: [(0, 2, 3), (2, 3), (0, 1)]}
LAYOUTS = {2: ('transposed', 'left half', 'every second column', 'every second row'),
           3: (), 4: ('channels last',)}

#: Functions of one axis.
ONE = '''
    softmax       | F.softmax(x, axis)       | torch.softmax(x, axis)
    log_softmax   | F.log_softmax(x, axis)   | torch.log_softmax(x, axis)
    cumsum        | F.cumsum(x, axis)        | torch.cumsum(x, axis)
    cumprod       | F.cumprod(x, axis)       | torch.cumprod(x, axis)
    prod          | F.prod(x, axis)          | torch.prod(x, axis)
    argmax        | F.argmax(x, axis)        | torch.argmax(x, axis)
    argmin        | F.argmin(x, axis)        | torch.argmin(x, axis)
    normalize     | F.normalize(x, 1e-5, axis) | \
x / (torch.linalg.vector_norm(x, dim=axis, keepdim=True) + 1e-5)
'''
#: Functions of several axes, or of all.
ANY = '''
    sum           | F.sum(x, axis)           | torch.sum(x, axis)
    mean          | F.mean(x, axis)          | torch.mean(x, axis)
    logsumexp     | F.logsumexp(x, axis)     | torch.logsumexp(x, axes)
'''
# PyTorch gives each of equal elements, of which halves have many, a part of the
# gradient.
EXTREMES = '''
    max           | F.max(x, axis)           | torch.amax(x, axes)
    min           | F.min(x, axis)           | torch.amin(x, axes)
'''


def _kinds():
    for axes, (operands, sizes) in SHAPES.items():
        ones = [{'title': 'axis %d of %d' % (axis, axes), 'axis': axis,
                 'axes': (axis,)} for axis in range(axes)]
        several = [{'title': 'axes %s of 4' % (found,), 'axis': found, 'axes': found}
                   for found in SEVERAL[axes]]
        everything = {'title': 'all of %d' % axes, 'axis': None,
                      'axes': tuple(range(axes))}
        for table, dtypes in (ANY, 'fde'), (EXTREMES, 'fd'):
            yield Kind('reduction', operands, sizes, table,
                       (everything, *ones, *several), dtypes, LAYOUTS[axes])
        yield Kind('along an axis', operands, sizes, ONE, tuple(ones),
                   layouts=LAYOUTS[axes])


WHOLE = Kind('reduction', *SHAPES[2], '''
    average       | F.average(x, 0)          | torch.mean(x, 0)
    norm of rows  | F.sqrt(F.sum(x * x, 1))  | torch.linalg.vector_norm(x, dim=1)
    batch_l2_norm_squared |                  | torch.sum(x ** 2, 1)
    divided by sums | x / F.sum(x, 1, keepdims=True) | x / torch.sum(x, 1, keepdim=True)
    prod of all   | F.prod(x)                | torch.prod(x)
    argmax of all | F.argmax(x)              | torch.argmax(x)
''')

RUNNING = Kind('along an axis', 'x[n]', {str(n): {'n': n} for n in (
    10, 100, 1000, 10000)}, '''
    cumsum        | F.cumsum(x, 0)           | torch.cumsum(x, 0)
    cumprod       | F.cumprod(x, 0)          | torch.cumprod(x, 0)
''')

KINDS = [*_kinds(), WHOLE, RUNNING]
