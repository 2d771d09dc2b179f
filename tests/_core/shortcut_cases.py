"""Functions that have shortcuts, and arrays of every kind to try them on."""
import enum
import functools

import numpy as np
from hypothesis import strategies as st

from benchmarks.functions import records
from chainer_fast.functions.activation import crelu, log_softmax, softmax
from chainer_fast.functions.array import (
    broadcast,
    concat,
    expand_dims,
    get_item,
    reshape,
    select_item,
    separate,
    split_axis,
    squeeze,
    stack,
    swapaxes,
    transpose,
    transpose_sequence,
)
from chainer_fast.functions.connection import (
    convolution_2d,
    deconvolution_2d,
    embed_id,
    linear,
)
from chainer_fast.functions.evaluation import accuracy
from chainer_fast.functions.loss import (
    _candidates,
    negative_sampling,
    softmax_cross_entropy,
)
from chainer_fast.functions.math import (
    average,
    cumprod,
    logsumexp,
    matmul,
    minmax,
    sum,
)
from chainer_fast.functions.noise import dropout
from chainer_fast.functions.normalization import (
    batch_normalization,
    group_normalization,
    l2_normalization,
    layer_normalization,
    local_response_normalization,
)
from chainer_fast.functions.rnn import lstm, slstm
from chainer_fast.graph_optimizations._gpu import recording
from chainer_fast.graph_optimizations._processor import planned_call
from chainer_fast.links.loss import hierarchical_softmax

LAYOUTS = ['C', 'C', 'C', 'C', 'F', 'strided', 'reversed', 'repeated', 'swapped',
           'unaligned', 'read-only', 'subclass']
SPECIAL = [0., -0., np.inf, -np.inf, np.nan, 1e-45, -1e-310, 3e38, -1e308, 6e4, 1.]


class SubArray(np.ndarray):
    """An array whose type says that it is not plain."""


def laid_out(array, layout):
    """Return the same numbers in another arrangement in memory."""
    if layout == 'F':
        return np.asfortranarray(array)
    if layout == 'strided':
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]) if array.ndim else 2,
                        array.dtype)
        view = wide[..., ::2] if array.ndim else wide[:1].reshape(())
        view[...] = array
        return view
    if layout == 'reversed':
        every = (slice(None, None, -1),) * array.ndim
        return array[every].copy()[every]
    if layout == 'repeated' and array.ndim:
        return np.broadcast_to(array[:1], array.shape)
    if layout == 'swapped':
        return array.astype(array.dtype.newbyteorder())
    if layout == 'unaligned':
        memory = bytearray(array.nbytes + 1)
        view = np.ndarray(array.shape, array.dtype, memory, 1)
        view[...] = array
        return view
    if layout == 'read-only':
        array = array.copy()
        array.flags.writeable = False
    if layout == 'subclass':
        return array.view(SubArray)
    return array


class Kind(enum.Enum):
    """Kind of the arrays to draw."""

    TAME = 0        # what a shortcut is sure to take
    PLAIN = 1       # the same with infinities, NaN and other arguments
    WILD = 2        # arrays of any type and arrangement


@st.composite
def arrays(draw, shape, dtype, kind):
    """An array of a shape and dtype."""
    random = np.random.RandomState(draw(st.integers(0, 99)))
    with np.errstate(over='ignore', invalid='ignore', under='ignore'):
        array = np.asarray(random.normal(0, 2, shape)).astype(dtype)
        if kind is not Kind.TAME and draw(st.booleans()):
            odd = np.asarray(random.choice(SPECIAL, shape))
            array = np.where(random.uniform(size=shape) < 0.3, odd, array)
            array = array.astype(dtype)
    if kind is Kind.WILD:
        return laid_out(array, draw(st.sampled_from(LAYOUTS)))
    return array


shapes = st.sampled_from([(), (1,), (7,), (40,), (2, 3), (3, 1), (1, 5), (0,), (2, 0),
                          (2, 3, 4), (1, 2, 1, 3), (2, 1, 2, 1, 2)])
