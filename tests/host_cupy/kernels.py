"""Kernels of the stand-in: classes that take C++ code, as CuPy has them.

They follow CuPy 13.6 and 14.2 step by step: which argument decides the type that a
letter stands for, what is broadcast, which axes are merged, the text around the code.
Where the two differ, the stricter one is followed: the C++ standard is C++11, float16
exists where an argument has that type, numbers that do not fit raise OverflowError.

Stricter than both are indexes out of bounds (IndexError), pointers to elements of
arrays that are not contiguous, and arguments of raw kernels whose size differs from the
parameter's; on a GPU they read or write the wrong memory without a word.
"""
import ctypes
import math
import re
import string

import numpy

from tests.host_cupy import compiler, instances, ledger
from tests.host_cupy.array import check_device, ndarray

_C_TYPES = {
    'float64': 'double', 'float32': 'float', 'float16': 'float16', 'int64': 'long long',
    'int32': 'int', 'int16': 'short', 'int8': 'signed char',
    'uint64': 'unsigned long long', 'uint32': 'unsigned int', 'uint16': 'unsigned short',
    'uint8': 'unsigned char', 'bool': 'bool'}
# Fewer than the 512 of CuPy, so that there is something to add up in a small array.
_REDUCTION_BLOCK = 32


def _c_type(dtype):
    if dtype.name not in _C_TYPES:
        raise NotImplementedError('kernels of the stand-in for %s' % dtype)
    return _C_TYPES[dtype.name]


class _Param:
    """A parameter in CuPy's notation, such as ``'raw T x'``."""

    def __init__(self, text, is_const):
        words = text.split()
        if len(words) < 2:
            raise Exception('Syntax error: %s' % text)
        kind, self.name = words[-2:]
        self.dtype = None
        self.letter = kind if len(kind) == 1 else None
        if self.letter is None:
            self.dtype = numpy.dtype(kind)
            if self.dtype.name != kind:
                raise ValueError('Wrong type %s' % kind)
        self.c_type = self.letter or _c_type(self.dtype)
        self.raw = False
        self.const = is_const
        for word in words[:-2]:
            if word == 'raw':
                self.raw = True
            elif word == '_non_const':
                self.const = False
            else:
                raise Exception('Unknown keyword "%s"' % word)


def _parse(text, is_const):
    return [_Param(each, is_const) for each in text.strip().split(',')] if text else []


def _check_name(name):
    if not re.match(r'[a-zA-Z_][a-zA-Z_0-9]*\Z', name):
        raise ValueError('Invalid kernel name: "%s"' % name)


def _check_arguments(args):
    """Refuse what CuPy does not take: anything but its arrays and plain numbers."""
    for arg in args:
        if isinstance(arg, ndarray):
            check_device(arg)
        elif type(arg) not in (int, float, bool, complex) and not isinstance(
                arg, numpy.generic):
            raise TypeError('Unsupported type %s' % type(arg))


def _decide_types(in_params, out_params, in_args, out_args):
    """Return the dtypes of all parameters, and of letters. Numbers have no say."""
    letters = {}
    for param, arg in [*zip(out_params, out_args, strict=False),
                       *zip(in_params, in_args, strict=True)]:
        if not isinstance(arg, ndarray):
            if param in out_params:
                raise TypeError('Output arguments type must be cupy.ndarray')
            continue
        expected = param.dtype or letters.setdefault(param.letter, arg.dtype)
        if arg.dtype != expected:
            raise TypeError('Type is mismatched. %s %s %s %s' % (
                param.name, arg.dtype, expected, param.c_type))
    # KeyError: no array has decided the letter.
    types = [param.dtype or letters[param.letter] for param in in_params + out_params]
    return types, dict(sorted(letters.items()))


class _Number(numpy.ndarray):
    """A number, converted to the type of its parameter."""


def _number(value, dtype):
    out = numpy.empty((), dtype)
    out[()] = value
    return out.view(_Number)


def _allocate(shape, dtype):
    out = ndarray(shape, dtype)
    # What the kernel does not write is not zero.
    out._host.fill(
        numpy.iinfo(dtype).max if dtype.kind in 'iu' else numpy.nan)
    return out


def _outputs(out_params, out_args, types, shape, has_size):
    if not out_args:
        if not has_size and any(param.raw for param in out_params):
            raise ValueError('Output array size is Undecided')
        return [_allocate(shape, dtype) for dtype in types]
    for param, arg in zip(out_params, out_args, strict=True):
        if not param.raw and arg.shape != shape:
            raise ValueError('Out shape is mismatched')
    return out_args


