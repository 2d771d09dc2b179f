"""Removed functions and links of Chainer 1 to 6, and their removed arguments.

The remark notes where an old meaning applies only if the version is named: the call
alone does not show which version it was written for.
"""
from chainer_fast._help.past.removed.entry import Removed

_IF_NAMED = 'only with --legacy=%s: the call does not show which meaning it has'

#: Links that had a second name in ``chainer.functions``.
LINKS_IN_FUNCTIONS = (
    'BatchNormalization', 'Bilinear', 'BinaryHierarchicalSoftmax', 'Convolution2D',
    'DilatedConvolution2D', 'EmbedID', 'Inception', 'InceptionBN', 'Linear',
    'NegativeSampling', 'PReLU', 'Parameter')

# Function classes, with the underscores of the functions that replace them.
_SPELLED = '''
    Absolute_Error Accuracy Arccos Arcsin Arctan Arctan2 ArgMax ArgMin
    Average_Pooling_2D Average_Pooling_ND Batch_Det Batch_Inv Batch_L2_Norm_Squared
    Binary_Accuracy Broadcast Broadcast_To CReLU Cast Classification_Summary Clip
    Clipped_ReLU Concat Connectionist_Temporal_Classification Contrastive Copy Cos
    Cosh Cross_Covariance Cumsum DeCov Depth2Space Dropout ELU Exp Expand_Dims Expm1
    Flip FlipLR FlipUD Fmod Forget Gaussian Get_Item Hard_Sigmoid Hinge Huber_Loss
    Identity Im2Col Inv LSTM Layer_Normalization Leaky_ReLU Linear_Interpolate
    Local_Response_Normalization Log Log10 Log1p Log2 Log_Softmax LogSumExp MatMul
    Max Max_Pooling_2D Max_Pooling_ND Maximum Mean_Absolute_Error Mean_Squared_Error
    Min Minimum N_Step_BiGRU N_Step_BiLSTM N_Step_GRU N_Step_LSTM Pad Pad_Sequence
    Permutate Prod ROI_Pooling_2D ReLU Reshape Resize_Images Rollaxis SLSTM
    Select_Item Sigmoid Sigmoid_Cross_Entropy Simplified_Dropconnect Sin Sinh
    Softmax Softmax_Cross_Entropy Softplus Space2Depth Spatial_Transformer_Grid
    Spatial_Transformer_Sampler Split_Axis Sqrt Square Squared_Difference
    Squared_Error Squeeze Sum Swapaxes Tan Tanh Tile Transpose Transpose_Sequence
    Triplet Unpooling_2D Unpooling_ND Upsampling_2D Where Zoneout
'''
#: Function classes, with the functions that replace them.
CLASSES = {
    **{name.replace('_', ''): name.lower() for name in _SPELLED.split()},
    'NStepBiRNNReLU': 'n_step_birnn', 'NStepBiRNNTanh': 'n_step_birnn',
    'NStepRNNReLU': 'n_step_rnn', 'NStepRNNTanh': 'n_step_rnn',
    'NormalizeL2': 'normalize', 'TheanoFunction': 'links.TheanoFunction'}
#: Those that were removed a version earlier.
CLASSES_OF_V2 = {
    'BatchMatMul': 'matmul', 'Ceil': 'ceil', 'Flatten': 'flatten', 'Floor': 'floor',
    'SpatialPyramidPooling2D': 'spatial_pyramid_pooling_2d'}

#: Those that were in a module below, which has none today.
CLASSES_IN_MODULES = (
    ('array.flatten', 'Flatten', 'Chainer 2.1'),
    ('math.ceil', 'Ceil', 'Chainer 3.5'), ('math.floor', 'Floor', 'Chainer 3.5'),
    ('math.squared_difference', 'SquaredDifference', 'Chainer 6.7'),
    ('pooling.max_pooling_2d', 'MaxPooling2D', 'Chainer 6.7'),
    ('pooling.spatial_pyramid_pooling_2d', 'SpatialPyramidPooling2D', 'Chainer 2.1'))

#: Those whose constructors or inputs changed; nothing adapts them.
CHANGED_CLASSES = (
    'NStepBiGRU', 'NStepBiLSTM', 'NStepBiRNNReLU', 'NStepBiRNNTanh', 'NStepGRU',
    'NStepLSTM', 'NStepRNNReLU', 'NStepRNNTanh', 'TheanoFunction')