tame_shapes = st.sampled_from([(1,), (7,), (2, 3), (2, 3, 4)])
types = {Kind.TAME: st.sampled_from('fd'), Kind.PLAIN: st.sampled_from('fd'),
         Kind.WILD: st.sampled_from('fde')}


@st.composite
def elementwise(draw, n, kind):
    shape = draw(tame_shapes if kind is Kind.TAME else shapes)
    dtype = draw(types[kind])
    xs = []
    for _ in range(n):
        if kind is Kind.WILD and draw(st.integers(0, 9)) == 0:
            # Another type, or a shape that may or may not broadcast.
            dtype = draw(st.sampled_from('fdei'))
            shape = draw(shapes)
        xs.append(draw(arrays(shape, dtype, kind)))
    return xs


@st.composite
def pairs(draw, kind):
    """Two arrays of shapes that broadcast to each other."""
    shapes = draw(st.sampled_from([
        ((2, 3), (3,)), ((3, 1), (1, 4)), ((), (2, 3)), ((2, 3, 4), (3, 1)),
        ((1, 3), (2, 3)), ((1,), (7,)), ((1, 1), (1,)), ((20, 40), (40,))]))
    dtype = draw(types[kind])
    return [draw(arrays(shape, dtype, kind)) for shape in draw(st.permutations(shapes))]


NUMBERS = [
    0, 1, 2, -3, 2.5, 1.2, -0., 1e-30, 1e300, 10 ** 400, float('inf'), float('nan'),
    True, np.float32(1.5), np.float64(1e300), np.int64(3), np.array(2.)]
TAME_NUMBERS = [2., .2, 1.]


@st.composite
def of_record(draw, cls, record, kind):
    """Draw arguments for a class with the record of an elementwise function."""
    if record.broadcasts and kind is not Kind.TAME and draw(st.booleans()):
        drawn = draw(pairs(kind))
    else:
        drawn = draw(elementwise(record.inputs + (record.held is not None), kind))
    if record.held is not None:
        first = np.asanyarray(drawn.pop(0))
    else:
        numbers = [n for n in TAME_NUMBERS if record.least <= n <= record.most]
        first = draw(st.sampled_from(
            numbers if kind is Kind.TAME else numbers + NUMBERS))
    return lambda: records.instance(cls, record, first), drawn


@st.composite
def along_axis(draw, cls, kind):
    x, = draw(elementwise(1, kind))
    axes = list(range(-x.ndim, x.ndim)) or [0]
    if kind is not Kind.TAME:
        axes += [x.ndim, -x.ndim - 1, np.int64(0)]
    axis = draw(st.sampled_from(axes))
    return lambda: cls(axis), [x]


@st.composite
def over_axes(draw, cls, kind):
    x, = draw(elementwise(1, kind))
    axes = list(range(-x.ndim, 0))
    chosen = st.lists(st.sampled_from(axes), unique=True) if axes else st.none()
    if kind is Kind.TAME and axes:
        # The kernel takes axes side by side; methods gather others.
        first = draw(st.integers(0, x.ndim - 1))
        chosen = st.integers(first + 1, x.ndim).map(lambda end: axes[first:end])
    axis = draw(st.none() | chosen.map(tuple) if axes else chosen)
    return lambda: cls(axis), [x]


@st.composite
def positions(draw, cls, kind):
    x, = draw(elementwise(1, kind))
    axes = [None, *range(-x.ndim, x.ndim)]
    if kind is not Kind.TAME:
        axes += [x.ndim, -x.ndim - 1, True]
    axis = draw(st.sampled_from(axes))
    return lambda: cls(axis), [x]


@st.composite
def random_masks(draw, kind):
    ratios = [0.5, 0.1, 0, 0.999, np.float32(0.3)]
    ratio = draw(st.sampled_from(ratios[:2] if kind is Kind.TAME else ratios))
    seed = draw(st.integers(0, 99))
    x, mask = draw(elementwise(2, kind))
    if draw(st.booleans()):
        return lambda: dropout.Dropout(ratio, mask), [x]

    def make():
        np.random.seed(seed)
        return dropout.Dropout(ratio)

    return make, [x]


