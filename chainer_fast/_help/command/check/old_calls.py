"""Arguments that are gone and were given by their place.

The places are those of Chainer 1.24, counted from 0 and without ``self``. They count
where today's function takes fewer arguments, where a flag stands for something else or
something else for a flag, and wherever the user says that the source is of version 1.
"""
from chainer_fast._help.past.removed import forms


def _places(form):
    """Return ``{place: argument}`` of what is gone of a form."""
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
    # What the class takes for the name of a pooling, and flags of other calls.
    found['functions.spatial_pyramid_pooling_2d'][2] = 'pooling_class'
    found.update({
        'Variable': {1: 'volatile'}, 'links.InceptionBN.__call__': {1: 'test'},
        'training.extensions.snapshot': {2: 'trigger'},
        'training.extensions.snapshot_object': {3: 'trigger'}})
    return {'chainer.' + name: places for name, places in found.items()}


#: ``{full name: {place: argument}}``.
POSITIONS = _positions()
