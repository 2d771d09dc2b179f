"""Modules of functions and links with other names up to version 6."""
from chainer_fast.legacy import _attributes

_FUNCTIONS, _LINKS = 'chainer_fast.functions.', 'chainer_fast.links.'
_N_STEP = ('n_step_gru', 'n_step_lstm', 'n_step_rnn')
_MOVED = {
    **{_FUNCTIONS + 'activation.' + name: _FUNCTIONS + 'rnn.' + name
       for name in ('lstm', 'slstm', 'tree_lstm')},
    **{_FUNCTIONS + 'connection.' + name: _FUNCTIONS + 'rnn.' + name
       for name in _N_STEP},
    **{_LINKS + 'connection.' + name: _LINKS + 'rnn.' + name for name in (
        'gru', 'lstm', 'mgu', 'peephole', 'tree_lstm', 'zoneoutlstm', *_N_STEP)},
    _FUNCTIONS + 'math.squared_difference': _FUNCTIONS + 'loss.squared_error',
    _FUNCTIONS + 'pooling.max_pooling_2d': _FUNCTIONS + 'pooling.max_pooling_nd',
}


def install(patches):
    """Let them be imported under those names."""
    _attributes.move(patches, _MOVED)