@st.composite
def affine(draw, cls, kind):
    least = 1 if kind is Kind.TAME else 0
    rows, columns, units = (draw(st.integers(least, n)) for n in (40, 40, 5))
    dtypes = [draw(types[kind])] * 3
    if kind is Kind.WILD and draw(st.integers(0, 9)) == 0:
        dtypes[draw(st.integers(0, 2))] = draw(types[kind])
    x = draw(arrays((rows, columns), dtypes[0], kind))
    w = draw(arrays((units, columns), dtypes[1], kind))
    if cls is linear.LinearFunction:
        b = draw(arrays((units,), dtypes[2], kind))
        return cls, [x, w, b] if draw(st.booleans()) else [x, w]
    gy = draw(arrays((rows, units), dtypes[2], kind))
    if cls is linear.LinearGradData:
        return cls, [w, gy]
    return lambda: cls(w.dtype), [x, gy]


@st.composite
def products(draw, kind):
    lengths = [draw(st.integers(0 if kind is Kind.WILD else 1, 5)) for _ in range(3)]
    transposed = [draw(st.booleans()) for _ in range(3)]
    dtypes = [draw(types[kind])] * 2
    if kind is Kind.WILD and draw(st.integers(0, 9)) == 0:
        dtypes[1] = draw(types[kind])
    xs = []
    for i, dtype in enumerate(dtypes):
        shape = tuple(lengths[i:i + 2])
        xs.append(draw(arrays(shape[::-1] if transposed[i] else shape, dtype, kind)))
    dtype = draw(st.sampled_from([None, None, xs[0].dtype]))
    if kind is Kind.WILD and draw(st.integers(0, 3)) == 0:
        dtype = np.dtype(draw(types[kind]))
    return lambda: matmul.MatMul(*transposed, dtype), xs


@st.composite
def joined(draw, kind):
    n = 2 if kind is Kind.TAME else draw(st.integers(1, 10))
    shape = draw(tame_shapes if kind is Kind.TAME else shapes)
    axis = draw(st.integers(-len(shape) or 0, max(0, len(shape) - 1)))
    dtype = draw(types[kind])
    xs = []
    for _ in range(n):
        if kind is Kind.WILD and draw(st.integers(0, 19)) == 0:
            dtype = draw(types[kind])
        lengths = list(shape)
        if shape:
            lengths[axis] = draw(st.integers(0 if kind is Kind.WILD else 1, 4))
        xs.append(draw(arrays(tuple(lengths), dtype, kind)))
    return lambda: concat.Concat(axis), xs


@st.composite
def stacked(draw, kind):
    n = draw(st.integers(1 + (kind is Kind.TAME), 10))
    shape, dtype = draw(tame_shapes if kind is Kind.TAME else shapes), draw(types[kind])
    axes = list(range(-len(shape) - 1, len(shape) + 1))
    if kind is not Kind.TAME:
        axes += [len(shape) + 1, -len(shape) - 2, np.int64(0), 10 ** 30]
    xs = []
    for _ in range(n):
        if kind is Kind.WILD and draw(st.integers(0, 19)) == 0:
            dtype, shape = draw(types[kind]), draw(shapes)
        xs.append(draw(arrays(shape, dtype, kind)))
    axis = draw(st.sampled_from(axes))
    return lambda: stack.Stack(axis), xs


@st.composite
def split(draw, kind):
    x, = draw(elementwise(1, kind))
    axis = draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0
    length = x.shape[axis] if x.ndim else 1
    if kind is Kind.TAME:
        x = np.concatenate([x, x], axis)
        return lambda: split_axis.SplitAxis(2, axis), [x]
    sections = draw(st.integers(1, 4))
    cuts = draw(st.lists(st.integers(-1, length + 1), max_size=4))
    where = draw(st.sampled_from([
        sections, sorted(cuts), tuple(sorted(cuts)), np.sort(np.array(cuts, 'i')),
        cuts, [float(cut) for cut in cuts], np.int64(sections)]))
    axis = draw(st.sampled_from([axis, axis, axis, x.ndim, np.int64(axis)]))
    return lambda: split_axis.SplitAxis(where, axis), [x]


