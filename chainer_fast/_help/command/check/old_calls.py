"""Removed arguments that were passed by position.

The positions are those of Chainer 1.24, counted from 0 and without ``self``. They are
used if today's function has fewer parameters, if a flag is passed for a parameter that
is no flag or the reverse, and whenever the user declares the source as one for version
1.
"""
from chainer_fast._help.past.removed import forms


def _places(form):
    """Return ``{position: argument}`` of removed arguments of a signature."""
    return {place: word.rstrip('*') for place, word in enumerate(form.split())
            if word.endswith('*')}


def _positions():
    found = {'functions.' + name: _places(form)
             for name, form in (*forms.FUNCTIONS.items(),
                                *forms.FUNCTIONS_OF_V2.items())}
    found.update(('links.' + name, _places(form)) for name, form in forms.LINKS.items())
    for (name, method), form in forms.CALLS.items():
        method = '__call__' if method == 'forward' else method
        found['links.%s.%s' % (name, method)] = _places(form)
    # The class takes the name of a pooling; other calls take flags.
    found['functions.spatial_pyramid_pooling_2d'][2] = 'pooling_class'
    found.update({
        'Variable': {1: 'volatile'}, 'links.InceptionBN.__call__': {1: 'test'},
        'training.extensions.snapshot': {2: 'trigger'},
        'training.extensions.snapshot_object': {3: 'trigger'}})
    return {'chainer.' + name: places for name, places in found.items()}


#: ``{full name: {position: argument}}``.
POSITIONS = _positions()
