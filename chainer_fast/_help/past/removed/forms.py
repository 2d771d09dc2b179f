"""Parameters that functions and links had in Chainer 1.24, in their order.

One asterisk marks removed flags, two asterisks other removed parameters.
"""

_POOLING = 'x ksize stride pad '
_N_STEP = 'n_layers dropout_ratio hx %sws bs xs train* use_cudnn*'

#: Functions of ``chainer.functions``.
FUNCTIONS = {
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
#: Those that had these arguments until Chainer 2.1.
FUNCTIONS_OF_V2 = {
    'spatial_transformer_grid': 'theta output_shape use_cudnn*',
    'spatial_transformer_sampler': 'x grid use_cudnn*',
}

_CONV = 'in_channels out_channels ksize stride pad '
_WEIGHTS = 'wscale** bias** nobias '
_N_STEP_LINK = 'n_layers in_size out_size dropout use_cudnn*'
_N_STEP_LINKS = (
    'NStepBiGRU', 'NStepBiLSTM', 'NStepBiRNNReLU', 'NStepBiRNNTanh', 'NStepGRU',
    'NStepLSTM', 'NStepRNNReLU', 'NStepRNNTanh')

#: Constructors of links of ``chainer.links``.
LINKS = {
    'BatchNormalization':
        'size decay eps dtype use_gamma use_beta initial_gamma initial_beta use_cudnn*',
    'Convolution2D':
        _CONV + _WEIGHTS + 'use_cudnn* initialW initial_bias deterministic*',
    'ConvolutionND':
        'ndim in_channels out_channels ksize stride pad initialW initial_bias '
        'use_cudnn* cover_all',
    'Deconvolution2D':
        _CONV + _WEIGHTS + 'outsize use_cudnn* initialW initial_bias deterministic*',
    'DeconvolutionND':
        'ndim in_channels out_channels ksize stride pad outsize initialW '
        'initial_bias use_cudnn*',
    'DilatedConvolution2D':
        _CONV + 'dilate ' + _WEIGHTS + 'use_cudnn* initialW initial_bias',
    'Linear': 'in_size out_size ' + _WEIGHTS + 'initialW initial_bias',
    'MLPConvolution2D':
        _CONV + 'wscale** activation use_cudnn* conv_init bias_init',
    'Maxout': 'in_size out_size pool_size wscale** initialW initial_bias',
    **dict.fromkeys(_N_STEP_LINKS, _N_STEP_LINK),
}

_N_STEP_CALL = 'hx %sxs train*'
_OF_TEST = ('VGG16Layers', 'ResNet50Layers', 'ResNet101Layers', 'ResNet152Layers')

#: Methods of links, by link and method; ``forward`` is the call.
CALLS = {
    ('BatchNormalization', 'forward'): 'x test* finetune',
    **{(name, 'forward'): _N_STEP_CALL % ('cx ' if 'LSTM' in name else '')
       for name in _N_STEP_LINKS},
    ('GoogLeNet', 'forward'): 'x layers train*',
    ('GoogLeNet', 'extract'): 'images layers size train* volatile**',
    **{(name, 'forward'): 'x layers test*' for name in _OF_TEST},
    **{(name, 'extract'): 'images layers size test* volatile**' for name in _OF_TEST},
}