@st.composite
def separated(draw, kind):
    x, = draw(elementwise(1, kind))
    axis = draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0
    if kind is Kind.TAME:
        x = np.concatenate([x, x], axis)
    return lambda: separate.Separate(axis), [x]


@st.composite
def sequences(draw, kind):
    tail = draw(st.sampled_from([(), (3,), (2, 5)]))
    least = 2 if kind is Kind.TAME else 1
    lengths = sorted(draw(st.lists(
        st.integers(least, 6), min_size=least, max_size=4 if least > 1 else 6)),
        reverse=True)
    dtypes = [draw(types[kind])] * len(lengths)
    if kind is Kind.WILD:
        lengths = draw(st.sampled_from([lengths, lengths, [*lengths[:-1], 0]]))
        dtypes[-1] = draw(st.sampled_from([dtypes[0], draw(types[kind])]))
    xs = [draw(arrays((length, *tail), dtype, kind))
          for length, dtype in zip(lengths, dtypes, strict=True)]
    return lambda: transpose_sequence.TransposeSequence(lengths[0]), xs


@st.composite
def cells(draw, cls, kind):
    memories = 1 if cls is lstm.LSTM else 2
    least = 1 if kind is Kind.TAME else 0
    rows, units = draw(st.integers(least, 5)), draw(st.integers(least, 40))
    samples = draw(st.integers(least, rows)) if memories == 1 else rows
    shapes = [(rows, units)] * memories + [(samples, 4 * units)] * memories
    dtypes = [draw(types[kind])] * len(shapes)
    if kind is Kind.WILD and draw(st.integers(0, 9)) == 0:
        i = draw(st.integers(0, len(shapes) - 1))
        dtypes[i] = draw(types[kind])
        shapes[i] = draw(st.sampled_from([(1, units), (rows, 1), (rows, units, 1)]))
    return cls, [draw(arrays(shape, dtype, kind))
                 for shape, dtype in zip(shapes, dtypes, strict=True)]


@st.composite
def reshaped(draw, kind):
    x, = draw(elementwise(1, kind))
    choices = [(x.size,), (1, x.size), x.shape[::-1], (-1,)]
    if kind is not Kind.TAME:
        choices += [(2, -1), (x.size + 1,), (7, 0), (0, -1), (), (1.5,)]
    shape = draw(st.sampled_from(choices))
    return lambda: reshape.Reshape(shape), [x]


@st.composite
def repeated(draw, kind):
    x, = draw(elementwise(1, kind))
    choices = [(4, *x.shape), (1, *x.shape)]
    if kind is not Kind.TAME:
        stretched = tuple([3 if n == 1 else n for n in x.shape])
        choices += [stretched, (2, *stretched), x.shape, x.shape[1:], (5,), (0,),
                    (-1, *x.shape), (np.int64(2), *x.shape), (10 ** 30, *x.shape),
                    (2 ** 62, 4, *x.shape)]
    shape = draw(st.sampled_from(choices))
    return lambda: broadcast.BroadcastTo(shape), [x]


@st.composite
def turned(draw, kind):
    x, = draw(elementwise(1, kind))
    choices = [None, tuple(draw(st.permutations(range(x.ndim))))]
    if kind is not Kind.TAME:
        choices += [tuple([axis - x.ndim for axis in choices[-1]]), choices[-1] + (0,),
                    (0,) * x.ndim, list(choices[-1]), tuple(map(np.int64, choices[-1])),
                    (-9,) * x.ndim, (10 ** 30,) * x.ndim]
    axes = draw(st.sampled_from(choices))
    return lambda: transpose.Transpose(axes), [x]


@st.composite
def swapped(draw, kind):
    x, = draw(elementwise(1, kind))
    axes = list(range(-x.ndim, x.ndim)) or [0]
    if kind is not Kind.TAME:
        axes += [x.ndim, -x.ndim - 1, np.int64(0), 0.]
    axis1, axis2 = draw(st.sampled_from(axes)), draw(st.sampled_from(axes))
    return lambda: swapaxes.Swapaxes(axis1, axis2), [x]


