"""The differentiable functions, usually imported as ``F``."""
import importlib

# By family: each module, and after a colon what it gives, unless that is just the
# function of its own name. ``a=b`` gives ``a`` under the name ``b``.
_EXPORTS = {
    'activation': '''
        clipped_relu:clipped_relu,relu6 crelu elu hard_sigmoid leaky_relu log_softmax
        maxout prelu relu rrelu selu sigmoid softmax softplus swish tanh
    ''',
    'array': '''
        as_strided broadcast:broadcast,broadcast_to cast concat copy diagonal dstack
        expand_dims flatten flip fliplr flipud get_item hstack moveaxis pad permutate
        repeat reshape rollaxis scatter_add select_item separate split_axis squeeze
        stack swapaxes tile transpose vstack where
    ''',
    'connection': '''
        bilinear embed_id linear
    ''',
    'evaluation': '''
        accuracy binary_accuracy
        classification_summary:classification_summary,f1_score,precision,recall
        r2_score
    ''',
    'loss': '''
        absolute_error hinge huber_loss mean_absolute_error mean_squared_error
        sigmoid_cross_entropy softmax_cross_entropy
        squared_error:squared_difference,squared_error
    ''',
    'math': '''
        arctanh average:average,average=mean basic_math:absolute,add
        batch_l2_norm_squared bias ceil clip cumprod cumsum digamma erf erfc erfcinv
        erfcx erfinv exponential:exp,log,log2,log10 exponential_m1:expm1 fix floor
        fmod hyperbolic:cosh,sinh identity lgamma linear_interpolate log_ndtr
        logarithm_1p:log1p logsumexp matmul:batch_matmul,matmul maximum minimum
        minmax:argmax,argmin,max,min ndtr ndtri polygamma prod scale sign
        sqrt:rsqrt,sqrt square sum:sum,sum_to
        trigonometric:arccos,arcsin,arctan,arctan2,cos,sin,tan zeta
    ''',
    'noise': '''
        dropout gaussian gumbel_softmax simplified_dropconnect zoneout
    ''',
    'util': '''
        forget
    ''',
}


def _load():
    """Import every module of the table; return what they give, by name."""
    found = {}
    for family, entries in _EXPORTS.items():
        for entry in entries.split():
            name, _, given = entry.partition(':')
            module = importlib.import_module('.'.join([__name__, family, name]))
            for function in (given or name).split(','):
                function, _, alias = function.partition('=')
                found[alias or function] = getattr(module, function)
    return found


globals().update(_load())
