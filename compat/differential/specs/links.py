"""Links that the tests of arguments lack, and members of links and chains."""

from compat.differential import language
from compat.differential.language import array, case, get, make, plain, thing, tuple_

_READ = (
    'count_params',
    'update_enabled',
    'within_init_scope',
    'device',
    'xp',
    'local_link_hooks',
    '__repr__',
    '__str__',
    'name',
)
_ITERATORS = (
    'params',
    'namedparams',
    'links',
    'namedlinks',
    'children',
    'printable_specs',
)
_WRITERS = (
    'cleargrads',
    'zerograds',
    'disable_update',
    'enable_update',
    'to_cpu',
    'to_gpu',
    'to_intel64',
    'to_chx',
    'from_chx',
)
_OPTIONS = {
    'links.Linear': (
        {'nobias': True},
        {'initialW': make('initializers.Normal', 0.1)},
        {'initial_bias': 1.5},
        {'initialW': 0},
    ),
    'links.BatchNormalization': (
        {'use_gamma': False},
        {'use_beta': False},
        {'decay': 0.5},
        {'dtype': language.dtype('f8')},
        {'initial_avg_mean': 2.0},
    ),
    'links.Convolution2D': ({'nobias': True}, {'initial_bias': 1.0}, {'groups': 1}),
    'links.LSTM': ({'lateral_init': 0, 'upward_init': 0.5, 'forget_bias_init': 2.0},),
    'links.EmbedID': ({'initialW': make('initializers.One')},),
}


def _layers():
    for name, size, shape in (
        ('Linear', (3, 4), (2, 3)),
        ('Linear', (None, 4), (2, 3, 2)),
        ('BatchNormalization', (3,), (4, 3)),
        ('Convolution2D', (3, 4, 3), (2, 3, 5, 5)),
        ('LSTM', (3, 4), (2, 3)),
        ('EmbedID', (5, 3), (4,)),
    ):
        for more in _OPTIONS['links.' + name]:
            x = language.ids(5, *shape) if name == 'EmbedID' else array(*shape)
            yield case('links.' + name, *size, scene='call', then=[x], **more)
    for name in (
        'LSTM',
        'StatefulGRU',
        'StatefulMGU',
        'StatefulPeepholeLSTM',
        ('StatefulZoneoutLSTM'),
        'GRU',
    ):
        yield case('links.' + name, 3, 4, scene='twice', then=[array(2, 3)])
        yield case('links.' + name, 3, 4, scene='written', then=['reset_state'])
    yield case('links.BatchNormalization', 3, scene='twice', then=[array(4, 3)])
    yield case(
        'links.BatchNormalization',
        3,
        scene='call',
        then=[array(4, 3)],
        then_kwargs={'finetune': True},
    )
    yield case(
        'links.BatchRenormalization',
        3,
        rmax=2.0,
        dmax=1.0,
        scene='twice',
        then=[array(4, 3)],
    )
    for loss in None, thing('mse'):
        t = language.ids(2, 4) if loss is None else array(4, 2)
        more = {} if loss is None else {'lossfun': loss}
        model = make('links.Linear', 3, 2)
        yield case(
            'links.Classifier', model, scene='call', then=[array(4, 3), t], **more
        )
        yield case(
            'links.Classifier',
            model,
            scene='call',
            then_kwargs={'x': array(4, 3), 't': t},
            label_key='t',
            **more,
        )
    yield case('links.Parameter', plain(2, 3), scene='call')
    yield case('links.PReLU', tuple_(3), 0.5, scene='call', then=[array(2, 3)])
    yield case('links.Maxout', None, 2, 3, scene='call', then=[array(2, 3)])
    yield case('links.Scale', 1, tuple_(3), scene='call', then=[array(2, 3, 2)])
    yield case('links.TheanoFunction', [], [])
    yield case(
        'links.BlackOut',
        4,
        [5, 4, 3, 2],
        2,
        scene='call',
        then=[array(3, 4), language.ids(4, 3)],
    )


def _targets():
    """Yield names of classes with arguments."""
    layer = make('links.Linear', 3, 2)
    yield 'Link', [], {}
    yield 'Link', [], {'w': tuple_(2, 3)}
    yield 'Chain', [], {'a': layer, 'b': make('links.Linear', 2, 2)}
    yield 'ChainList', [layer, make('links.Linear', 2, 2)], {}
    yield 'Sequential', [layer, get('functions.relu'), make('links.Linear', 2, 2)], {}
    yield 'Sequential', [layer, thing('identity')], {}