@st.composite
def expanded(draw, kind):
    x, = draw(elementwise(1, kind))
    axes = list(range(-x.ndim - 1, x.ndim + 1))
    if kind is not Kind.TAME:
        axes += [x.ndim + 1, -x.ndim - 2, np.int64(0), 10 ** 20]
    axis = draw(st.sampled_from(axes))
    return lambda: expand_dims.ExpandDims(axis), [x]


@st.composite
def squeezed(draw, kind):
    x, = draw(elementwise(1, kind))
    ones = [i for i, length in enumerate(x.shape) if length == 1]
    axes = [None, *ones, *[i - x.ndim for i in ones], tuple(ones)]
    if kind is not Kind.TAME:
        axes += [0, x.ndim, (0, 0), (0, -1), np.int64(0)]
    axis = draw(st.sampled_from(axes))
    return lambda: squeeze.Squeeze(axis), [x]


@st.composite
def indexed(draw, kind):
    x, = draw(elementwise(1, kind))
    least = [slice(None), slice(0, 1), slice(None, None, -1), 0, -1, None, np.int64(0)]
    index = draw(st.lists(st.sampled_from(least), max_size=x.ndim))
    if kind is not Kind.TAME:
        others = [slice(1, 9, 2), 7, -8, True, [0, 0], np.array([0, 0]), Ellipsis, 'a',
                  np.array(0), 1.5]
        index += draw(st.lists(st.sampled_from(others), max_size=2))
    if any(each is None for each in index) and draw(st.booleans()):
        return lambda: get_item.GetItem(index), [x]
    return lambda: get_item.GetItem(tuple(index)), [x]


@st.composite
def convolutions(draw, cls, kind):
    n, channels, filters = (draw(st.integers(1, 3)) for _ in range(3))
    sides = tuple([draw(st.integers(3, 6)) for _ in range(2)])
    window = tuple([draw(st.integers(1, 3)) for _ in range(2)])
    stride, pad = draw(st.integers(1, 2)), draw(st.integers(0, 1))
    dtype = draw(types[kind])
    transposed = cls is deconvolution_2d.Deconvolution2DFunction
    if transposed:
        pad = 0
    ends = (channels, filters) if transposed else (filters, channels)
    xs = [draw(arrays((n, channels, *sides), dtype, kind)),
          draw(arrays((*ends, *window), dtype, kind))]
    if draw(st.booleans()):
        xs.append(draw(arrays((filters,), dtype, kind)))
    return lambda: cls(stride, pad), xs


@st.composite
def embeddings(draw, kind):
    rows, columns, n = (draw(st.integers(1, k)) for k in (9, 40, 20))
    w = draw(arrays((rows, columns), draw(types[kind]), kind))
    ids = np.random.RandomState(draw(st.integers(0, 99))).randint(
        0 if kind is Kind.TAME else -rows, rows, n)
    ids = ids.astype(draw(st.sampled_from('ilhb' if kind is Kind.WILD else 'il')))
    ids = draw(st.sampled_from([ids, ids.reshape(-1, 1)]))
    if kind is Kind.TAME:
        return embed_id.EmbedIDFunction, [ids, w]
    if draw(st.integers(0, 9)) == 0:
        ids.flat[-1] = draw(st.sampled_from([rows, -rows - 1]))
    if kind is Kind.WILD:
        ids = laid_out(ids, draw(st.sampled_from(LAYOUTS)))
    label = draw(st.sampled_from([None, -1, 0, rows, -rows - 1, np.int64(-1)]))
    return lambda: embed_id.EmbedIDFunction(label), [ids, w]


@st.composite
def selected(draw, kind):
    rows, columns = (draw(st.integers(1, k)) for k in (9, 40))
    x = draw(arrays((rows, columns), draw(types[kind]), kind))
    t = np.random.RandomState(draw(st.integers(0, 99))).randint(
        0 if kind is Kind.TAME else -columns, columns, rows)
    if kind is not Kind.TAME:
        if draw(st.integers(0, 9)) == 0:
            t[-1] = draw(st.sampled_from([columns, -columns - 1]))
        t = draw(st.sampled_from([t, t[:-1], t.reshape(-1, 1)]))
        t = laid_out(t.astype(draw(st.sampled_from('ilhb'))),
                     draw(st.sampled_from(LAYOUTS)))
    return select_item.SelectItem, [x, t]


