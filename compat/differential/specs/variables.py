"""Members and operators of variables and parameters."""

from compat.differential.language import (
    array,
    case,
    get,
    make,
    plain,
    same,
    slice_,
    special,
    thing,
    tuple_,
)

_PROPERTIES = (
    'T',
    'array',
    'chx_array',
    'data',
    'device',
    'dtype',
    'grad',
    'grad_var',
    'label',
    'layout',
    'name',
    'ndim',
    'node',
    'rank',
    'raw_array',
    'requires_grad',
    'shape',
    'size',
    'xp',
    'creator',
    'creator_node',
    '__len__',
    '__repr__',
    '__str__',
    '__bool__',
    '__nonzero__',
    '__neg__',
    '__abs__',
    '__pos__',
    'summary',
    'debug_print',
    'mean',
    '__copy__',
)
_METHODS = (
    'cleargrad',
    'zerograd',
    'unchain',
    'unchain_backward',
    'retain_data',
    'to_cpu',
    'from_chx',
    'to_intel64',
    'to_gpu',
    'to_chx',
)
_OPERATORS = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'pow', 'matmul')
_COMPARISONS = ('eq', 'ne', 'lt', 'le', 'gt', 'ge')


def _operators():
    for name in _OPERATORS:
        first, second = ((3, 3), (3, 3))
        for way in '', 'r':
            full = 'Variable.__%s%s__' % (way, name)
            yield case(full, array(*first, fill='positive'), array(*second, seed=1))
            yield case(full, array(*first, fill='positive'), plain(*second, seed=1))
            if name != 'matmul':
                for other in (
                    2,
                    0.5,
                    True,
                    {'$': 'number', 'form': 'float32', 'value': 1.5},
                    plain(1),
                ):
                    yield case(full, array(2, 3, fill='positive'), other)
                yield case(full, array(2, 1, fill='positive'), array(1, 3, seed=1))
    for name in 'div', 'rdiv':
        yield case(
            'Variable',
            plain(2, 3),
            scene='method',
            then=['__%s__' % name, array(2, 3, fill='positive')],
        )
    for name in _COMPARISONS:
        yield case('Variable.__%s__' % name, array(2, 3), array(2, 3, seed=1))
        yield case('Variable.__%s__' % name, array(2, 3), 1)


def _members():
    for name in _PROPERTIES:
        yield case('Variable.' + name, array(2, 3))
        yield case('Variable.' + name, array(1))
        yield case('Variable.' + name, thing('graph', array(2, 3)))
        yield case('Variable.' + name, thing('parameter'))
    for name in _METHODS:
        yield case('Variable', plain(2, 3), scene='written', then=[name])
        yield case(
            'Variable',
            plain(2, 3),
            grad=plain(2, 3, seed=1),
            scene='written',
            then=[name],
        )
        yield case('Parameter', plain(2, 3), scene='written', then=[name])
    for name in 'item', 'data', 'array':
        yield case('Variable.' + name, array(1, 1))
    yield case('Variable.__getitem__', array(3, 4), slice_(None, None, -1))
    yield case('Variable.__getitem__', array(3, 4), tuple_(slice_(1, 3, None), -1))
    yield case('Variable.reshape', array(2, 3), 3, 2)
    yield case('Variable.reshape', array(2, 3), tuple_(-1))
    yield case('Variable.transpose', array(2, 3, 4))
    yield case('Variable.transpose', array(2, 3, 4), 2, 0, 1)
    yield case('Variable.mean', array(2, 3), axis=1)
    yield case(
        'Variable',
        plain(2, 3),
        grad=plain(2, 3, seed=1),
        scene='written',
        then=['addgrad', make('Variable', plain(2, 3), grad=plain(2, 3))],
    )
    yield case(
        'Variable', plain(2, 3), scene='written', then=['copydata', array(2, 3, seed=1)]
    )
    yield case('Variable', plain(2, 3), scene='written', then=['as_layout', None])
    yield case('Variable', plain(2, 3), scene='written', then=['to_device', '@numpy'])
    yield case('Variable.backward', thing('graph', array(2, 3)))
    yield case('Variable.backward', thing('total', array(2, 3)))
    yield case(
        'Variable.backward',
        thing('total', array(2, 3)),
        retain_grad=True,
        enable_double_backprop=True,
        loss_scale=2.0,
    )
    yield case(
        'Variable', plain(2, 3), scene='written', then=['set_creator', thing('node')]
    )
    yield case(
        'Variable',
        plain(2, 3),
        scene='written',
        then=['set_creator_node', thing('node')],
    )
    for name, value in (
        ('grad', plain(2, 3, seed=1)),
        ('array', plain(2, 3, seed=1)),
        ('data', plain(2, 3, seed=1)),
        ('name', 'x'),
        ('grad_var', array(2, 3)),
        ('grad', None),
        ('array', None),
    ):
        for cls in 'Variable', 'Parameter':
            yield case(cls, plain(2, 3), scene='assigned', then=[name, value])
            yield case(cls, scene='assigned', then=[name, value])


