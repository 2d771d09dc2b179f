"""Links: parameterized functions, and models composed of them, usually ``L``."""
from chainer_fast import _export_table

_EXPORTS = {
    'activation': '''
        maxout:Maxout prelu:PReLU simplified_dropconnect:SimplifiedDropconnect
        swish:Swish
    ''',
    'connection': '''
        bias:Bias bilinear:Bilinear convolution_2d:Convolution2D
        convolution_nd:Convolution1D,Convolution3D,ConvolutionND
        deconvolution_2d:Deconvolution2D
        deconvolution_nd:Deconvolution1D,Deconvolution3D,DeconvolutionND
        deformable_convolution_2d:DeformableConvolution2D
        depthwise_convolution_2d:DepthwiseConvolution2D
        dilated_convolution_2d:DilatedConvolution2D embed_id:EmbedID highway:Highway
        inception:Inception inceptionbn:InceptionBN linear:Linear
        local_convolution_2d:LocalConvolution2D mlp_convolution_2d:MLPConvolution2D
        parameter:Parameter scale:Scale
    ''',
    'loss': '''
        black_out:BlackOut crf1d:CRF1d hierarchical_softmax:BinaryHierarchicalSoftmax
        negative_sampling:NegativeSampling
    ''',
    'model': '''
        classifier:Classifier
    ''',
    'model.vision': '''
        googlenet:GoogLeNet
        resnet:ResNet101Layers,ResNet152Layers,ResNet50Layers
        vgg:VGG16Layers,VGG19Layers
    ''',
    'normalization': '''
        batch_normalization:BatchNormalization
        batch_renormalization:BatchRenormalization
        decorrelated_batch_normalization:DecorrelatedBatchNormalization
        group_normalization:GroupNormalization
        layer_normalization:LayerNormalization
    ''',
    'rnn': '''
        gru:GRU,StatefulGRU,StatelessGRU lstm:LSTM,StatelessLSTM
        mgu:StatefulMGU,StatelessMGU n_step_gru:NStepBiGRU,NStepGRU
        n_step_lstm:NStepBiLSTM,NStepLSTM
        n_step_rnn:NStepBiRNNReLU,NStepBiRNNTanh,NStepRNNReLU,NStepRNNTanh
        peephole:StatefulPeepholeLSTM tree_lstm:ChildSumTreeLSTM,NaryTreeLSTM
        zoneoutlstm:StatefulZoneoutLSTM
    ''',
    'theano': '''
        theano_function:TheanoFunction
    ''',
}

globals().update(_export_table.load(__name__, _EXPORTS))