@st.composite
def candidates(draw, cls, kind):
    n, k, rows, width = (draw(st.integers(1, most)) for most in (5, 4, 9, 40))
    dtype = draw(types[kind])
    x, W = (draw(arrays(shape, dtype, kind)) for shape in ((n, width), (rows, width)))
    ids = np.random.RandomState(draw(st.integers(0, 99))).randint(0, rows, (n, k))
    ids = ids.astype(draw(st.sampled_from('il')))
    if kind is not Kind.TAME and draw(st.integers(0, 9)) == 0:
        ids.flat[-1] = draw(st.sampled_from([-1, rows, -rows - 1]))
    if kind is Kind.WILD:
        ids = laid_out(ids, draw(st.sampled_from(LAYOUTS)))
    if cls is _candidates.Scores:
        counted = draw(st.sampled_from([None, np.arange(n) % 2 == 0]))
        return lambda: cls(ids, counted), [x, W]
    t = ids[:, 0].astype('i')
    if kind is not Kind.TAME:
        t[0] = draw(st.sampled_from([-1, -1, 0, rows]))
    if kind is Kind.WILD:
        t = laid_out(t, draw(st.sampled_from(LAYOUTS)))
    reduce = draw(st.sampled_from(['sum', 'no']))

    def sample(shape):
        # A new array, whose first column the function writes to.
        return laid_out(ids.copy(), 'F' if kind is Kind.WILD else 'C')

    return lambda: cls(sample, k - 1, reduce), [x, t, W]


@st.composite
def ways(draw, kind):
    n, width = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    dtype = draw(types[kind])
    x, W = (draw(arrays((length, width), dtype, kind)) for length in (n, 4))
    t = np.random.RandomState(draw(st.integers(0, 99))).randint(0, 5, n).astype('i')
    if kind is not Kind.TAME and draw(st.integers(0, 9)) == 0:
        t[0] = draw(st.sampled_from([-1, 5, -7]))
    if kind is Kind.WILD:
        t = laid_out(t, draw(st.sampled_from(LAYOUTS)))

    def make():
        function = hierarchical_softmax.BinaryHierarchicalSoftmaxFunction(
            ((0, 1), ((2, 3), 4)), dtype)
        node = function.node
        node._own_function()
        return node

    return make, [x, t, W]


@st.composite
def reductions(draw, cls, kind):
    x, = draw(elementwise(1, kind))
    axes = [None, *range(-x.ndim, x.ndim), tuple(range(x.ndim)), ()]
    if kind is not Kind.TAME:
        axes += [(0, 1), (-1, 0), (0, -1), (0, -2), x.ndim, 10 ** 30]
    axis = draw(st.sampled_from(axes))
    keepdims = draw(st.booleans())
    return lambda: cls(axis, keepdims), [x]


@st.composite
def losses(draw, kind):
    rows = draw(st.integers(1, 20))
    columns = draw(st.sampled_from([1, 2, 3, 7, 8, 9, 20, 130, 300]))
    x = draw(arrays((rows, columns), draw(types[kind]), kind))
    random = np.random.RandomState(draw(st.integers(0, 99)))
    t = random.randint(-1, columns, rows).astype(
        draw(st.sampled_from('ilhb' if kind is Kind.WILD else 'il')))
    if kind is Kind.TAME:
        return softmax_cross_entropy.SoftmaxCrossEntropy, [x, t]
    arguments = {
        'normalize': draw(st.sampled_from([True, False, 1, 0, np.True_])),
        'cache_score': draw(st.sampled_from([True, True, False])),
        'ignore_label': draw(st.sampled_from([-1, -1, 0, 3, np.int64(-1)]))}
    if kind is Kind.WILD:
        t = laid_out(t, draw(st.sampled_from(LAYOUTS)))
        weight = np.linspace(1, 2, columns).astype(x.dtype)
        arguments['class_weight'] = draw(st.sampled_from([None, weight]))
        arguments['reduce'] = draw(st.sampled_from(['mean', 'no']))
    return (lambda: softmax_cross_entropy.SoftmaxCrossEntropy(**arguments)), [x, t]


