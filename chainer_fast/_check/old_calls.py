"""Arguments that are gone and were given by their place.

The places are those of Chainer 1.24, counted from 0 and without ``self``. They matter
where today's function takes fewer arguments, or where a number stands for a flag.
"""

_PLACES = {
    'functions.dropout': {2: 'train'}, 'functions.zoneout': {3: 'train'},
    'functions.average_pooling_2d': {4: 'use_cudnn'},
    'functions.average_pooling_nd': {4: 'use_cudnn'},
    'functions.spatial_transformer_grid': {2: 'use_cudnn'},
    'functions.spatial_transformer_sampler': {2: 'use_cudnn'},
    **{'functions.' + name: {1: 'use_cudnn'}
       for name in ('relu', 'sigmoid', 'tanh')},
    **{'functions.n_step_' + name: {6: 'train', 7: 'use_cudnn'}
       for name in ('bigru', 'birnn', 'gru', 'rnn')},
    **{'functions.n_step_' + name: {7: 'train', 8: 'use_cudnn'}
       for name in ('bilstm', 'lstm')},
    **{'links.NStep%s' % name: {4: 'use_cudnn'}
       for name in ('BiGRU', 'BiLSTM', 'BiRNNReLU', 'BiRNNTanh', 'GRU', 'LSTM',
                    'RNNReLU', 'RNNTanh')},
    'links.BatchNormalization.__call__': {1: 'test'},
    'links.InceptionBN.__call__': {1: 'test'},
    'Variable': {1: 'volatile'},
    'links.Linear': {2: 'wscale', 3: 'bias'},
    'links.Maxout': {3: 'wscale'},
    'links.MLPConvolution2D': {5: 'wscale'},
    'links.Convolution2D': {5: 'wscale', 6: 'bias'},
    'links.Deconvolution2D': {5: 'wscale', 6: 'bias'},
    'links.DilatedConvolution2D': {6: 'wscale', 7: 'bias'},
    'training.extensions.snapshot': {2: 'trigger'},
    'training.extensions.snapshot_object': {3: 'trigger'},
}

#: ``{full name: {place: argument}}``.
POSITIONS = {'chainer.' + name: places for name, places in _PLACES.items()}
