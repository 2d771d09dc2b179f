"""The CUDA kernels of the rules, compiled for the CPU and compared with NumPy.

A kernel is a few lines of C++ for one element.  Without a GPU those lines can be tried
by a C++ compiler; only the types of half precision are CuPy's own.
"""
import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizers
from chainer_fast.backends import cuda

CASES = [
    ('SGD', {}), ('MomentumSGD', {}), ('CorrectedMomentumSGD', {}), ('NesterovAG', {}),
    ('RMSprop', {}), ('RMSprop', {'eps_inside_sqrt': True}), ('RMSpropGraves', {}),
    ('AdaGrad', {}), ('AdaDelta', {}), ('SMORMS3', {'lr': .1}), ('MSVAG', {}),
    ('MSVAG', {'weight_decay_rate': .1, 'eta': .7}), ('Adam', {'alpha': .1}),
    ('AdamW', {'weight_decay_rate': .1, 'eta': .7}), ('AMSGrad', {'beta2': .5}),
    ('AdaBound', {'gamma': .1}), ('AMSBound', {'beta2': .5, 'final_lr': .01}),
]
DTYPES = ['float32', 'float64']
C_TYPES = {'float32': 'float', 'float64': 'double'}

COMPILER = shutil.which('g++') or shutil.which('clang++')
pytestmark = pytest.mark.skipif(COMPILER is None, reason='needs a C++ compiler')


def test_source_is_made_once(monkeypatch):
    sources = []
    monkeypatch.setattr(
        cuda, 'elementwise',
        lambda *args, **kwargs: sources.append([*args, *kwargs.values()]) or Kernel(
            *args, **kwargs))
    data, rule, grads = make('AMSGrad', {}, 'float32')
    for grad in grads:
        rule.t += 1
        rule._move_on_gpu(data, grad)
    assert len(sources) == 3
    assert all(a is b for a, b in zip(sources[0], sources[2], strict=True))


class Kernel:
    """Stands for an elementwise kernel of CuPy."""

    def __init__(self, in_params, out_params, operation, name, preamble):
        self.preamble = preamble
        self.params = [param.split() for param in re.split(
            ', *', in_params + ', ' + out_params)]
        self.operation = operation
        self.call = None

    def __call__(self, *args):
        assert len(args) == len(self.params)
        self.args = args
        if self.call is not None:
            self.call()

    def function(self, name):
        """Return C++ for a loop over all elements."""
        t = C_TYPES[self.args[0].dtype.name]
        declared, elements = [], []
        for (kind, param), arg in zip(self.params, self.args, strict=True):
            c_type = t if kind == 'T' else C_TYPES[kind]
            if isinstance(arg, np.ndarray):
                declared.append('%s *%s_' % (c_type, param))
                elements.append('%s &%s = %s_[i];' % (c_type, param, param))
            else:
                declared.append('double %s_' % param)
                elements.append('const %s %s = %s_;' % (c_type, param, param))
        return '''
            extern "C" void %s(long n, %s) {
                typedef %s T;
                for (long i = 0; i < n; ++i) { %s { %s } }
            }''' % (name, ', '.join(declared), t, ' '.join(elements), self.operation)

    def bind(self, function):
        def call():
            function(ctypes.c_long(self.args[0].size), *[
                arg.ctypes.data_as(ctypes.c_void_p) if isinstance(arg, np.ndarray)
                else ctypes.c_double(arg) for arg in self.args])
        self.call = call


def make(name, kwargs, dtype):
    rng = np.random.RandomState(0)
    param = chainer.Parameter(rng.uniform(-1, 1, 50).astype(dtype))
    rule = getattr(optimizers, name)(**kwargs).create_update_rule()
    rule._init_states(param)
    grads = rng.uniform(-1, 1, (3, 50)).astype(dtype)
    grads[:, :3] = 0
    return param.array, rule, grads


@pytest.fixture(scope='module')
def compiled(tmp_path_factory):
    """All kernels, by case, in one library."""
    kernels = {}
    with pytest.MonkeyPatch.context() as patch:
        for index, (name, kwargs) in enumerate(CASES):
            for dtype in DTYPES:
                key = index, dtype

                def elementwise(*args, key=key, preamble=''):
                    return kernels.setdefault(key, Kernel(*args, preamble))

                patch.setattr(cuda, 'elementwise', elementwise)
                data, rule, grads = make(name, kwargs, dtype)
                rule.t = 1
                rule._move_on_gpu(data, grads[0])
    folder = tmp_path_factory.mktemp('kernels')
    names = {key: 'kernel_%d_%s' % key for key in kernels}
    source, library = folder / 'kernels.cpp', folder / 'kernels.so'
    # Headers have include guards.
    source.write_text('\n'.join(
        kernel.preamble + kernel.function(names[key])
        for key, kernel in kernels.items()))
    flags = ['-shared', '-fPIC', '-ffp-contract=off', '-Wall', '-Werror',
             '-Wno-unused-local-typedefs']
    subprocess.run([COMPILER, *flags, str(source), '-o', str(library)], check=True)
    loaded = ctypes.CDLL(str(library))
    for key, kernel in kernels.items():
        kernel.bind(loaded[names[key]])
    return kernels


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('index', range(len(CASES)))
def test_kernel(index, dtype, compiled, monkeypatch):
    monkeypatch.setattr(
        cuda, 'elementwise', lambda *args, **kwargs: compiled[index, dtype])
    expected, rule_cpu, grads = make(*CASES[index], dtype)
    data, rule_gpu, _ = make(*CASES[index], dtype)
    for grad in grads:
        for rule in (rule_cpu, rule_gpu):
            rule.t += 1
        rule_cpu._move(expected, grad)
        rule_gpu._move_on_gpu(data, grad)
    tolerance = 1e-4 if dtype == 'float32' else 1e-12
    np.testing.assert_allclose(data, expected, rtol=tolerance, atol=tolerance)
    assert (data != make(*CASES[index], dtype)[0]).any()
    assert rule_gpu.state.keys() == rule_cpu.state.keys()
    for name in rule_cpu.state:
        np.testing.assert_allclose(
            rule_gpu.state[name], rule_cpu.state[name], rtol=tolerance, atol=tolerance)