AT_ZERO, AT_BOUNDS = '1 at zero', '0 at the bounds'
#: Functions that had another gradient where their pieces meet, with the last such
#: release, its part of legacy mode, and the place.
MEETING_POINTS = (
    ('leaky_relu', 'Chainer 5.1', 'v4', AT_ZERO, ''),
    ('elu', 'Chainer 5.4', 'v5', AT_ZERO, ', also in selu'),
    ('clip', 'Chainer 5.4', 'v5', AT_BOUNDS, ''))

_TRAIN = 'put the call in `with chainer.using_config(\'train\', False):`'
_CUDNN = 'put the call in `with chainer.using_config(\'use_cudnn\', \'never\'):`'
_DETERMINISTIC = (
    'put the call in `with chainer.using_config(\'cudnn_deterministic\', True):`')
_N_STEP = ('n_step_bigru', 'n_step_bilstm', 'n_step_birnn', 'n_step_gru',
           'n_step_lstm', 'n_step_rnn')
_N_STEP_LINKS = ('NStepBiGRU', 'NStepBiLSTM', 'NStepBiRNNReLU', 'NStepBiRNNTanh',
                 'NStepGRU', 'NStepLSTM', 'NStepRNNReLU', 'NStepRNNTanh')
_RESNETS = ('ResNet50Layers', 'ResNet101Layers', 'ResNet152Layers')

# Arguments that became entries of chainer.config: callables, argument, advice.
_CONFIGURED = (
    (('functions.dropout', 'functions.zoneout',
      *('functions.' + name for name in _N_STEP),
      *('links.%s.__call__' % name for name in _N_STEP_LINKS),
      'links.GoogLeNet.__call__', 'links.GoogLeNet.extract',
      'links.StatefulZoneoutLSTM', 'links.caffe.CaffeFunction.__call__'),
     'train', _TRAIN),
    (('links.BatchNormalization.__call__', 'links.InceptionBN.__call__',
      'links.VGG16Layers.__call__', 'links.VGG16Layers.extract',
      *('links.%s.__call__' % name for name in _RESNETS),
      *('links.%s.extract' % name for name in _RESNETS)),
     'test', _TRAIN),
    (('links.VGG16Layers.extract', 'links.GoogLeNet.extract',
      *('links.%s.extract' % name for name in _RESNETS)),
     'volatile', 'put the call in `with chainer.no_backprop_mode():`'),
    (('functions.average_pooling_2d', 'functions.average_pooling_nd',
      'functions.batch_normalization', 'functions.convolution_2d',
      'functions.convolution_nd', 'functions.deconvolution_2d',
      'functions.deconvolution_nd', 'functions.dilated_convolution_2d',
      'functions.fixed_batch_normalization', 'functions.log_softmax',
      'functions.max_pooling_2d', 'functions.max_pooling_nd',
      *('functions.' + name for name in _N_STEP), 'functions.relu',
      'functions.sigmoid', 'functions.sigmoid_cross_entropy', 'functions.softmax',
      'functions.softmax_cross_entropy', 'functions.spatial_pyramid_pooling_2d',
      'functions.tanh', 'links.BatchNormalization', 'links.Convolution2D',
      'links.ConvolutionND', 'links.Deconvolution2D', 'links.DeconvolutionND',
      'links.DilatedConvolution2D', 'links.MLPConvolution2D',
      *('links.' + name for name in _N_STEP_LINKS)),
     'use_cudnn', _CUDNN),
    (('functions.convolution_2d', 'functions.deconvolution_2d', 'links.Convolution2D',
      'links.Deconvolution2D'),
     'deterministic', _DETERMINISTIC),
)

_WSCALE = 'pass initialW=chainer.initializers.LeCunNormal(math.sqrt(wscale))'
_WITH_WSCALE = ('Linear', 'Convolution2D', 'Deconvolution2D', 'DilatedConvolution2D',
                'Maxout')


def _function_classes(classes, last, part):
    for name, function in classes.items():
        is_changed = name in CHANGED_CLASSES
        yield Removed(
            'chainer.functions.' + name, last,
            'write chainer.%s' % function if '.' in function
            else 'write chainer.functions.' + function,
            '' if is_changed else part,
            'its arguments or inputs are different today' if is_changed else '')


