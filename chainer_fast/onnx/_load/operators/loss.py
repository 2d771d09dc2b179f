"""Cross entropy."""
from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.onnx._load.table import operator, raw

# Not a label: all ignored labels are replaced by it.
_NONE = -(2 ** 31)


@operator('SoftmaxCrossEntropyLoss', 'NegativeLogLikelihoodLoss', outputs=2)
def cross_entropy(node):
    reduction = node.require('reduction', 'mean', 'sum', 'none', default='mean')
    ignored = node.get('ignore_index', _NONE)
    of_scores = node.type == 'SoftmaxCrossEntropyLoss'

    def losses(x, t, weight):
        if of_scores:
            return F.softmax_cross_entropy(
                x, t, reduce='no', ignore_label=ignored, class_weight=weight)
        xp = backend.get_array_module(x)
        valid = t != ignored
        labels = xp.where(valid, t, 0)
        factors = valid.astype(x.dtype)
        if weight is not None:
            factors = factors * weight[labels]
        places = list(xp.indices(t.shape))
        places.insert(1, labels)
        return -F.get_item(x, tuple(places)) * factors

    def compute(x, t, weight=None):
        t, weight = raw(t), raw(weight)
        if of_scores and weight is None and reduction == 'mean':
            loss = F.softmax_cross_entropy(x, t, ignore_label=ignored)
        else:
            loss = losses(x, t, weight)
            if reduction != 'none':
                loss = F.sum(loss)
            if reduction == 'mean':
                valid = t != ignored
                total = valid.sum() if weight is None else weight[t[valid]].sum()
                loss = loss / total.astype(x.dtype)
        return (loss, F.log_softmax(x)) if len(node.outputs) == 2 else loss

    return compute
