"""Which classes of functions have compiled shortcuts."""
from chainer_fast._core import (
    grad_table,
    kernels,
    loss_kernels,
    matrix_kernels,
    reduce_kernels,
    row_kernels,
)
from chainer_fast._core.graph import register_kernel
from chainer_fast.functions.activation import relu, sigmoid, tanh
from chainer_fast.functions.array import concat
from chainer_fast.functions.connection import embed_id, linear
from chainer_fast.functions.loss import softmax_cross_entropy
from chainer_fast.functions.math import (
    average,
    basic_math,
    exponential,
    matmul,
    sqrt,
    sum,
)


def register():
    """Attach the shortcuts; called once, when all functions are there."""
    grad_table.bind_add(basic_math.add)
    for cls, kernel in (
            (basic_math.Add, kernels.AddKernel()),
            (basic_math.Sub, kernels.SubKernel()),
            (basic_math.Mul, kernels.MulKernel()),
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
            (linear.LinearGradData, matrix_kernels.LinearGradDataKernel()),
            (linear.LinearGradWeight, matrix_kernels.LinearGradWeightKernel()),
            (matmul.MatMul, matrix_kernels.MatMulKernel()),
            (concat.Concat, row_kernels.ConcatKernel()),
            (embed_id.EmbedIDFunction, row_kernels.EmbedIDKernel()),
            (sum.Sum, reduce_kernels.SumKernel()),
            (average.Mean, reduce_kernels.MeanKernel()),
            (softmax_cross_entropy.SoftmaxCrossEntropy,
             loss_kernels.SoftmaxCrossEntropyKernel())):
        register_kernel(cls, kernel)
