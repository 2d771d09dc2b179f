"""States of the objects in pickles of Chainer 1 to 7, brought to those of today."""
import numpy

from chainer_fast import device_resident, variable
from chainer_fast.serializers import _class_paths, _reconstructors


class Later:
    """What is left to do when the whole pickle is read."""

    def __init__(self):
        self.calls = []
        # Triggers that do not know when they were asked last.
        self.triggers = []

    def finish(self):
        for call in self.calls:
            call()


def bring_up_to_date(obj, state, later):
    """Return the state for an object of today.

    Parameters
    ----------
    obj : object
        The object that is to get the state.
    state : object
        The state of the file, which is not changed.
    later : Later
        Where to leave what needs other objects to be complete.
    """
    if not isinstance(state, dict):
        return state
    paths = ['%s.%s' % (cls.__module__, cls.__name__) for cls in type(obj).__mro__]
    changes: list = [_CHANGES[path] for path in reversed(paths) if path in _CHANGES]
    if not changes:
        return state
    state = dict(state)
    for change in changes:
        if isinstance(change, dict):
            for name, value in change.items():
                state.setdefault(name, value)
        else:
            change(obj, state, later)
    return state


def _today(path):
    """Return a class by its path below the package."""
    module, _, name = path.rpartition('.')
    return _class_paths.find('chainer_fast.' + module, name)


# ---- variables and links


class _Flag:
    """ON, OFF and AUTO of Chainer 1: whether a variable was volatile."""

    def __init__(self, value):
        pass


def _variable(data=None, volatile=None, name=None, grad=None):
    return variable.Variable(data, name=name, grad=grad)


def _recover_parameter(data, name, grad, *rest):
    """Make a parameter from the arguments of Chainer 2 to 7."""
    grad_valid, layout = True, ()
    if len(rest) >= 4:
        grad_valid, *rest = rest
        layout = rest[3:]
    initializer, update_rule, device = (*rest[:3], None)[:3]
    if device is None:
        param = variable.Parameter(initializer, name=name)
        device = param.device
        if data is not None:
            device = variable.Variable(data).device
    return variable._recover_parameter(
        data, name, grad, data is not None and grad_valid, initializer, update_rule,
        device, *layout)


def _create_variable(data, name, grad, requires_grad, device=None):
    made = variable.Variable(data, name=name, grad=grad, requires_grad=requires_grad)
    if device is not None:
        made.to_device(device)
    return made


#: Called with the arguments of the file, by today's paths.
CALLS: dict = {
    ('chainer_fast.flag', 'Flag'): _Flag,
    ('chainer_fast.backends.cuda', 'GpuDevice.from_device_id'):
        _reconstructors.gpu_device,
    ('chainer_fast.variable', 'Variable'): _variable,
    ('chainer_fast.variable', '_recover_parameter'): _recover_parameter,
    ('chainer_fast.variable', '_create_variable'): _create_variable,
}


def _resident(resident, state, later):
    state.setdefault('_overridden_to_methods', tuple([
        name for name in ('to_cpu', 'to_gpu', 'to_intel64')
        if device_resident._is_to_device_method_overridden(resident, name)]))


def _link(link, state, later):
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


def _chain(link, state, later):
    state['_children'] = set(state['_children'])


def _stacked(link, state, later):
    state.pop('rnn', None)      # a function, which is a method today
    if 'ws' not in state:
        groups = [vars(group) for group in state['_children']]
        for kind in 'wb':
            state[kind + 's'] = [
                [group[kind + str(k)] for k in range(link.n_weights)]
                for group in groups]


def _convolution(link, state, later):
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


def _batch_normalization(link, state, later):
    for name in '_initial_avg_mean', '_initial_avg_var', 'axis':
        state.setdefault(name, None)
    averages = state['avg_mean']
    if '_highprec_dtype' not in state:
        state['_highprec_dtype'] = numpy.dtype(
            'f4') if averages is None else numpy.promote_types(averages.dtype, 'f4')