def _broadcast(params, args):
    """Return NumPy views of the arrays, those that are not raw in one shape."""
    plain = [i for i, (param, arg) in enumerate(zip(params, args, strict=False))
             if isinstance(arg, ndarray) and not param.raw]
    shape = numpy.broadcast_shapes(*[args[i].shape for i in plain])
    values = [arg._host if isinstance(arg, ndarray) else arg for arg in args]
    for i in plain:
        values[i] = _view(values[i], shape, [
            0 if size == 1 and wanted != 1 else stride
            for size, stride, wanted in _aligned(values[i], shape)])
    return values, plain, shape


def _aligned(array, shape):
    missing = len(shape) - array.ndim
    return zip((1,) * missing + array.shape, (0,) * missing + array.strides, shape,
               strict=True)


def _view(array, shape, strides):
    return numpy.lib.stride_tricks.as_strided(array, shape, strides)


def _merge_axes(params, values, shape):
    """Merge axes of arrays where their memory allows it, in place; return the shape."""
    plain = [i for i, (param, value) in enumerate(zip(params, values, strict=True))
             if isinstance(value, numpy.ndarray) and value.ndim and not param.raw]
    if len(shape) <= 1 or not plain or len(values) == 1 and params[0].raw:
        return shape
    strided = [values[i] for i in plain if not values[i].flags.c_contiguous]
    if not strided:
        for i in plain:
            values[i] = _view(values[i], (values[i].size,), (values[i].itemsize,))
        return (values[plain[0]].size,)
    if len(shape) == 2 and len(values) > 1:
        return shape
    sizes, axes, last = list(shape), [], -1
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if last >= 0:
            if all(a.strides[axis] * size == a.strides[last] for a in strided):
                sizes[axis] *= sizes[last]
            else:
                axes.append(last)
        last = axis
    if last >= 0:
        axes.append(last)
    if len(axes) == len(shape):
        return shape
    shape = tuple(sizes[axis] for axis in axes)
    for i in plain:
        values[i] = _view(values[i], shape, [values[i].strides[axis] for axis in axes])
    return shape


def _describe(values):
    """Return a tuple for each argument that the code of the kernel depends on."""
    return tuple(
        ('number', value.dtype.name) if isinstance(value, _Number) else
        ('array', value.dtype.name, value.ndim, bool(value.flags.c_contiguous))
        for value in values)


def _type_of(kind):
    if kind[0] == 'number':
        return _C_TYPES[kind[1]]
    return 'CArray<%s, %d, %d, 1>' % (
        _c_type(numpy.dtype(kind[1])), kind[2], kind[3])


def _declarations(params, kinds):
    """Return the text of the kernel's parameters."""
    return ['%s%s %s%s' % (
        'const ' if param.const else '', _type_of(kind),
        '_raw_' if kind[0] == 'array' and not param.raw else '', param.name)
        for param, kind in zip(params, kinds, strict=True)]


def _references(params, kinds, index):
    """Return statements that name the elements of arrays."""
    return '\n'.join(
        '%s%s &%s = _raw_%s[%s.get()];' % (
            'const ' if param.const else '', param.c_type, param.name, param.name, index)
        for param, kind in zip(params, kinds, strict=True)
        if kind[0] == 'array' and not param.raw)


def _pack_array(array):
    numbers = [array.ctypes.data, array.size, *array.shape, *array.strides]
    return (ctypes.c_longlong * len(numbers))(*numbers)


def _pack(values):
    return [value.tobytes() if isinstance(value, _Number)
            else bytes(_pack_array(value)) for value in values]


def _pack_indexer(shape):
    numbers = [math.prod(shape), *shape, *[0] * len(shape)]
    return bytes((ctypes.c_longlong * len(numbers))(*numbers))


def _indexer(shape, name):
    return 'CIndexer<%d, 1> %s' % (len(shape), name)


def _headers(kinds, letters):
    half = any(kind[1] == 'float16' for kind in kinds) or any(
        dtype == numpy.float16 for dtype in letters.values())
    return ('cuda', 'float16', 'carray') if half else ('cuda', 'carray')


def _typedefs(letters):
    return ''.join('typedef %s %s;\n' % (_c_type(dtype), letter)
                   for letter, dtype in letters.items())


