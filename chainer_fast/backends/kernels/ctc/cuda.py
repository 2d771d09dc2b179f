"""Connectionist temporal classification on a GPU: a step of all samples in a launch.

:mod:`chainer_fast.backends.kernels.ctc` documents the kernel.
"""
from __future__ import annotations

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.softmax.cuda import exponentials
from chainer_fast.types import NdArray

_PREAMBLE = ''.join([
    header('chainer_fast/backends/kernels/' + name)
    for name in ('ctc/elements.hpp', 'common/labels.hpp')])

_SIZES = 'int32 t, int32 steps, int32 batch, int32 states, int32 classes, int32 blank'
_STEP = 'raw T x, raw S top, raw S total, raw L labels, ' + _SIZES
# The probability of a state at a time.
_PROBABILITY = '''
    auto symbol = [&](ptrdiff_t state) {
        return class_of(label_at(labels, b, state, states, blank), classes);
    };
    auto probability = [&](int t, ptrdiff_t state) {
        const ptrdiff_t row = (ptrdiff_t)t * batch + b;
        return label_log_probability(
            x[row * classes + symbol(state)], top[row], total[row]);
    };
'''


def _kernel(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params,
        'using namespace chainer_fast; using namespace ctc; '
        'const ptrdiff_t b = i / states, s = i % states;' + operation, name,
        preamble=_PREAMBLE)


def _sums(x):
    """Return the largest score of each time and sample, and the sum relative to it."""
    top, total = [cuda.cupy.empty(x.shape[:2], 'd') for _ in range(2)]
    exponentials(
        'T x', 'S top, S total', 'x', 'top = a.top, total = a.total', 'ctc_sums')(
            x, top, total, axis=2)
    return top, total


def _likelihoods(before, input_length, label_length):
    """Return the losses, and the logarithms of the probabilities of the labels."""
    steps, batch, states = before.shape
    losses, likelihoods = [cuda.cupy.empty(batch, 'd') for _ in range(2)]
    last = 'chainer_fast::ctc::last_time(input_length, steps)'
    exponentials(
        'S shape, N input_length, N label_length, raw S before, int32 steps, '
        'int32 batch, int32 states', 'S losses, S likelihoods',
        # Some threads have a number beyond that of the last sample.
        f'chainer_fast::ctc::is_end(_J, label_length) && {last} >= 0 && {last} < steps '
        f'? before[((ptrdiff_t){last} * batch + _i % batch) * states + _J] '
        ': chainer_fast::ctc::log_zero()',
        'likelihoods = {0}, losses = {0} < chainer_fast::ctc::log_zero() / 2 '
        '? chainer_fast::infinity() : -{0}'.format('(log(a.total) + a.top)'),
        'ctc_losses', preamble=_PREAMBLE)(
            before[0].T, input_length, label_length, before, steps, batch, states,
            losses, likelihoods, axis=0)
    return losses, likelihoods


def ctc(
        x: NdArray, labels: NdArray, blank: int, input_length: NdArray,
        label_length: NdArray, backprop: bool) -> tuple[NdArray, NdArray | None]:
    if not x.size or x.dtype.char not in 'fd' or (
            input_length.dtype != label_length.dtype):
        return NotImplemented
    steps, batch, classes = x.shape
    states = 2 * labels.shape[1] + 1
    sums = _sums(x)

    def args(t):
        return x, *sums, labels, t, steps, batch, states, classes, blank

    before = cuda.cupy.empty((steps, batch, states), 'd')
    forth = _kernel(_STEP + ', raw S last', 'S row', _PROBABILITY + '''
        double from = t == 0 ? s < 2 ? 0 : log_zero() : last[i];
        if (t > 0 && s >= 1)
            from = log_add(from, last[i - 1]);
        if (t > 0 && may_skip(labels, b, s, states))
            from = log_add(from, last[i - 2]);
        row = from + probability(t, s);
    ''', 'ctc_forth')
    for t in range(steps):
        forth(*args(t), before[max(t - 1, 0)], before[t])
    losses, likelihoods = _likelihoods(before, input_length, label_length)
    if not backprop:
        return losses, None

    gx = cuda.cupy.empty(x.shape, x.dtype)
    lengths = input_length, label_length, likelihoods
    cuda.elementwise(
        'T x, S top, S total, N length, S likelihood, int32 batch, int64 classes',
        'T gx', '''
            const ptrdiff_t t = i / classes / batch;
            const bool counts = t < length
                && !(likelihood < chainer_fast::ctc::log_zero() / 2);
            gx = !counts || top == -chainer_fast::infinity() ? 0 : exp(x - top) / total;
        ''', 'ctc_softmax', preamble=_PREAMBLE)(
            x, *[each[:, :, None] for each in sums], input_length[None, :, None],
            likelihoods[None, :, None], batch, classes, gx)
    after = [cuda.cupy.empty((batch, states), 'd') for _ in range(2)]
    back = _kernel(
        _STEP + ', raw S before, raw S next, raw N input_length, raw N label_length, '
        'raw S likelihoods', 'S row, raw T gx', _PROBABILITY + '''
        const int last = last_time(input_length[b], steps);
        double to = log_zero();
        if (t == last)
            to = is_end(s, label_length[b]) ? 0 : log_zero();
        else if (t < steps - 1) {
            to = next[i] + probability(t + 1, s);
            if (s + 1 < states)
                to = log_add(to, next[i + 1] + probability(t + 1, s + 1));
            if (s + 2 < states && may_skip(labels, b, s + 2, states))
                to = log_add(to, next[i + 2] + probability(t + 1, s + 2));
        }
        row = to;
        if (t < input_length[b] && s <= 2 * label_length[b]
                && !(likelihoods[b] < log_zero() / 2))
            atomicAdd(&gx[((ptrdiff_t)t * batch + b) * classes + symbol(s)],
                      T(-exp(before[i] + to - likelihoods[b])));
        ''', 'ctc_back')
    for t in reversed(range(steps)):
        back(*args(t), before[t], after[t % 2 - 1], *lengths, after[t % 2], gx)
    return losses, gx