ENTRIES: tuple[Removed, ...] = (
    *(Removed('chainer.functions.' + name, 'Chainer 1.24',
              'write chainer.links.' + name, 'v1') for name in LINKS_IN_FUNCTIONS),
    *_function_classes(CLASSES_OF_V2, 'Chainer 2.1', 'v2'),
    *_function_classes(CLASSES, 'Chainer 4.5', 'v4'),
    *(Removed('chainer.functions.%s.%s' % (module, name), last,
              'write chainer.functions.' + module.rpartition('.')[2], 'v6')
      for module, name, last in CLASSES_IN_MODULES),
    Removed('chainer.functions.array.resize_images.ResizeImages without a mode',
            'Chainer 6.7', 'write chainer.functions.resize_images', 'v6'),
    *(Removed('chainer.%s(%s=)' % (name, argument), 'Chainer 1.24', instead, 'v1')
      for names, argument, instead in _CONFIGURED for name in names),
    Removed('chainer.links.Parameter.__call__(volatile=)', 'Chainer 1.24',
            'put the call in `with chainer.no_backprop_mode():`', '',
            'it is still accepted, and does nothing'),
    *(Removed('chainer.functions.%s(use_cudnn=)' % name, 'Chainer 2.1', _CUDNN, 'v2')
      for name in ('spatial_transformer_grid', 'spatial_transformer_sampler')),
    *(Removed('chainer.links.%s(wscale=)' % name, 'Chainer 1.24', _WSCALE, 'v1')
      for name in _WITH_WSCALE),
    Removed('chainer.links.MLPConvolution2D(wscale=)', 'Chainer 1.24',
            _WSCALE.replace('initialW', 'conv_init'), 'v1'),
    *(Removed('chainer.links.%s(bias=)' % name, 'Chainer 1.24', 'pass initial_bias=',
              'v1') for name in ('Linear', 'Convolution2D', 'Deconvolution2D',
                                 'DilatedConvolution2D')),
    Removed('chainer.FunctionSet', 'Chainer 1.24', 'write chainer.Chain', 'v1'),
    Removed('chainer.function_set', 'Chainer 1.24', 'write chainer.Chain', 'v1'),
    Removed('chainer.FunctionSet.parameters', 'Chainer 1.24',
            'write chainer.Chain.params()', 'v1'),
    Removed('chainer.FunctionSet.gradients', 'Chainer 1.24',
            'write [p.grad for p in link.params()]', 'v1'),
    Removed('chainer.FunctionSet.collect_parameters', 'Chainer 1.24',
            'pass the link itself: optimizer.setup(model)', 'v1'),
    Removed('chainer.FunctionSet.copy_parameters_from', 'Chainer 1.24',
            'write link.copyparams(other)', 'v1'),
    Removed('chainer.functions.split_axis without force_tuple', 'Chainer 1.24',
            'pass force_tuple=False', 'v1',
            _IF_NAMED % 'v1' + '; one section then returns a Variable, not a tuple'),
    Removed('chainer.links.GRU with n_units first', 'Chainer 1.24',
            'write chainer.links.StatelessGRU(n_inputs, n_units)', 'v1',
            _IF_NAMED % 'v1' + '; with one number, n_units= or n_inputs= it is clear'),
    *(Removed('chainer.links.%s.train' % name, 'Chainer 1.24', _TRAIN, 'v1')
      for name in ('InceptionBN', 'StatefulZoneoutLSTM')),
    *(Removed('chainer.links.%s.use_cudnn' % name, 'Chainer 1.24',
              'write chainer.config.use_cudnn', 'v1') for name in (
        'BatchNormalization', 'Convolution2D', 'ConvolutionND', 'Deconvolution2D',
        'DeconvolutionND', 'DilatedConvolution2D', 'NStepBiGRU', 'NStepBiLSTM',
        'NStepGRU', 'NStepLSTM')),
    *(Removed('chainer.links.%s.deterministic' % name, 'Chainer 1.24',
              'write chainer.config.cudnn_deterministic', 'v1')
      for name in ('Convolution2D', 'Deconvolution2D')),
    Removed('chainer.links.LSTM with a forget bias of 0', 'Chainer 1.24',
            'pass forget_bias_init=0', 'v1', _IF_NAMED % 'v1'),
    Removed('chainer.links.ConvolutionND without a bias', 'Chainer 1.24',
            'pass nobias=True', 'v1', _IF_NAMED % 'v1'),
    Removed('chainer.functions.matmul of one-dimensional arrays', 'Chainer 2.1',
            'reshape them to columns', 'v2', _IF_NAMED % 'v2' + ' (or v1)'),
    Removed('arrays as attributes of links: W, gW, b, gb', 'Chainer 1.4',
            'write link.W.data and link.W.grad', '',
            'Chainer 1.5 replaced them by variables; legacy mode begins there'),
    Removed('calling a function object', 'Chainer 4.5',
            'write the function of that name: F.relu(x) for F.ReLU()(x)', 'v4'),
    Removed('chainer.functions.batch_normalization with eps in the running variance',
            'Chainer 3.5', 'nothing, unless the numbers matter', 'v3',
            _IF_NAMED % 'v3' + ' (or earlier)'),
    Removed('chainer.functions.batch_renormalization without running_mean',
            'Chainer 4.5', 'pass running_mean= and running_var=', 'v4',
            'they are replaced by zeros'),
    Removed('chainer.links.NStepLSTM with initialW by position', 'Chainer 3.5',
            'pass initialW= and initial_bias= by name', '',
            'the fifth argument was use_cudnn in Chainer 1'),
    Removed('chainer.functions.batch_normalization by position', 'Chainer 1.24',
            'give eps and what follows by name', 'v1'),
    *(Removed('chainer.links.%s by position' % name, 'Chainer 1.24',
              'give initialW and what follows by name', 'v1')
      for name in ('ConvolutionND', 'DeconvolutionND')),
    *(Removed('chainer.links.%s with a running variance from 0' % name, 'Chainer 4.5',
              'pass initial_avg_var=0', 'v4', _IF_NAMED % 'v4' + ' (or earlier)')
      for name in ('BatchNormalization', 'BatchRenormalization')),
    *(Removed('chainer.%s with an eps of 1e-5' % name, 'Chainer 1.13', 'pass eps=1e-5',
              'v1', 'only if a release up to v1.13 is named')
      for name in ('links.BatchNormalization', 'functions.batch_normalization')),
    Removed('initial weights of Chainer 1.8', 'Chainer 1.8', 'pass initialW', 'v1',
            'only if a release up to v1.8 is named: wscale is the scale itself and '
            'does not apply to arrays; Deconvolution2D, Bilinear and LSTM draw others'),
    Removed('chainer.functions.fixed_batch_normalization without eps', 'Chainer 1.20',
            'pass eps=0', 'v1', 'only if a release up to v1.20 is named; so does '
            'chainer.links.BatchNormalization in test mode'),
    Removed('chainer.functions.batch_renormalization with eps in the running variance',
            'Chainer 6.7', 'nothing, unless the numbers matter', 'v6',
            _IF_NAMED % 'v6' + ' (or earlier)'),
    *(Removed('chainer.functions.%s with its gradient where pieces meet' % name,
              last, 'nothing, unless the numbers matter', version,
              _IF_NAMED % version + ' (or earlier): ' + where + others)
      for name, last, version, where, others in MEETING_POINTS),
    Removed('chainer.functions.n_step_bilstm that drops the last step first',
            'Chainer 3.5', 'nothing, unless the numbers matter', 'v3',
            _IF_NAMED % 'v3' + ' (or earlier); so do the other functions and links '
            'that run in both directions'),
    *(Removed('chainer.initializers.Orthogonal of Chainer %s' % last, 'Chainer ' + last,
              'nothing, unless the numbers matter', '',
              'the signs of its rows depended on the version of LAPACK')
      for last in ('5.4', '6.7')),
    *(Removed('chainer.links.%s in test mode by default' % name, 'Chainer 1.24', _TRAIN,
              'v1', _IF_NAMED % 'v1')
      for name in ('GoogLeNet', 'VGG16Layers', *_RESNETS)),
    Removed('chainer.links.caffe.CaffeFunction that draws weights', 'Chainer 2.1',
            'nothing, unless later draws matter', 'v2', _IF_NAMED % 'v2' + ' (or v1)'),
    Removed('chainer.functions.spatial_pyramid_pooling_2d(pooling_class=)',
            'Chainer 4.5', "pass pooling='max'", 'v4'),
    Removed('chainer.links.BatchRenormalization(freeze_running_statistics=)',
            'Chainer 4.5', 'call the link with config.train = False', 'v4',
            'the averages are those after the first batch'),
)