@st.composite
def accuracies(draw, kind):
    _, (x, t) = draw(losses(kind))
    if kind is not Kind.TAME and draw(st.booleans()):
        x = np.round(x)  # equal scores: the first counts
    ignored = None if kind is not Kind.WILD else draw(st.sampled_from([None, None, -1]))
    return lambda: accuracy.Accuracy(ignored), [x, t]


#: Classes of functions to strategies of how to make one and what to apply it to; the
#: argument is a Kind. Elementwise functions are all that have a record as such.
ELEMENTWISE = {cls: functools.partial(of_record, cls, record)
               for cls, record in records.classes().items()}
CASES = {
    **ELEMENTWISE,
    softmax.Softmax: lambda kind: along_axis(softmax.Softmax, kind),
    crelu.CReLU: lambda kind: along_axis(crelu.CReLU, kind),
    logsumexp.LogSumExp: lambda kind: over_axes(logsumexp.LogSumExp, kind),
    cumprod.Cumprod: lambda kind: along_axis(cumprod.Cumprod, kind),
    log_softmax.LogSoftmax: lambda kind: along_axis(log_softmax.LogSoftmax, kind),
    **{cls: lambda kind, cls=cls: positions(cls, kind) for cls in (
        minmax.ArgMax, minmax.ArgMin)},
    dropout.Dropout: random_masks,
    **{cls: lambda kind, cls=cls: affine(cls, kind) for cls in (
        linear.LinearFunction, linear.LinearGradData, linear.LinearGradWeight)},
    **{cls: lambda kind, cls=cls: reductions(cls, kind) for cls in (
        sum.Sum, average.Mean)},
    softmax_cross_entropy.SoftmaxCrossEntropy: losses,
    accuracy.Accuracy: accuracies,
    matmul.MatMul: products,
    concat.Concat: joined,
    **{cls: lambda kind, cls=cls: convolutions(cls, kind) for cls in (
        convolution_2d.Convolution2DFunction,
        deconvolution_2d.Deconvolution2DFunction)},
    broadcast.BroadcastTo: repeated,
    transpose.Transpose: turned,
    swapaxes.Swapaxes: swapped,
    expand_dims.ExpandDims: expanded,
    squeeze.Squeeze: squeezed,
    stack.Stack: stacked,
    get_item.GetItem: indexed,
    reshape.Reshape: reshaped,
    split_axis.SplitAxis: split,
    separate.Separate: separated,
    transpose_sequence.TransposeSequence: sequences,
    **{cls: lambda kind, cls=cls: cells(cls, kind) for cls in (
        lstm.LSTM, slstm.SLSTM)},
    embed_id.EmbedIDFunction: embeddings,
    select_item.SelectItem: selected,
    **{cls: lambda kind, cls=cls: candidates(cls, kind) for cls in (
        negative_sampling.NegativeSamplingFunction, _candidates.Scores)},
    hierarchical_softmax._TreeAdapter: ways,
}

#: Classes whose shortcuts need more than some arrays, and the folder of tests of each.
ELSEWHERE = {
    **dict.fromkeys([
        batch_normalization.BatchNormalization,
        batch_normalization.FixedBatchNormalization,
        layer_normalization.LayerNormalization, group_normalization.GroupNormalization,
        local_response_normalization.LocalResponseNormalization,
        l2_normalization.NormalizeL2], 'functions/normalization'),
    planned_call.PlanRun: 'graph_optimizations/_processor',
    recording.GraphLaunch: 'graph_optimizations/_gpu',
}


def within_domain(cls, arrays):
    """Return numbers of which a function does not warn."""
    if cls.__name__ in ('Log', 'Log1p', 'PowVarConst', 'Sqrt'):
        return [abs(x) for x in arrays]
    if cls.__name__ in ('Arcsin', 'Arccos'):
        return [np.asarray(x / (abs(x) + 1)) for x in arrays]
    return arrays
