"""Arguments that are gone and were given by their place.

The places are those of Chainer 1.24, counted from 0 and without ``self``. They count
where today's function takes fewer arguments, where a flag stands for something else or
something else for a flag, and wherever the user says that the source is of version 1.
"""

_CUDNN = 'use_cudnn'
_N_STEP = ('BiGRU', 'BiLSTM', 'BiRNNReLU', 'BiRNNTanh', 'GRU', 'LSTM', 'RNNReLU',
           'RNNTanh')
_PLACES = {
    'Variable': {1: 'volatile'},
    'functions.dropout': {2: 'train'}, 'functions.zoneout': {3: 'train'},
    'functions.convolution_2d': {5: _CUDNN, 7: 'deterministic'},
    'functions.convolution_nd': {5: _CUDNN},
    'functions.deconvolution_2d': {6: _CUDNN, 7: 'deterministic'},
    'functions.deconvolution_nd': {6: _CUDNN},
    'functions.dilated_convolution_2d': {6: _CUDNN},
    'functions.batch_normalization': {7: _CUDNN},
    'functions.fixed_batch_normalization': {6: _CUDNN},
    'functions.spatial_pyramid_pooling_2d': {2: 'pooling_class', 3: _CUDNN},
    **{'functions.' + name: {1: _CUDNN}
       for name in ('relu', 'sigmoid', 'tanh', 'softmax', 'log_softmax')},
    **{'functions.' + name: {2: _CUDNN}
       for name in ('softmax_cross_entropy', 'sigmoid_cross_entropy',
                    'spatial_transformer_grid', 'spatial_transformer_sampler')},
    **{'functions.%s_%s' % (name, size): {place: _CUDNN}
       for name, place in (('average_pooling', 4), ('max_pooling', 5))
       for size in ('2d', 'nd')},
    **{'functions.n_step_' + name: {6: 'train', 7: _CUDNN}
       for name in ('bigru', 'birnn', 'gru', 'rnn')},
    **{'functions.n_step_' + name: {7: 'train', 8: _CUDNN}
       for name in ('bilstm', 'lstm')},
    **{'links.NStep' + name: {4: _CUDNN} for name in _N_STEP},
    **{'links.NStep%s.__call__' % name: {3 if 'LSTM' in name else 2: 'train'}
       for name in _N_STEP},
    'links.BatchNormalization': {8: _CUDNN},
    'links.BatchNormalization.__call__': {1: 'test'},
    'links.InceptionBN.__call__': {1: 'test'},
    'links.GoogLeNet.__call__': {2: 'train'},
    **{'links.%s.__call__' % name: {2: 'test'}
       for name in ('VGG16Layers', 'ResNet50Layers', 'ResNet101Layers',
                    'ResNet152Layers')},
    'links.Linear': {2: 'wscale', 3: 'bias'},
    'links.Maxout': {3: 'wscale'},
    'links.MLPConvolution2D': {5: 'wscale', 7: _CUDNN},
    'links.Convolution2D': {5: 'wscale', 6: 'bias', 8: _CUDNN, 11: 'deterministic'},
    'links.Deconvolution2D': {5: 'wscale', 6: 'bias', 9: _CUDNN, 12: 'deterministic'},
    'links.DilatedConvolution2D': {6: 'wscale', 7: 'bias', 9: _CUDNN},
    'links.ConvolutionND': {8: _CUDNN}, 'links.DeconvolutionND': {9: _CUDNN},
    'training.extensions.snapshot': {2: 'trigger'},
    'training.extensions.snapshot_object': {3: 'trigger'},
}

#: ``{full name: {place: argument}}``.
POSITIONS = {'chainer.' + name: places for name, places in _PLACES.items()}