def _made():
    for more in (
        {},
        {'name': 'x'},
        {'grad': plain(2, 3, seed=1)},
        {'requires_grad': False},
    ):
        yield case('Variable', plain(2, 3), **more)
        yield case('Variable', plain(2, 3), scene='method', then=['__repr__'], **more)
    yield case('Variable')
    for initializer in (
        None,
        2.0,
        plain(2, 3),
        make('initializers.Normal', 0.1),
        make('initializers.Zero'),
        special('nan'),
    ):
        more = (
            {}
            if isinstance(initializer, dict) and initializer['$'] == 'array'
            else {'shape': tuple_(2, 3)}
        )
        yield case('Parameter', initializer, **more)
        yield case(
            'Parameter',
            initializer,
            scene='attributes',
            then=['is_initialized', 'initializer', 'name', 'requires_grad', 'dtype'],
        )
        yield case(
            'Parameter', initializer, scene='written', then=['initialize', tuple_(2, 3)]
        )
    yield case('Parameter', plain(2, 3), name='w', layout=None)
    for name in (
        'update',
        '__repr__',
        'shape',
        'size',
        'ndim',
        'dtype',
        'T',
        '__len__',
        ('__copy__'),
        'initializer',
    ):
        yield case('Parameter', scene='method', then=[name])
        yield case('Parameter', plain(2, 3), scene='method', then=[name])
    yield case('Parameter', plain(2, 3), scene='written', then=['to_device', '@numpy'])
    yield case('Parameter', scene='written', then=['copydata', array(2, 3)])
    yield case('Parameter', scene='written', then=['addgrad', thing('parameter')])
    for name in 'as_variable', 'as_array':
        yield case(name, array(2, 3))
        yield case(name, plain(2, 3))
    yield case(
        'backward',
        [thing('graph', array(2, 3)), thing('graph', array(2))],
        [array(2, 3), array(2)],
    )
    yield case('backward', [thing('total', array(2, 3))], retain_grad=True)
    yield case('grad', [thing('graph', array(2, 3))], [array(2, 3)])
    for more in (
        {},
        {'set_grad': True},
        {'enable_double_backprop': True},
        {'grad_outputs': [array(2, 3, seed=1)]},
        {'loss_scale': 2.0},
    ):
        yield case('grad', [thing('graph', array(2, 3))], [same(0)], **more)
    yield case('get_device', '@numpy')
    for name in '@intel64', 'native', tuple_('@numpy'), -1, None, 'cuda:0', '@cupy:0':
        yield case('get_device', name)
    for dtype in None, 'f4', {'$': 'get', 'name': 'mixed16'}:
        for map_mixed16 in None, 'f4':
            yield case('get_dtype', dtype, map_mixed16)
    yield case('is_arrays_compatible', [plain(2), plain(3)])
    for name in (
        'get_array_types',
        'get_cpu_array_types',
        'get_compute_mode',
        'get_function_hooks',
        'is_debug',
    ):
        yield case(name)
    yield case('should_use_cudnn', '>=auto', 5000)
    yield case('should_use_cudnn_tensor_core', {'$': 'dtype', 'value': 'f2'})
    yield case('set_debug', False)
    yield case('using_config', 'train', False, scene='within')
    yield case('no_backprop_mode', scene='within')
    yield case('force_backprop_mode', scene='within')
    yield case('using_device', '@numpy', scene='within')
    yield case('DebugMode', True, scene='within')
    yield case('functions.relu', get('Variable'))


def cases():
    return [each for part in (_operators, _members, _made) for each in part()]
