"""Kernels of the stand-in: classes that take C++ code, as CuPy has them.

They follow CuPy 13.6 and 14.2 step by step: which argument decides the type that a
letter stands for, what is broadcast, which axes are merged, the text around the code.
Where the two differ, the stricter one is followed: the C++ standard is C++11, float16
exists where an argument has that type, numbers that do not fit raise OverflowError.

Stricter than both are indexes out of bounds (KernelError) and pointers to elements of
arrays that are not contiguous (ValueError); on a GPU they read or write the wrong
memory without a word.

They cannot know what a GPU does otherwise: CuPy has it take denormal numbers of single
precision for zero and fuse multiplications with additions, and its mathematical
functions are not those of the C library. Threads run one after the other, in a
scattered order, so that most races come out as wrong numbers, but not all. Kernels of
complex numbers are not there.
"""
import math
import string

import numpy

from tests.doubles.host_cupy import arguments, compiler, instances, ledger

_ELEMENTWISE = string.Template('''${typedefs}
${preamble}
extern "C" __global__ void ${name}(${params}, CIndexer<${ndim}, 1> _ind) {
  ${loop_prep};
  CUPY_FOR(i, _ind.size()) {
    _ind.set(i);
    ${references}
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
        arguments.check_name(name)
        self._code = {
            'operation': operation, 'name': name, 'preamble': preamble,
            'loop_prep': loop_prep, 'after_loop': after_loop}
        self._init = {
            'in_params': in_params, 'out_params': out_params, 'options': options,
            **self._code}
        self.in_params = arguments.parse(in_params, True)
        self.out_params = arguments.parse(out_params, False)
        self.params = self.in_params + self.out_params
        if 'i' in [param.name for param in self.params]:
            raise ValueError("Can not use 'i' as a parameter name")
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.name = self.__name__ = name
        self.operation, self.preamble, self.reduce_dims = (
            operation, preamble, reduce_dims)
        self.no_return, self.return_tuple = no_return, return_tuple
        self._compiled = {}
        self._made_at = instances.place()

    def __call__(self, *args, size=-1, stream=None, block_size=128):
        if block_size <= 0:
            raise ValueError('block_size must be greater than zero')
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                'Wrong number of arguments for %r. It must be either %d or %d (with '
                'outputs), but given %d.' % (
                    self.name, self.nin, self.nargs, len(args)))
        in_args, out_args = args[:self.nin], args[self.nin:]
        arguments.check_arguments(args)
        values, shape = arguments.broadcast(self.params, args)
        if size != -1:
            if shape is not None:
                raise ValueError("Specified 'size' can be used only if all of the "
                                 "ndarray are 'raw'.")
            shape = size,
        if shape is None:
            raise ValueError('Loop size is undecided.')
        types, letters = arguments.decide_types(
            self.in_params, self.out_params, in_args, out_args)
        outputs = arguments.outputs(
            self.out_params, list(out_args), types[self.nin:], shape, size != -1)
        if 0 not in shape:
            values = values[:self.nin] + [each._host for each in outputs]
            self._launch(
                arguments.numbers(values, types), letters, shape, block_size)
        if self.no_return:
            return None
        if self.nout == 1 and not self.return_tuple:
            return outputs[0]
        return tuple(outputs)

    def _launch(self, values, letters, shape, block_size):
        if self.reduce_dims:
            shape = arguments.merge_axes(self.params, values, shape)
        arguments.check_pointers(self.name, self.params, values, self.operation)
        kinds = arguments.describe(values)
        key = kinds, len(shape), tuple(letters.items())
        if key not in self._compiled:
            self._compiled[key] = self._compile(kinds, letters, len(shape))
        size = math.prod(shape)
        ledger.launch(self.name)
        self._compiled[key].launch(
            (-(-size // block_size), 1, 1), (min(size, block_size), 1, 1),
            [*arguments.pack(values), arguments.pack_indexer(shape)])

    def _compile(self, kinds, letters, ndim):
        code = _ELEMENTWISE.substitute(
            self._code, typedefs=arguments.typedefs(letters), ndim=ndim,
            params=arguments.declarations(self.params, kinds),
            references=arguments.references(self.params, kinds, '_ind'))
        out, = compiler.compile_kernels(
            code, (self.name,), self._init['options'],
            arguments.headers(kinds, letters))
        return out.of(instances.record(
            'elementwise', self._init, kinds, [ndim], letters, self._made_at))


_REDUCTION = string.Template('''${typedefs}
typedef int IndexT;
${preamble}
#define REDUCE(a, b) (${reduce_expr})
#define POST_MAP(a) (${post_map_expr})

typedef ${reduce_type} _type_reduce;
extern "C" __global__ void ${name}(
    ${params}, CIndexer<${in_ndim}, 1> _in_ind, CIndexer<${out_ndim}, 1> _out_ind,
    const int _block_stride) {
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
static_assert(sizeof(_type_reduce) <= 32, "CUB wants at most 32 bytes");
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
# Fewer threads than the 512 of CuPy, so that small arrays need several turns.
_BLOCK_SIZE = 32


def _split_axes(axis, ndim):
    """Return the axes to reduce, and the others."""
    if axis is None:
        return tuple(range(ndim)), ()
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    reduced = tuple(sorted(
        numpy.lib.array_utils.normalize_axis_index(each, ndim) for each in axes))
    if len(set(reduced)) != len(reduced):
        raise ValueError("duplicate value in 'axis'")
    return reduced, tuple(i for i in range(ndim) if i not in reduced)


class ReductionKernel:
    """Code that reduces axes of arrays.

    A kernel of one input and one output must also do for the other implementation that
    CuPy has, by CUB, which it takes for larger contiguous arrays: there, parameters are
    renamed by replacing text, sizes are unknown, and intermediate results have at most
    32 bytes. Such a kernel is compiled in both forms and runs in the first.
    """

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr,
                 identity, name='reduce_kernel', reduce_type=None, reduce_dims=True,
                 preamble='', options=()):
        arguments.check_name(name)
        self.in_params = arguments.parse(in_params, True)
        self.out_params = arguments.parse(out_params, False)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.identity = '' if identity is None else str(identity)
        self._code = {
            'map_expr': map_expr, 'reduce_expr': reduce_expr, 'name': name,
            'post_map_expr': post_map_expr, 'identity': self.identity,
            'reduce_type': reduce_type or self.out_params[0].c_type,
            'preamble': preamble}
        self._init = {
            'in_params': in_params, 'out_params': out_params, 'options': options,
            **self._code}
        self.reduce_dims = reduce_dims
        self.name = self.__name__ = name
        self._compiled = {}
        self._made_at = instances.place()

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
        arguments.check_arguments(in_args + out_args)
        values, shape = arguments.broadcast(self.in_params, in_args)
        if shape is None:
            raise ValueError('Loop size is undecided.')
        types, letters = arguments.decide_types(
            self.in_params, self.out_params, in_args, out_args)
        reduced, kept = _split_axes(axis, len(shape))
        out_shape = tuple(
            [1 if i in reduced else size for i, size in enumerate(shape)]
            if keepdims else [shape[i] for i in kept])
        outputs = arguments.outputs(
            self.out_params, out_args, types[self.nin:], out_shape, False)
        if outputs[0].size:
            if self.identity == '' and 0 in shape:
                raise ValueError(
                    'zero-size array to reduction operation %s which has no identity'
                    % self.name)
            self._launch(
                arguments.numbers(values, types[:self.nin]),
                [each._host for each in outputs], letters, shape, out_shape, reduced,
                kept)
        # The first alone if there are several, as in CuPy.
        return outputs[0]

    def _launch(self, values, outputs, letters, shape, out_shape, reduced, kept):
        if len(values) == 1 and len(kept) <= 1 and not values[0].flags.c_contiguous:
            reduced, kept = [sorted(axes, key=lambda i: -abs(values[0].strides[i]))
                             for axes in (reduced, kept)]
        order = (*reduced, *kept)
        if order != tuple(range(len(shape))):
            if any(param.raw for param in self.in_params):
                raise NotImplementedError('Illegal conditions')
            values = [value if isinstance(value, arguments.Number)
                      else value.transpose(order) for value in values]
            shape = tuple(shape[i] for i in order)
        if self.reduce_dims:
            shape = arguments.merge_axes(self.in_params, values, shape)
            out_shape = arguments.merge_axes(self.out_params, outputs, out_shape)
        values = values + outputs
        arguments.check_pointers(
            self.name, self.in_params + self.out_params, values,
            self._code['map_expr'])
        kinds = arguments.describe(values)
        ndims = len(shape), len(out_shape)
        key = kinds, ndims, tuple(letters.items())
        if key not in self._compiled:
            self._compiled[key] = self._compile(kinds, letters, ndims)
        size = math.prod(out_shape)
        # The largest power of two for which all threads have something to add.
        stride = 1
        reduced_size = max(math.prod(shape) // size, 1)
        while stride * 2 * reduced_size <= _BLOCK_SIZE:
            stride *= 2
        ledger.launch(self.name)
        self._compiled[key].launch(
            (-(-size // stride), 1, 1), (_BLOCK_SIZE, 1, 1),
            [*arguments.pack(values), arguments.pack_indexer(shape),
             arguments.pack_indexer(out_shape), numpy.int32(stride).tobytes()])

    def _compile(self, kinds, letters, ndims):
        typedefs = arguments.typedefs(letters)
        n = self.nin
        codes = [_REDUCTION.substitute(
            self._code, typedefs=typedefs, block_size=_BLOCK_SIZE,
            params=arguments.declarations(self.in_params + self.out_params, kinds),
            in_ndim=ndims[0], out_ndim=ndims[1],
            inputs=arguments.references(self.in_params, kinds[:n], '_in_ind'),
            outputs=arguments.references(self.out_params, kinds[n:], '_out_ind'))]
        if self.nin == self.nout == 1:
            codes.append(_CUB_REDUCTION.substitute(
                self._code_for_cub(), typedefs=typedefs,
                in_type=arguments.c_type(kinds[0][1]),
                out_type=arguments.c_type(kinds[1][1])))
        kernels = [compiler.compile_kernels(
            code, (self.name,), self._init['options'],
            arguments.headers(kinds, letters))[0] for code in codes]
        return kernels[0].of(instances.record(
            'reduction', self._init, kinds, ndims, letters, self._made_at))

    def _code_for_cub(self):
        (in_param,), (out_param,) = self.in_params, self.out_params
        post_map_expr = self._code['post_map_expr']
        if 'mean' in self.name:
            post_map_expr = post_map_expr.replace(
                '_in_ind.size()', '_segment_size').replace('_out_ind.size()', '1.0')
        return {
            **self._code,
            'map_expr': self._code['map_expr'].replace(in_param.name, 'in0'),
            'post_map_expr': post_map_expr.replace(out_param.name, 'out0')}