def _check_pointers(name, params, values, code):
    """Refuse ``&x[i]`` where the elements of x do not lie one after the other."""
    for param, value in zip(params, values, strict=True):
        if param.raw and not isinstance(value, _Number) and value.size > 1 and (
                not value.flags.c_contiguous) and re.search(
                    r'(?:^|[^\w)\]&\s])\s*&\s*%s\s*\[' % param.name, code):
            raise ValueError(
                'kernel %r takes the address of an element of %r, which is not '
                'contiguous: shape %s, strides %s. Index the array, or pass a '
                'contiguous one.' % (name, param.name, value.shape, value.strides))


def _numbers(values, types):
    return [value if isinstance(value, numpy.ndarray)
            else _number(value, dtype)
            for value, dtype in zip(values, types, strict=True)]


_ELEMENTWISE = string.Template('''${typedefs}
${preamble}
extern "C" __global__ void ${name}(${params}) {
  ${loop_prep};
  CUPY_FOR(i, _ind.size()) {
    _ind.set(i);
    ${operation};
  }
  ${after_loop};
}
''')


class ElementwiseKernel:
    """Code for one element, run for all of them."""

    def __init__(self, in_params, out_params, operation, name='kernel',
                 reduce_dims=True, preamble='', no_return=False, return_tuple=False,
                 *, loop_prep='', after_loop='', options=()):
        _check_name(name)
        self._init = {
            'in_params': in_params, 'out_params': out_params, 'operation': operation,
            'name': name, 'reduce_dims': reduce_dims, 'preamble': preamble,
            'loop_prep': loop_prep, 'after_loop': after_loop, 'options': options}
        self.in_params = _parse(in_params, True)
        self.out_params = _parse(out_params, False)
        self.params = self.in_params + self.out_params
        if 'i' in [param.name for param in self.params]:
            raise ValueError("Can not use 'i' as a parameter name")
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation, self.preamble, self.options = operation, preamble, options
        self.loop_prep, self.after_loop = loop_prep, after_loop
        self.name = self.__name__ = name
        self.reduce_dims = reduce_dims
        self.no_return, self.return_tuple = no_return, return_tuple
        self._compiled = {}

    def __call__(self, *args, size=-1, stream=None, block_size=128):
        if block_size <= 0:
            raise ValueError('block_size must be greater than zero')
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                'Wrong number of arguments for %r. It must be either %d or %d (with '
                'outputs), but given %d.' % (
                    self.name, self.nin, self.nargs, len(args)))
        _check_arguments(args)
        values, plain, shape = _broadcast(self.params, args)
        if size != -1 and plain:
            raise ValueError("Specified 'size' can be used only if all of the ndarray "
                             "are 'raw'.")
        if size == -1 and not plain:
            raise ValueError('Loop size is undecided.')
        if size != -1:
            shape = size,
        types, letters = _decide_types(
            self.in_params, self.out_params, args[:self.nin], args[self.nin:])
        outputs = _outputs(self.out_params, list(args[self.nin:]), types[self.nin:],
                           shape, size != -1)
        if 0 not in shape:
            self._launch([*values[:self.nin], *[out._host for out in outputs]], types,
                         letters, shape, block_size)
        if self.no_return:
            return None
        if self.nout == 1 and not self.return_tuple:
            return outputs[0]
        return tuple(outputs)

    def _launch(self, values, types, letters, shape, block_size):
        values = _numbers(values, types)
        if self.reduce_dims:
            shape = _merge_axes(self.params, values, shape)
        _check_pointers(self.name, self.params, values, self.operation)
        kinds = _describe(values)
        key = kinds, len(shape), tuple(letters.items())
        kernel = self._compiled.get(key)
        if kernel is None:
            kernel = self._compiled[key] = self._compile(kinds, letters, shape)
        size = math.prod(shape)
        ledger.launch(self.name)
        kernel.launch(
            (-(-size // block_size), 1, 1), (min(size, block_size), 1, 1),
            [*_pack(values), _pack_indexer(shape)])

    def _compile(self, kinds, letters, shape):
        instances.record('elementwise', self._init, kinds, [len(shape)], letters)
        code = _ELEMENTWISE.substitute(
            typedefs=_typedefs(letters), preamble=self.preamble, name=self.name,
            params=', '.join([*_declarations(self.params, kinds),
                              _indexer(shape, '_ind')]),
            operation='%s\n%s' % (
                _references(self.params, kinds, '_ind'), self.operation),
            loop_prep=self.loop_prep, after_loop=self.after_loop)
        return compiler.compile_kernels(
            code, (self.name,), self.options, _headers(kinds, letters))[0]


_REDUCTION = string.Template('''${typedefs}
${preamble}
#define REDUCE(a, b) (${reduce_expr})
#define POST_MAP(a) (${post_map_expr})

typedef ${reduce_type} _type_reduce;
extern "C" __global__ void ${name}(${params}) {
  __shared__ char _sdata_raw[${block_size} * sizeof(_type_reduce)]
      __attribute__((aligned(16)));
  _type_reduce *_sdata = reinterpret_cast<_type_reduce*>(_sdata_raw);
  const unsigned int _tid = threadIdx.x;
  const int _lanes = ${block_size} / _block_stride;
  for (ptrdiff_t _i_base = (ptrdiff_t)blockIdx.x * _block_stride;
       _i_base < _out_ind.size();
       _i_base += (ptrdiff_t)gridDim.x * _block_stride) {
    _type_reduce _s = _type_reduce(${identity});
    ptrdiff_t _i = _i_base + _tid % _block_stride;
    IndexT _J = _tid / _block_stride;
    for (ptrdiff_t _j = _i + _J * _out_ind.size(); _j < _in_ind.size();
         _j += _lanes * _out_ind.size(), _J += _lanes) {
      _in_ind.set(_j);
      ${inputs}
      _type_reduce _a = static_cast<_type_reduce>(${map_expr});
      _s = REDUCE(_s, _a);
    }
    _sdata[_tid] = _s;
    __syncthreads();
    for (unsigned int _block = ${block_size} / 2; _block >= _block_stride;
         _block >>= 1) {
      if (_tid < _block) {
        _type_reduce _a = _sdata[_tid], _b = _sdata[_tid + _block];
        _sdata[_tid] = REDUCE(_a, _b);
      }
      __syncthreads();
    }
    if (_tid < _block_stride && _i < _out_ind.size()) {
      _s = _sdata[_tid];
      _out_ind.set(_i);
      ${outputs}
      POST_MAP(_s);
    }
    __syncthreads();
  }
}
''')


_CUB_REDUCTION = string.Template('''${typedefs}
typedef int IndexT;
typedef ${in_type} type_in0_raw;
typedef ${out_type} type_out0_raw;
${preamble}
#define POST_MAP(a) (${post_map_expr})
typedef ${reduce_type} _type_reduce;
static_assert(sizeof(_type_reduce) <= 32, "CUB's intermediate results are small");
inline _type_reduce _reduce(const _type_reduce &a, const _type_reduce &b) {
  return ${reduce_expr};
}
extern "C" __global__ void ${name}(
    const type_in0_raw* _in0, type_out0_raw* _out0, const int _segment_size) {
  _type_reduce _s = _type_reduce(${identity});
  for (IndexT _J = 0; _J < _segment_size; ++_J) {
    const type_in0_raw in0 = _in0[_J];
    _s = _reduce(_s, static_cast<_type_reduce>(${map_expr}));
  }
  type_out0_raw &out0 = *_out0;
  POST_MAP(_s);
}
''')


def _split_axes(axis, ndim):
    """Return the axes to reduce, and the others."""
    if axis is None:
        return tuple(range(ndim)), ()
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    reduced = tuple(sorted(
        numpy.lib.array_utils.normalize_axis_index(each, ndim) for each in axes))
    if len(set(reduced)) != len(reduced):
        raise ValueError("duplicate value in 'axis'")
    return reduced, tuple(i for i in range(ndim) if i not in reduced)


def _power_of_two_below(number):
    return 1 << int(number).bit_length() - 1


class ReductionKernel:
    """Code that reduces axes of arrays.

    A kernel of one input and one output must also do for the other implementation that
    CuPy has, by CUB, which it takes for larger contiguous arrays. There, parameters are
    renamed by replacing text, sizes are unknown, and intermediate results are at most
    32 bytes.
    """

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr,
                 identity, name='reduce_kernel', reduce_type=None, reduce_dims=True,
                 preamble='', options=()):
        _check_name(name)
        identity = '' if identity is None else str(identity)
        self._init = {
            'in_params': in_params, 'out_params': out_params, 'map_expr': map_expr,
            'reduce_expr': reduce_expr, 'post_map_expr': post_map_expr,
            'identity': identity, 'name': name, 'reduce_type': reduce_type,
            'reduce_dims': reduce_dims, 'preamble': preamble, 'options': options}
        self.in_params = _parse(in_params, True)
        self.out_params = _parse(out_params, False)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr, self.reduce_expr = map_expr, reduce_expr
        self.post_map_expr, self.identity = post_map_expr, identity
        self.reduce_type = reduce_type or self.out_params[0].c_type
        self.reduce_dims, self.preamble, self.options = reduce_dims, preamble, options
        self.name = self.__name__ = name
        self._compiled = {}

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError('Wrong number of arguments for %s' % self.name)
        in_args, out_args = list(args[:self.nin]), list(args[self.nin:])
        if out is not None:
            if self.nout != 1:
                raise NotImplementedError('')
            if out_args:
                raise ValueError(
                    "cannot specify 'out' as both a positional and keyword argument")
            out_args = [out]
        _check_arguments(in_args + out_args)
        values, plain, shape = _broadcast(self.in_params, in_args)
        if not plain:
            raise ValueError('Loop size is undecided.')
        types, letters = _decide_types(
            self.in_params, self.out_params, in_args, out_args)
        reduced, kept = _split_axes(axis, len(shape))
        out_shape = tuple([1 if i in reduced else size for i, size in enumerate(shape)]
                          if keepdims else [shape[i] for i in kept])
        outputs = _outputs(self.out_params, out_args, types[self.nin:], out_shape, False)
        if outputs[0].size:
            if self.identity == '' and 0 in shape:
                raise ValueError(
                    'zero-size array to reduction operation %s which has no identity'
                    % self.name)
            self._launch(values, [each._host for each in outputs], types, letters, shape,
                         out_shape, reduced, kept)
        # Of several outputs, too.
        return outputs[0]

    def _launch(self, values, outputs, types, letters, shape, out_shape, reduced, kept):
        values = _numbers(values, types[:self.nin])
        if len(values) == 1 and len(kept) <= 1 and not values[0].flags.c_contiguous:
            reduced, kept = [sorted(axes, key=lambda i: -abs(values[0].strides[i]))
                             for axes in (reduced, kept)]
        order = (*reduced, *kept)
        if order != tuple(range(len(shape))):
            if any(param.raw for param in self.in_params):
                raise NotImplementedError('Illegal conditions')
            values = [value if isinstance(value, _Number) else value.transpose(order)
                      for value in values]
            shape = tuple(shape[i] for i in order)
        if self.reduce_dims:
            shape = _merge_axes(self.in_params, values, shape)
            out_shape = _merge_axes(self.out_params, outputs, out_shape)
        values = values + outputs
        _check_pointers(self.name, self.params, values, self.map_expr)
        kinds = _describe(values)
        key = kinds, len(shape), len(out_shape), tuple(letters.items())
        kernel = self._compiled.get(key)
        if kernel is None:
            kernel = self._compiled[key] = self._compile(kinds, letters, shape, out_shape)
        size = math.prod(out_shape)
        stride = min(_REDUCTION_BLOCK, _power_of_two_below(
            max(1, _REDUCTION_BLOCK // max(1, math.prod(shape) // size))))
        ledger.launch(self.name)
        kernel.launch(
            (-(-size // stride), 1, 1), (_REDUCTION_BLOCK, 1, 1),
            [*_pack(values), _pack_indexer(shape), _pack_indexer(out_shape),
             _number(stride, numpy.int32).tobytes()])

    def _compile(self, kinds, letters, shape, out_shape):
        instances.record('reduction', self._init, kinds, [len(shape), len(out_shape)],
                         letters)
        params = self.params
        code = _REDUCTION.substitute(
            typedefs=_typedefs(letters) + 'typedef int IndexT;',
            preamble=self.preamble, reduce_expr=self.reduce_expr,
            post_map_expr=self.post_map_expr, map_expr=self.map_expr, name=self.name,
            identity=self.identity, reduce_type=self.reduce_type,
            block_size=_REDUCTION_BLOCK,
            params=', '.join([
                *_declarations(params, kinds), _indexer(shape, '_in_ind'),
                _indexer(out_shape, '_out_ind'), 'const int _block_stride']),
            inputs=_references(params[:self.nin], kinds[:self.nin], '_in_ind'),
            outputs=_references(params[self.nin:], kinds[self.nin:], '_out_ind'))
        if self.nin == self.nout == 1:
            self._compile_for_cub(kinds, letters)
        return compiler.compile_kernels(
            code, (self.name,), self.options, _headers(kinds, letters))[0]

    def _compile_for_cub(self, kinds, letters):
        size = {}
        if 'mean' in self.name:
            size = {'_in_ind.size()': '_segment_size', '_out_ind.size()': '1.0'}
        post_map_expr = self.post_map_expr
        for old, new in [*size.items(), (self.out_params[0].name, 'out0')]:
            post_map_expr = post_map_expr.replace(old, new)
        code = _CUB_REDUCTION.substitute(
            typedefs=_typedefs(letters), preamble=self.preamble, name=self.name,
            reduce_type=self.reduce_type, reduce_expr=self.reduce_expr,
            map_expr=self.map_expr.replace(self.in_params[0].name, 'in0'),
            post_map_expr=post_map_expr, identity=self.identity,
            in_type=_C_TYPES[kinds[0][1]], out_type=_C_TYPES[kinds[1][1]])
        compiler.compile_kernels(
            code, (self.name,), self.options, _headers(kinds, letters))


def _raw_argument(arg):
    """Return the bytes of an argument of a raw kernel."""
    if isinstance(arg, ndarray):
        check_device(arg)
        if not arg._host.flags.c_contiguous:
            raise ValueError(
                'a raw kernel gets a bare pointer, but the array is not contiguous: '
                'shape %s, strides %s' % (arg.shape, arg.strides))
        return numpy.uint64(arg._host.ctypes.data).tobytes()
    if isinstance(arg, numpy.ndarray):
        if arg.size != 1:
            raise TypeError(
                'You are trying to pass a numpy.ndarray of shape %s as a kernel '
                'parameter. Only numpy.ndarrays of size one can be passed by value.'
                % (arg.shape,))
        return arg.tobytes()
    if hasattr(arg, 'ptr'):
        return numpy.uint64(arg.ptr).tobytes()
    if isinstance(arg, int):
        arg = numpy.int64(arg)
    elif isinstance(arg, float) and not isinstance(arg, numpy.generic):
        arg = numpy.float64(arg)
    if not isinstance(arg, numpy.generic) or arg.dtype.char not in '?bhilqBHILQefd':
        raise TypeError('Unsupported type %s' % type(arg))
    return arg.tobytes()


class RawKernel:
    """A kernel written in CUDA C++."""

    def __init__(self, code, name, options=(), backend='nvrtc', *,
                 translate_cucomplex=False, enable_cooperative_groups=False,
                 jitify=False):
        if translate_cucomplex or enable_cooperative_groups or jitify or (
                backend != 'nvrtc'):
            raise NotImplementedError('options of RawKernel in the stand-in')
        self.code, self.name, self.options = code, name, options
        self.__name__ = name
        self._module = RawModule(code=code, options=options, name_expressions=None)
        self._kernel = None

    def compile(self, log_stream=None):
        if self._kernel is None:
            self._kernel = self._module._compile((self.name,))[0]

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        for each in grid, block:
            if not isinstance(each, tuple):
                raise TypeError('Expected tuple, got %s' % type(each).__name__)
        self.compile()
        grid, block = [tuple(max(1, size) for size in (each + (1, 1))[:3])
                       for each in (grid, block)]
        ledger.launch(self.name)
        self._kernel.launch(
            grid, block, [_raw_argument(arg) for arg in args], shared_mem)


class RawModule:
    """A source file of CUDA C++."""

    def __init__(self, *, code=None, path=None, options=(), backend='nvrtc',
                 translate_cucomplex=False, enable_cooperative_groups=False,
                 name_expressions=None, jitify=False):
        if code is None or translate_cucomplex or enable_cooperative_groups or jitify:
            raise NotImplementedError('options of RawModule in the stand-in')
        self.code, self.options = code, tuple(options)
        self.name_expressions = name_expressions

    def _compile(self, names):
        instances.record(
            'raw', {'code': self.code, 'options': self.options,
                    'name_expressions': self.name_expressions}, [], [], {})
        return compiler.compile_kernels(self.code, names, self.options)

    def compile(self, log_stream=None):
        """Compile the module before the first call of :meth:`get_function`."""

    def get_function(self, name):
        if self.name_expressions and name not in self.name_expressions:
            raise ValueError('%r is not among the name expressions' % name)
        out = RawKernel(self.code, name, self.options)
        out._module = self
        out.compile()
        return out
