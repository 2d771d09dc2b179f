"""Arguments of functions that are gone: ``train``, ``use_cudnn`` and others."""
import sys

from chainer_fast import functions
from chainer_fast.legacy import _named, _old_calls

# The forms of Chainer 1.24; see _old_calls.OldForm. The configuration has taken the
# place of the arguments with asterisks.
_POOLING = 'x ksize stride pad '
_N_STEP = 'n_layers dropout_ratio hx %sws bs xs train* use_cudnn*'
_FORMS_V1 = {
    'average_pooling_2d': _POOLING + 'use_cudnn*',
    'average_pooling_nd': _POOLING + 'use_cudnn*',
    'batch_normalization':
        'x gamma beta eps running_mean running_var decay use_cudnn*',
    'convolution_2d': 'x W b stride pad use_cudnn* cover_all deterministic*',
    'convolution_nd': 'x W b stride pad use_cudnn* cover_all',
    'deconvolution_2d': 'x W b stride pad outsize use_cudnn* deterministic*',
    'deconvolution_nd': 'x W b stride pad outsize use_cudnn*',
    'dilated_convolution_2d': 'x W b stride pad dilate use_cudnn* cover_all',
    'dropout': 'x ratio train*',
    'fixed_batch_normalization': 'x gamma beta mean var eps use_cudnn*',
    'log_softmax': 'x use_cudnn*',
    'max_pooling_2d': _POOLING + 'cover_all use_cudnn*',
    'max_pooling_nd': _POOLING + 'cover_all use_cudnn*',
    'n_step_bigru': _N_STEP % '',
    'n_step_bilstm': _N_STEP % 'cx ',
    'n_step_birnn': _N_STEP % '' + ' activation',
    'n_step_gru': _N_STEP % '',
    'n_step_lstm': _N_STEP % 'cx ',
    'n_step_rnn': _N_STEP % '' + ' activation',
    'relu': 'x use_cudnn*',
    'sigmoid': 'x use_cudnn*',
    'sigmoid_cross_entropy': 'x t use_cudnn* normalize reduce',
    'softmax': 'x use_cudnn* axis',
    'softmax_cross_entropy':
        'x t use_cudnn* normalize cache_score class_weight ignore_label reduce',
    'spatial_pyramid_pooling_2d': 'x pyramid_height pooling use_cudnn*',
    'tanh': 'x use_cudnn*',
    'zoneout': 'h x ratio train*',
}
_FORMS_V2 = {
    'spatial_transformer_grid': 'theta output_shape use_cudnn*',
    'spatial_transformer_sampler': 'x grid use_cudnn*',
}


def replace(patches, name, make):
    """Put a function in the place of another, here and in the module that defines it.

    Its pickles name that module.
    """
    today = getattr(functions, name)
    new = make(today)
    patches.set(functions, name, new)
    patches.set(sys.modules[today.__module__], today.__name__, new)


def _adapt_all(patches, forms, version):
    named = _named.is_named(patches, version)
    for name, old in forms.items():
        def make(today, name=name, old=old):
            return _old_calls.adapt(_old_calls.OldForm(
                'chainer.functions.' + name, old, today, named), today)
        replace(patches, name, make)


def install(patches):
    """Take the arguments that Chainer 1 and 2 had."""
    _adapt_all(patches, _FORMS_V2, 'v2')
    if 'v1' in patches.parts:
        _adapt_all(patches, _FORMS_V1, 'v1')
