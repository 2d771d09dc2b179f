"""States of optimizers, iterators and trainers of Chainer 1 to 7; see _old_states."""
import types

from chainer_fast.serializers import _reconstructors
from chainer_fast.serializers._class_paths import named


def _require(obj, kind):
    """Reject an object whose methods would be called, unless its class has them.

    Any object of a file may have an attribute with the name of a method. Objects of the
    classes that the user allows are accepted.
    """
    # Looked up on the type, as the file may set attributes of the object.
    home = obj.__module__ if isinstance(obj, types.FunctionType) else (
        type(obj).__module__)
    if not isinstance(obj, kind) and home.startswith((
            'chainer_fast.', 'builtins', 'collections', 'functools', 'numpy')):
        raise ValueError('%r in the place of %s' % (obj, kind))


def _hookable(state, kind, *args):
    """Combine the hooks of Chainer 1 to 5."""
    early = state.pop('_pre_update_hooks', state.pop('_hooks', {}))
    late = state.pop('_post_update_hooks', {})
    if '_hookable' not in state:
        hooks = state['_hookable'] = kind(*args)
        hooks._pre_update_hooks.update(early)
        hooks._post_update_hooks.update(late)


def _fill_hyperparameters(obj, known):
    """Add later hyperparameters to an optimizer or an update rule."""
    root, seen = obj.hyperparam, set()
    _require(root, named('optimizer.Hyperparameter'))
    while root.parent is not None:
        seen.add(id(root))
        root = root.parent
        _require(root, named('optimizer.Hyperparameter'))
        if id(root) in seen:
            raise ValueError('hyperparameters that are their own parents')
    present = obj.hyperparam.get_dict()
    for name, value in known.items():
        if name not in present:
            setattr(root, name, value)


def _own_base(obj, package):
    """Return the class of Chainer that an object is an instance of."""
    for cls in type(obj).__mro__:
        if cls.__module__.startswith('chainer_fast.%s.' % package):
            return cls
    return None


def optimizer(optimizer, state, later):
    if '_hookable' not in state and ('_hooks' in state or '_pre_update_hooks' in state):
        _hookable(state, named('optimizer._OptimizerHookable'), optimizer)
    state.setdefault('_use_fp32_update', False)
    state.setdefault('_loss_scaling_isnan', False)


def gradient_method(optimizer, state, later):
    base = _own_base(optimizer, 'optimizers')
    known = base().hyperparam.get_dict() if base else {}
    if 'hyperparam' not in state:
        state['hyperparam'] = hyperparam = named('optimizer.Hyperparameter')()
        proxy = named('optimizer.HyperparameterProxy')
        for name in list(state):
            if isinstance(getattr(type(optimizer), name, None), proxy):
                setattr(hyperparam, name, state.pop(name))
    later.calls.append(lambda: _fill_hyperparameters(optimizer, known))
    states = state.pop('_states', None)
    if states is not None:
        later.calls.append(lambda: _set_up_rules(optimizer, states))


def _set_up_rules(optimizer, states):
    """Make update rules with the states of an optimizer of Chainer 1."""
    _require(optimizer.target, named('link.Link'))
    _require(states, dict)
    for path, param in optimizer.target.namedparams():
        rule = param.update_rule = optimizer.create_update_rule()
        rule.t = optimizer.t
        rule._state = states.get(path)


def update_rule(rule, state, later):
    _hookable(state, named('optimizer._Hookable'))
    for name, value in (('_use_fp32_update', False), ('_fp32_param', None),
                        ('_state', None), ('enabled', True)):
        state.setdefault(name, value)
    base = _own_base(rule, 'optimizers')
    if base is not None:
        known = base().hyperparam.get_dict()
        later.calls.append(lambda: _fill_hyperparameters(rule, known))


def iterator(iterator, state, later):
    """Combine the position, of which MultiprocessIterator stored parts until 7."""
    # Loading may call a sampler, which must be a known one, or the user's.
    given = state.get('order_sampler') or state.get('init', {}).get('order_sampler')
    if given is not None:
        _require(given, named('iterators.order_samplers.OrderSampler'))
    if '_state' in state:
        return
    sampler = named('iterators.order_samplers.ShuffleOrderSampler')
    arguments = state.pop('init', None)
    place = {name: state.pop(name, None) for name in (
        'current_position', 'epoch', 'is_new_epoch')}
    order = state.pop('_order', state.pop('order', None))
    detail = state.pop('previous_epoch_detail', state.get('_previous_epoch_detail'))
    if arguments is not None:
        arguments = {name.lstrip('_'): value for name, value in arguments.items()
                     if name != '_previous_epoch_detail'}
        # Without a sampler, as it would be called.
        sampled = {'shuffle': arguments.pop('shuffle', None)}
        if arguments.get('order_sampler') is not None:
            sampled['order_sampler'] = arguments['order_sampler']
        made = type(iterator)(**{**arguments, 'order_sampler': None, 'shuffle': False})
        state.update({**vars(made), **sampled})
        if 'order_sampler' not in sampled:
            del state['order_sampler']
    state.setdefault('order_sampler', None if order is None else sampler())
    state['_state'] = named('iterators._statemachine.IteratorState')(
        place['current_position'] or 0, place['epoch'] or 0,
        bool(place['is_new_epoch']), order)
    state['_previous_epoch_detail'] = -1. if detail is None else detail


def multithread_iterator(iterator, state, later):
    if '_sampled' not in state:
        state.update(_sampled=[], _pool=None, _next=None)


def updater(updater, state, later):
    device = state.pop('device', None)
    if isinstance(device, int):
        device = _reconstructors.gpu_device(device) if device >= 0 else None
    for name, value in (('_device', None), ('_input_device', device),
                        ('loss_scale', None)):
        state.setdefault(name, value)
    if 'auto_new_epoch' not in state:
        state['auto_new_epoch'] = True
        _require(state['_optimizers'], dict)
        for optimizer in state['_optimizers'].values():
            optimizer.use_auto_new_epoch = True


def interval_trigger(trigger, state, later):
    if '_previous_iteration' not in state:
        state.update(_previous_iteration=0, _previous_epoch_detail=0.)
        later.triggers.append(trigger)


def trainer(trainer, state, later):
    def tell():
        updater, reporter = trainer.updater, trainer.reporter
        _require(updater, named('training.updater.Updater'))
        _require(reporter, named('reporter.Reporter'))
        # Its keys are addresses of the links in the memory of another process.
        reporter._observer_names = {}
        for name, optimizer in updater.get_all_optimizers().items():
            _require(optimizer.target, named('link.Link'))
            reporter.add_observer(name, optimizer.target)
            reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
        for trigger in later.triggers:
            trigger._previous_iteration = updater.iteration
            trigger._previous_epoch_detail = updater.epoch_detail
    later.calls.append(tell)


def entry(entry, state, later):
    # Chainer 1 called shifts before training, which is now part of shifts.
    called = state.pop('invoke_before_training', False)
    state.setdefault('call_before_training', called and not type(
        state['extension']).__module__.startswith('chainer_fast.'))


def shift(extension, state, later):
    if '_before_training' in state:
        del state['_before_training']
        state['_t'] -= 1        # Chainer 1 counted the call before training
    for name in '_init', '_target', '_last_value':
        state.setdefault(name, None)


def linear_shift(extension, state, later):
    if state.get('_init') is None:
        state['_init'] = state['_value_range'][0]


def dump_graph(extension, state, later):
    made = type(extension)('')
    for name in '_variable_style', '_function_style':
        state[name] = state.get(name) or getattr(made, name)