def _members():
    for name, args, kwargs in _targets():

        def about(
            scene='method', *then, more=None, name=name, args=args, kwargs=kwargs
        ):
            return case(
                name,
                *args,
                scene=scene,
                then=list(then),
                then_kwargs=more or {},
                **kwargs,
            )

        yield case(name, *args, **kwargs)
        for member in _READ:
            yield about('method', member)
        for member in _WRITERS:
            yield about('written', member)
        for member in _ITERATORS:
            yield about('items_of', member)
        for member in 'params', 'namedparams':
            yield about('items_of', member, False)
        for member in 'links', 'namedlinks':
            yield about('items_of', member, True)
        yield about('written', 'to_device', '@numpy')
        yield about('written', 'add_hook', thing('link_hook'))
        yield about(
            'written', 'add_param', 'more', tuple_(2, 3), more={'initializer': 2.0}
        )
        yield about(
            'written', 'add_param', 'more', 3, more={'initializer': 1, 'dtype': 'f8'}
        )
        yield about('written', 'add_persistent', 'count', 3)
        yield about('written', 'register_persistent', 'name')
        yield about('in_scope', 'init_scope')
        yield about('in_scope', 'init_scope', make('Parameter', 2.0, tuple_(2)))
        yield about('in_scope', 'init_scope', make('links.Linear', 3, 2))
        yield about('in_scope', 'init_scope', array(2, 3))
        for mode in 'share', 'copy', 'init':
            yield about('method', 'copy', mode)
            yield about('method', 'repeat', 2, mode)
        yield about('written', 'copyparams', make(name, *args, **kwargs))
        yield about(
            'written', 'addgrads', thing('with_gradients', make(name, *args, **kwargs))
        )
        yield about('saved_as')
        yield about('method', 'delete_hook', 'none')
        yield about('method', 'device_resident_accept', thing('visitor'))
        yield about('method', '__call__')
        yield about('method', 'from_params')
        for member in '__eq__', '__ne__', '__lt__', '__le__', '__gt__', '__ge__':
            yield about('method', member, 3)
    chain = thing('chain')
    yield case('Chain.__getitem__', chain, 'a')
    yield case('Chain.__getitem__', chain, 'none')
    yield case('Link.count_params', chain)
    yield case('Link.serialize', chain, make('serializers.DictionarySerializer'))
    yield case('Chain.serialize', chain, make('serializers.DictionarySerializer'))
    yield case('Link.from_params', array(2, 3))
    yield case(
        'links.Linear.from_params',
        plain(2, 3),
        plain(2),
        scene='call',
        then=[array(4, 3)],
    )
    yield case(
        'links.Convolution2D.from_params',
        plain(2, 3, 3, 3),
        plain(2),
        scene='call',
        then=[array(4, 3, 5, 5)],
    )
    yield case('Chain.add_link', chain, 'c', make('links.Linear', 2, 2))
    yield case('Chain.add_link', chain, 'a', make('links.Linear', 2, 2))
    yield case('Link.__call__', chain, array(4, 3))


def _lists():
    new = make('links.Linear', 2, 2)
    for kind in 'chain_list', 'sequential':
        cls = {'chain_list': 'ChainList', 'sequential': 'Sequential'}[kind]
        made = thing(kind)
        for member, args in (
            ('__len__', ()),
            ('__iter__', ()),
            ('__getitem__', (0,)),
            ('__getitem__', (-1,)),
            ('__getitem__', (language.slice_(0, 2, None),)),
            ('__setitem__', (0, new)),
            ('__setitem__', (-1, new)),
            ('__delitem__', (0,)),
            ('__contains__', (new,)),
            ('__reversed__', ()),
            ('__iadd__', ([new],)),
            ('add_link', (new,)),
            ('append', (new,)),
            ('insert', (1, new)),
            ('insert', (-1, new)),
            ('extend', ([new, new],)),
            ('pop', ()),
            ('pop', (0,)),
            ('clear', ()),
            ('reverse', ()),
            ('remove', (new,)),
            ('index', (new,)),
            ('count', (new,)),
            ('count_by_layer_type', ('Linear',)),
            ('remove_by_layer_type', ('Linear',)),
            ('flatten', ()),
            ('__add__', (thing('sequential'),)),
            ('copy', ()),
            ('forward', (array(2, 3),)),
            ('__call__', (array(2, 3),)),
            ('children', ()),
            ('repeat', (2,)),
            ('copyparams', (made,)),
            ('addgrads', (thing('with_gradients', made),)),
            ('serialize', (make('serializers.DictionarySerializer'),)),
            ('__str__', ()),
            ('__repr__', ()),
            ('__eq__', (made,)),
        ):
            if cls == 'ChainList' and member in (
                'count_by_layer_type',
                'remove_by_layer_type',
                'flatten',
                '__add__',
                'forward',
            ):
                continue
            yield case('%s.%s' % (cls, member), made, *args)
            yield case('%s.%s' % (cls, member), made, *args, scene='left')


def cases():
    return [each for part in (_layers, _members, _lists) for each in part()]
