"""The differentiable functions, usually imported as ``F``."""
from chainer_fast import _export_table

_EXPORTS = {
    'activation': '''
        clipped_relu:clipped_relu,relu6 crelu elu hard_sigmoid leaky_relu log_softmax
        maxout prelu relu rrelu selu sigmoid softmax softplus swish tanh
    ''',
    'array': '''
        as_strided broadcast:broadcast,broadcast_to cast concat copy depth2space
        diagonal dstack expand_dims flatten flip fliplr flipud get_item hstack im2col
        moveaxis pad pad_sequence permutate repeat reshape resize_images rollaxis
        scatter_add select_item separate space2depth spatial_transformer_grid
        spatial_transformer_sampler split_axis squeeze stack swapaxes tile transpose
        transpose_sequence vstack where
    ''',
    'connection': '''
        bilinear convolution_2d
        convolution_nd:convolution_1d,convolution_3d,convolution_nd deconvolution_2d
        deconvolution_nd:deconvolution_1d,deconvolution_3d,deconvolution_nd
        deformable_convolution_2d_sampler depthwise_convolution_2d
        dilated_convolution_2d embed_id linear local_convolution_2d shift
    ''',
    'evaluation': '''
        accuracy binary_accuracy
        classification_summary:classification_summary,f1_score,precision,recall
        r2_score
    ''',
    'loss': '''
        absolute_error black_out contrastive crf1d:argmax_crf1d,crf1d cross_covariance
        ctc:connectionist_temporal_classification decov
        discriminative_loss:discriminative_margin_based_clustering_loss hinge huber_loss
        mean_absolute_error mean_squared_error negative_sampling sigmoid_cross_entropy
        softmax_cross_entropy squared_error:squared_difference,squared_error triplet
        vae:bernoulli_nll,gaussian_kl_divergence,gaussian_nll
    ''',
    'math': '''
        arctanh average:average,average=mean basic_math:absolute,add
        batch_l2_norm_squared bias ceil cholesky clip cumprod cumsum det:batch_det,det
        digamma einsum erf erfc erfcinv erfcx erfinv exponential:exp,log,log2,log10
        exponential_m1:expm1 fft:fft,ifft fix floor fmod hyperbolic:cosh,sinh identity
        inv:batch_inv,inv lgamma linear_interpolate log_ndtr logarithm_1p:log1p
        logsumexp matmul:batch_matmul,matmul maximum minimum
        minmax:argmax,argmin,max,min ndtr ndtri polygamma prod scale sign sparse_matmul
        sqrt:rsqrt,sqrt square sum:sum,sum_to tensordot
        trigonometric:arccos,arcsin,arctan,arctan2,cos,sin,tan zeta
    ''',
    'noise': '''
        dropout gaussian gumbel_softmax simplified_dropconnect zoneout
    ''',
    'rnn': '''
        lstm n_step_gru:n_step_gru,n_step_bigru n_step_lstm:n_step_lstm,n_step_bilstm
        n_step_rnn:n_step_rnn,n_step_birnn slstm tree_lstm
    ''',
    'normalization': '''
        batch_normalization:batch_normalization,fixed_batch_normalization
        batch_renormalization:batch_renormalization,fixed_batch_renormalization
        decorrelated_batch_normalization
        decorrelated_batch_normalization:fixed_decorrelated_batch_normalization
        group_normalization l2_normalization:normalize layer_normalization
        local_response_normalization
    ''',
    'pooling': '''
        average_pooling_2d
        average_pooling_nd:average_pooling_1d,average_pooling_3d,average_pooling_nd
        max_pooling_nd:max_pooling_1d,max_pooling_2d,max_pooling_3d,max_pooling_nd
        roi_average_align_2d roi_average_pooling_2d roi_max_align_2d roi_max_pooling_2d
        roi_pooling_2d spatial_pyramid_pooling_2d unpooling_2d
        unpooling_nd:unpooling_1d,unpooling_3d,unpooling_nd upsampling_2d
    ''',
    'util': '''
        forget
    ''',
}

globals().update(_export_table.load(__name__, _EXPORTS))
