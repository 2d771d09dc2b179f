"""Products of matrices, and convolutions."""
from chainer_fast import functions as F
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.operators.windows import Window, padded, symmetric
from chainer_fast.onnx._load.table import any_variable, operator


@operator('MatMul')
def matmul(node):
    return lambda a, b: F.matmul(a, b) if any_variable(a, b) else a @ b


@operator('Gemm')
def gemm(node):
    alpha, beta = node.get('alpha', 1.), node.get('beta', 1.)
    trans_a = bool(node.require('transA', 0, 1, default=0))
    trans_b = bool(node.require('transB', 0, 1, default=0))
    plain = (trans_a, trans_b, alpha, beta) == (False, True, 1, 1)

    def compute(a, b, c=None):
        if plain and (c is None or c.shape == b.shape[:1]):
            return F.linear(a, b, c)
        y = F.matmul(a, b, trans_a, trans_b)
        if alpha != 1:
            y = alpha * y
        if c is None or beta == 0:
            return y
        return y + (c if beta == 1 else beta * c)

    return compute


@operator('Einsum')
def einsum(node):
    equation = node.get('equation')
    return lambda *xs: F.einsum(equation.replace(' ', ''), *xs)


@operator('Conv')
def convolution(node):
    window, groups = Window(node), node.get('group', 1)

    def compute(x, w, b=None):
        size = w.shape[2:]
        ndim = len(size)
        strides, dilations = window.strides(ndim), window.dilations(ndim)
        pads = window.pads(x.shape[2:], size)
        if symmetric(pads):
            pad = [before for before, _ in pads]
        else:
            x, pad = padded(x, pads), [0] * ndim
        function = F.convolution_2d if ndim == 2 else F.convolution_nd
        return function(
            x, w, b, stride=strides, pad=pad, dilate=dilations, groups=groups)

    return compute


@operator('ConvTranspose')
def deconvolution(node):
    groups, automatic = node.get('group', 1), node.get('auto_pad', 'NOTSET')
    shape, extra = node.get('output_shape', None), node.get('output_padding', None)
    window = Window(node)
    if shape is None and automatic.startswith('SAME') and extra and any(extra):
        raise Unsupported(
            'its attributes auto_pad=%r and output_padding=%s cannot be combined'
            % (automatic, extra))

    def lengths_and_pads(x, size, strides, dilations):
        """Lengths of the result, and numbers of elements cut off at its sides."""
        ndim = len(size)
        for i, (n, k, s, d) in enumerate(zip(
                x.shape[2:], size, strides, dilations, strict=True)):
            full = s * (n - 1) + (k - 1) * d + 1 + (extra[i] if extra else 0)
            if shape is None and not automatic.startswith('SAME'):
                before, after = window.pads(x.shape[2:], size)[i]
                yield full - before - after, before, after
                continue
            length = n * s if shape is None else shape[-ndim:][i]
            total = max(full - length, 0)
            half = total // 2
            before = half if automatic == 'SAME_UPPER' else total - half
            yield length, before, total - before

    def compute(x, w, b=None):
        size = w.shape[2:]
        ndim = len(size)
        strides, dilations = window.strides(ndim), window.dilations(ndim)
        axes = list(lengths_and_pads(x, size, strides, dilations))
        function = F.deconvolution_2d if ndim == 2 else F.deconvolution_nd

        def apply(pad, outsize):
            return function(
                x, w, b, stride=strides, pad=pad, outsize=outsize, dilate=dilations,
                groups=groups)

        if all([(length + 2 * before - (k - 1) * d - 1) // s + 1 == n
                for (length, before, _), n, k, s, d in zip(
                    axes, x.shape[2:], size, strides, dilations, strict=True)]):
            return apply(
                [before for _, before, _ in axes], [length for length, _, _ in axes])
        whole = apply([0] * ndim, [sum(each) for each in axes])
        return F.get_item(whole, (slice(None), slice(None)) + tuple([
            slice(before, before + length) for length, before, _ in axes]))

    return compute
