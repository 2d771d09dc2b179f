"""Small programs in PTX, and how to run them."""
import numpy

from tests.doubles.ptx import kinds, launch, memory, text

HEAD = '.version 8.8\n.target sm_75\n.address_size 64\n'
# An address as of a device.
BASE = 0x7f0000000000
# The end of a body: each thread stores %r10 in its own word of the array.
STORE = '''
    mad.lo.s64 %rd10, %rd9, 4, %rd0;
    st.global.u32 [%rd10], %r10;
'''


def module(body, n_pointers=1, outside='', directives=''):
    """Return the text of a kernel that is given pointers, in %rd0, %rd1, ...

    Each type has registers: %rs, %r, %i, %rd, %h, %f, %d and %p. The number of the
    thread in the launch is in %r0, and in %rd9.
    """
    parameters = ', '.join('.param .u64 p%d' % i for i in range(n_pointers))
    loads = '\n'.join('ld.param.u64 %%rd%d, [p%d];\ncvta.to.global.u64 %%rd%d, %%rd%d;'
                      % (i, i, i, i) for i in range(n_pointers))
    return HEAD + outside + '''
.visible .entry program(%s) %s
{
    .reg .pred %%p<10>;
    .reg .b16 %%rs<20>;
    .reg .b32 %%r<30>;
    .reg .s32 %%i<10>;
    .reg .b64 %%rd<30>;
    .reg .f16 %%h<10>;
    .reg .f32 %%f<10>;
    .reg .f64 %%d<10>;
    %s
    mov.u32 %%r0, %%tid.x;
    mov.u32 %%r1, %%ctaid.x;
    mov.u32 %%r2, %%ntid.x;
    mad.lo.s32 %%r0, %%r1, %%r2, %%r0;
    cvt.u64.u32 %%rd9, %%r0;
    %s
    ret;
}
''' % (parameters, directives, loads, body)


def run(body, *arrays, grid=1, block=None, outside='', directives='', **options):
    """Run a kernel on arrays, which are changed in place, and return its launch."""
    program = launch.Kernel(text.Module(module(
        body, len(arrays), outside, directives)))
    regions, at = [], BASE
    for array in arrays:
        regions.append(memory.Region(at, array.tobytes()))
        at += -(-array.nbytes // 512) * 512 + 512
    if block is None:
        block = len(arrays[0])
    pointers = [region.address.to_bytes(8, 'little') for region in regions]
    done = program.launch((grid, 1, 1), (block, 1, 1), pointers, regions, **options)
    for region, array in zip(regions, arrays, strict=True):
        array[...] = region.data.view(array.dtype).reshape(array.shape)
    return done


_LETTERS = {'u16': 'rs', 's16': 'rs', 'b16': 'rs', 'f16': 'h', 'f32': 'f', 'f64': 'd',
            'pred': 'p'}


def register(kind, i):
    default = {4: 'r', 8: 'rd', 2: 'rs', 1: 'rs'}[kinds.size_of(kind)] if (
        kind != 'pred') else 'p'
    return '%%%s%d' % (_LETTERS.get(kind, default), 10 + i if default != 'p' and (
        kind[0] != 'f') else i)


def operate(opcode, out, *operands, extra=''):
    """Return the results of an instruction for all elements of arrays.

    Parameters
    ----------
    opcode : str
    out : str
        Type of the result.
    *operands : tuple of (str, array_like)
        Types and values; those of predicates are not zero.
    extra : str
        More operands.
    """
    names, arrays, lines = [], [], []
    values = numpy.broadcast_arrays(*[value for _, value in operands])
    for i, ((kind, _), value) in enumerate(zip(operands, values, strict=True), 1):
        stored = 'u8' if kind == 'pred' else kind
        size = kinds.size_of(stored)
        arrays.append(numpy.ascontiguousarray(value.reshape(-1)).astype(
            kinds.dtype_of(stored), copy=False))
        name = register(kind, i)
        load = name if kind != 'pred' else '%rs19'
        lines += ['mad.lo.s64 %%rd20, %%rd9, %d, %%rd%d;' % (size, i),
                  'ld.global.%s %s, [%%rd20];' % (
                      'b16' if stored == 'f16' else stored, load)]
        if kind == 'pred':
            lines.append('setp.ne.s16 %s, %%rs19, 0;' % name)
        names.append(name)
    result = register(out, 0)
    lines.append('%s %s, %s%s;' % (opcode, result, ', '.join(names), extra))
    stored = 'u32' if out == 'pred' else out
    if out == 'pred':
        lines.append('selp.u32 %%r25, 1, 0, %s;' % result)
        result = '%r25'
    lines += ['mad.lo.s64 %%rd20, %%rd9, %d, %%rd0;' % kinds.size_of(stored),
              'st.global.%s [%%rd20], %s;' % (
                  'b16' if stored == 'f16' else stored, result)]
    results = numpy.zeros(arrays[0].size, kinds.dtype_of(stored))
    block = min(results.size, 64)
    padded = [numpy.resize(each, -(-results.size // block) * block)
              for each in (results, *arrays)]
    run('\n'.join(lines), *padded, grid=len(padded[0]) // block, block=block)
    out_values = padded[0][:results.size].reshape(values[0].shape)
    return out_values.astype(bool) if out == 'pred' else out_values


def pairs(kind):
    """Return two arrays: every two of the numbers at which types are at their ends."""
    dtype = kinds.dtype_of(kind)
    if dtype.kind == 'f':
        info = numpy.finfo(dtype)
        some = numpy.array([0, -0., 1, -1, 1.5, 2.5, -3.7, .1, info.max, info.min,
                            info.tiny, -info.tiny, info.smallest_subnormal,
                            info.tiny / 3, info.eps, 1 + info.eps, numpy.inf,
                            -numpy.inf, numpy.nan],
                           dtype)
    else:
        info = numpy.iinfo(dtype)
        some = numpy.array([0, 1, 2, 3, 7, 8, 100, info.max, info.max - 1, info.min,
                            info.min + 1, info.max // 3, info.max // 2 + 1,
                            *([-1, -2, -7, -100] if dtype.kind == 'i' else [])], dtype)
    a, b = numpy.meshgrid(some, some)
    return a.reshape(-1), b.reshape(-1)


def assert_same(actual, expected):
    """Numbers are equal, and so are the signs of zeros; NaN is NaN."""
    assert actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    numpy.testing.assert_array_equal(actual, expected)
    if actual.dtype.kind == 'f':
        number = ~numpy.isnan(expected)
        numpy.testing.assert_array_equal(
            numpy.signbit(actual)[number], numpy.signbit(expected)[number])