def _tree(function, state, later):
    state.setdefault('_longest', int(numpy.diff(state['begins']).max()))


# ---- optimizers


def _hookable(state, kind, *args):
    """Put the hooks of Chainer 1 to 5 together."""
    early = state.pop('_pre_update_hooks', state.pop('_hooks', {}))
    late = state.pop('_post_update_hooks', {})
    if '_hookable' not in state:
        hooks = state['_hookable'] = kind(*args)
        hooks._pre_update_hooks.update(early)
        hooks._post_update_hooks.update(late)


def _fill_hyperparameters(obj, known):
    """Give an optimizer or a rule the hyperparameters that came later."""
    root = obj.hyperparam
    while root.parent is not None:
        root = root.parent
    present = obj.hyperparam.get_dict()
    for name, value in known.items():
        if name not in present:
            setattr(root, name, value)


def _own_base(obj, package):
    """Return the class of Chainer that an object's class is, or derives from."""
    for cls in type(obj).__mro__:
        if cls.__module__.startswith('chainer_fast.%s.' % package):
            return cls
    return None


def _optimizer(optimizer, state, later):
    if '_hookable' not in state and ('_hooks' in state or '_pre_update_hooks' in state):
        _hookable(state, _today('optimizer._OptimizerHookable'), optimizer)
    state.setdefault('_use_fp32_update', False)
    state.setdefault('_loss_scaling_isnan', False)


def _gradient_method(optimizer, state, later):
    base = _own_base(optimizer, 'optimizers')
    known = base().hyperparam.get_dict() if base else {}
    if 'hyperparam' not in state:
        state['hyperparam'] = hyperparam = _today('optimizer.Hyperparameter')()
        proxy = _today('optimizer.HyperparameterProxy')
        for name in list(state):
            if isinstance(getattr(type(optimizer), name, None), proxy):
                setattr(hyperparam, name, state.pop(name))
    later.calls.append(lambda: _fill_hyperparameters(optimizer, known))
    states = state.pop('_states', None)
    if states is not None:
        later.calls.append(lambda: _set_up_rules(optimizer, states))


def _set_up_rules(optimizer, states):
    """Give the parameters rules with the states that an optimizer of Chainer 1 had."""
    for path, param in optimizer.target.namedparams():
        rule = param.update_rule = optimizer.create_update_rule()
        rule.t = optimizer.t
        rule._state = states.get(path)


def _update_rule(rule, state, later):
    _hookable(state, _today('optimizer._Hookable'))
    for name, value in (('_use_fp32_update', False), ('_fp32_param', None),
                        ('_state', None), ('enabled', True)):
        state.setdefault(name, value)
    base = _own_base(rule, 'optimizers')
    if base is not None:
        known = base().hyperparam.get_dict()
        later.calls.append(lambda: _fill_hyperparameters(rule, known))


# ---- iterators and trainers


def _iterator(iterator, state, later):
    """Put the position together; a MultiprocessIterator's comes in parts until 7."""
    if '_state' in state:
        return
    sampler = _today('iterators.order_samplers.ShuffleOrderSampler')
    arguments = state.pop('init', None)
    place = {name: state.pop(name, None) for name in (
        'current_position', 'epoch', 'is_new_epoch')}
    order = state.pop('_order', state.pop('order', None))
    detail = state.pop('previous_epoch_detail', state.get('_previous_epoch_detail'))
    if arguments is not None:
        arguments = {name.lstrip('_'): value for name, value in arguments.items()
                     if name != '_previous_epoch_detail'}
        # Without a sampler, which would be called.
        sampled = {'shuffle': arguments.pop('shuffle', None)}
        if arguments.get('order_sampler') is not None:
            sampled['order_sampler'] = arguments['order_sampler']
        made = type(iterator)(**{**arguments, 'order_sampler': None, 'shuffle': False})
        state.update({**vars(made), **sampled})
        if 'order_sampler' not in sampled:
            del state['order_sampler']
        elif type(sampled['order_sampler']) is sampler:
            # Chainer drew an order that it did not use, from the sampler's own state.
            sampled['order_sampler'](numpy.arange(len(state['dataset'])), 0)
    state.setdefault('order_sampler', None if order is None else sampler())
    state['_state'] = _today('iterators._statemachine.IteratorState')(
        place['current_position'] or 0, place['epoch'] or 0,
        bool(place['is_new_epoch']), order)
    state['_previous_epoch_detail'] = -1. if detail is None else detail


