"""Which classes of functions have compiled shortcuts."""
from chainer_fast._core import (
    division_kernels,
    grad_table,
    kernels,
    loss_kernels,
    matrix_kernels,
    reduce_kernels,
    row_kernels,
)
from chainer_fast._core.graph import register_kernel
from chainer_fast.backends.kernels import normalization as normalization_steps
from chainer_fast.backends.kernels._compiled import (
    activation,
    convolution,
    noise,
    normalization_functions,
)
from chainer_fast.backends.kernels._compiled import softmax as softmax_kernels
from chainer_fast.functions.activation import (
    clipped_relu,
    elu,
    hard_sigmoid,
    leaky_relu,
    log_softmax,
    relu,
    sigmoid,
    softmax,
    softplus,
    tanh,
)
from chainer_fast.functions.array import concat, reshape
from chainer_fast.functions.connection import (
    convolution_2d,
    deconvolution_2d,
    embed_id,
    linear,
)
from chainer_fast.functions.evaluation import accuracy
from chainer_fast.functions.loss import softmax_cross_entropy
from chainer_fast.functions.math import (
    average,
    basic_math,
    exponential,
    matmul,
    sqrt,
    sum,
)
from chainer_fast.functions.noise import dropout
from chainer_fast.functions.normalization import (
    batch_normalization,
    group_normalization,
    l2_normalization,
    layer_normalization,
    local_response_normalization,
)


def register():
    """Attach the shortcuts; called once, when all functions are there."""
    grad_table.bind_add(basic_math.add)
    for cls, kernel in (
            (basic_math.Add, kernels.AddKernel()),
            (basic_math.Sub, kernels.SubKernel()),
            (basic_math.Mul, kernels.MulKernel()),
            (basic_math.Div, division_kernels.DivKernel()),
            (basic_math.Neg, kernels.NegKernel()),
            (basic_math.AddConstant, kernels.AddConstantKernel()),
            (basic_math.SubFromConstant, kernels.SubFromConstantKernel()),
            (basic_math.MulConstant, kernels.MulConstantKernel()),
            (exponential.Exp, kernels.ExpKernel()),
            (sqrt.Sqrt, kernels.SqrtKernel()),
            (tanh.Tanh, kernels.TanhKernel()),
            (sigmoid.Sigmoid, kernels.SigmoidKernel()),
            (relu.ReLU, kernels.ReLUKernel()),
            (tanh.TanhGrad, kernels.TanhGradKernel()),
            (sigmoid.SigmoidGrad, kernels.SigmoidGradKernel()),
            (relu.ReLUGrad2, kernels.ReLUGradKernel()),
            (basic_math.PowVarConst, kernels.PowVarConstKernel()),
            (linear.LinearFunction, matrix_kernels.LinearKernel()),
            (convolution_2d.Convolution2DFunction, convolution.Convolution2DKernel()),
            (deconvolution_2d.Deconvolution2DFunction,
             convolution.Deconvolution2DKernel()),
            (linear.LinearGradData, matrix_kernels.LinearGradDataKernel()),
            (linear.LinearGradWeight, matrix_kernels.LinearGradWeightKernel()),
            (matmul.MatMul, matrix_kernels.MatMulKernel()),
            (concat.Concat, row_kernels.ConcatKernel()),
            (reshape.Reshape, row_kernels.ReshapeKernel()),
            (embed_id.EmbedIDFunction, row_kernels.EmbedIDKernel()),
            (clipped_relu.ClippedReLU, activation.ClippedReLUKernel()),
            (elu.ELU, activation.ELUKernel()),
            (hard_sigmoid.HardSigmoid, activation.HardSigmoidKernel()),
            (leaky_relu.LeakyReLU, activation.LeakyReLUKernel()),
            (softplus.Softplus, activation.SoftplusKernel()),
            (softmax.Softmax, softmax_kernels.SoftmaxKernel()),
            (log_softmax.LogSoftmax, softmax_kernels.SoftmaxKernel(True)),
            (dropout.Dropout, noise.DropoutKernel()),
            (dropout.DropoutGrad, noise.DropoutGradKernel()),
            (batch_normalization.BatchNormalization,
             normalization_functions.BatchNormalizationKernel(
                 batch_normalization._keys, batch_normalization._impl_selector,
                 batch_normalization.GeneralBatchNormalizationImpl,
                 normalization_steps.update_running)),
            (batch_normalization.FixedBatchNormalization,
             normalization_functions.FixedBatchNormalizationKernel(
                 batch_normalization._keys)),
            (layer_normalization.LayerNormalization,
             normalization_functions.GroupNormalizationKernel(True)),
            (group_normalization.GroupNormalization,
             normalization_functions.GroupNormalizationKernel(False)),
            (local_response_normalization.LocalResponseNormalization,
             normalization_functions.LocalResponseNormalizationKernel()),
            (l2_normalization.NormalizeL2,
             normalization_functions.NormalizeL2Kernel()),
            (sum.Sum, reduce_kernels.SumKernel()),
            (average.Mean, reduce_kernels.MeanKernel()),
            (softmax_cross_entropy.SoftmaxCrossEntropy,
             loss_kernels.SoftmaxCrossEntropyKernel()),
            (accuracy.Accuracy, loss_kernels.AccuracyKernel())):
        register_kernel(cls, kernel)
