"""States of links of Chainer 1 to 6, brought to those of today; see _old_states."""
import sys

import numpy

from chainer_fast import device_resident, variable
from chainer_fast.serializers import _reconstructors


def resident(resident, state, later):
    state.setdefault('_overridden_to_methods', tuple([
        name for name in ('to_cpu', 'to_gpu', 'to_intel64')
        if device_resident._is_to_device_method_overridden(resident, name)]))


def link(link, state, later):
    for name in '_params', '_persistent':
        state[name] = set(state.get(name, ()))
    number = state.pop('_device_id', None)
    if not state.pop('_cpu', True):
        state['_device'] = _reconstructors.gpu_device(number or 0)
    state.pop('_uninitialized_params', None)
    state.pop('_Link__init_done', None)
    for name in state['_params']:
        value = state.get(name)
        if type(value) is variable.Variable:
            # Other objects refer to it, so it becomes the parameter itself.
            value.__class__ = variable.Parameter
            value.__dict__.update(variable.Parameter(0).__dict__)


def chain(link, state, later):
    state['_children'] = set(state['_children'])


def stacked(link, state, later):
    state.pop('rnn', None)      # a function, which is a method today
    if 'ws' not in state:
        groups = [vars(group) for group in state['_children']]
        for kind in 'wb':
            state[kind + 's'] = [
                [group[kind + str(k)] for k in range(link.n_weights)]
                for group in groups]


def convolution(link, state, later):
    state.setdefault('groups', 1)
    state.setdefault('x_layout', None)
    state.setdefault('cudnn_fast', False)
    W = state['W'].array
    if W is not None:
        state.setdefault('dilate', (1,) * (W.ndim - 2))
        state.setdefault('ksize', W.shape[2:])
        width = W.shape[1] * state['groups']
        outer, inner = ('in', 'out') if 'Deconv' in type(link).__name__ else (
            'out', 'in')
        state.setdefault(outer + '_channels', W.shape[0])
        state.setdefault(inner + '_channels', width)


def batch_normalization(link, state, later):
    for name in '_initial_avg_mean', '_initial_avg_var', 'axis':
        state.setdefault(name, None)
    averages = state['avg_mean']
    if '_highprec_dtype' not in state:
        state['_highprec_dtype'] = numpy.dtype(
            'f4') if averages is None else numpy.promote_types(averages.dtype, 'f4')


def scale(link, state, later):
    for name in 'W', 'bias':
        if state.get(name, link) is None:       # for the weight of each call
            del state[name]


def caffe_layer(layer, state, later):
    """Switch modes by the configuration instead of the arguments of Chainer 1."""
    # Pickles name these classes, so their module is imported already.
    layers = sys.modules[type(layer).__module__]
    if 'ratio' in state:
        state.update(func=layers.functions.dropout, args=(),
                     kwargs={'ratio': state['ratio']})
    kwargs = state['kwargs'] = dict(state['kwargs'])
    kwargs.pop('finetune', None)
    if kwargs.pop('test', False):
        layer.__class__ = layers._SingleArgumentFunctionTestMode
    if 'use_cudnn' in kwargs:
        layer.__class__ = layers._SingleArgumentFunctionWithCudnn
        state['use_cudnn'] = kwargs.pop('use_cudnn')