def _updater(updater, state, later):
    device = state.pop('device', None)
    if isinstance(device, int):
        device = _reconstructors.gpu_device(device) if device >= 0 else None
    for name, value in (('_device', None), ('_input_device', device),
                        ('loss_scale', None)):
        state.setdefault(name, value)
    if 'auto_new_epoch' not in state:
        state['auto_new_epoch'] = True
        for optimizer in state['_optimizers'].values():
            optimizer.use_auto_new_epoch = True


def _interval_trigger(trigger, state, later):
    if '_previous_iteration' not in state:
        state.update(_previous_iteration=0, _previous_epoch_detail=0.)
        later.triggers.append(trigger)


def _trainer(trainer, state, later):
    def tell():
        updater = trainer.updater
        for trigger in later.triggers:
            trigger._previous_iteration = updater.iteration
            trigger._previous_epoch_detail = updater.epoch_detail
    later.calls.append(tell)


def _entry(entry, state, later):
    # Chainer 1 called shifts before training, which they do by themselves today.
    called = state.pop('invoke_before_training', False)
    state.setdefault('call_before_training', called and not type(
        state['extension']).__module__.startswith('chainer_fast.'))


def _shift(extension, state, later):
    if state.pop('_before_training', False):
        state['_t'] -= 1        # that call was counted in Chainer 1


_CHANGES = {'chainer_fast.' + path: change for path, change in {
    'device_resident.DeviceResident': _resident,
    'link.Link': _link,
    'link.Chain': _chain,
    'links.rnn.n_step_rnn.NStepRNNBase': _stacked,
    'links.connection.convolution_2d.Convolution2D': _convolution,
    'links.connection.convolution_nd.ConvolutionND': _convolution,
    'links.connection.deconvolution_2d.Deconvolution2D': _convolution,
    'links.connection.deconvolution_nd.DeconvolutionND': _convolution,
    'links.normalization.batch_normalization.BatchNormalization': _batch_normalization,
    'links.loss.hierarchical_softmax.BinaryHierarchicalSoftmaxFunction': _tree,
    'optimizer.Optimizer': _optimizer,
    'optimizer.GradientMethod': _gradient_method,
    'optimizer.UpdateRule': _update_rule,
    'iterators._ordered_iterator.OrderedIterator': _iterator,
    'training.updaters.standard_updater.StandardUpdater': _updater,
    'training.triggers.interval_trigger.IntervalTrigger': _interval_trigger,
    'training.trainer._ExtensionEntry': _entry,
    'training.trainer.Trainer': _trainer,
    'training.extensions._shift.HyperparameterShift': _shift,
    # What came later, and what it was before.
    'links.connection.linear.Linear': {'in_size': None},
    'links.model.classifier.Classifier': {'label_key': -1},
    'training.extensions.evaluator.Evaluator': {'_progress_bar': False},
    'functions.noise.dropout.Dropout': {'mask': None, 'return_mask': False},
    'initializers.normal.HeNormal': {'fan_option': 'fan_in', 'rng': None},
    'initializers.orthogonal.Orthogonal': {'mode': 'auto', 'rng': None},
    **{'initializers.' + name: {'rng': None} for name in (
        'normal.GlorotNormal', 'normal.LeCunNormal', 'normal.Normal',
        'uniform.GlorotUniform', 'uniform.HeUniform', 'uniform.LeCunUniform',
        'uniform.Uniform')},
}.items()}
