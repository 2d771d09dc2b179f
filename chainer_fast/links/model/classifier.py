"""Classifier: a predictor with its loss and accuracy."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast import link, reporter
from chainer_fast._help import mistakes
from chainer_fast.functions.evaluation.accuracy import accuracy
from chainer_fast.functions.loss.softmax_cross_entropy import softmax_cross_entropy
from chainer_fast.link import Link
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable

_WRONG_INPUTS = (type_check.InvalidType, TypeError, ValueError)


class Classifier(link.Chain):
    """Computes the loss and the accuracy of a predictor, and reports them.

    .. math:: \\text{loss} = \\text{lossfun}(\\text{predictor}(x), t)

    It reports ``loss`` and, if it is computed, ``accuracy``. A trainer logs them as
    ``main/loss`` and ``main/accuracy``.

    Parameters
    ----------
    predictor : chainer_fast.Link
        The network.
    lossfun : callable
        Computes the loss of predictions and labels.
    accfun : callable
        Computes the accuracy of predictions and labels.
    label_key : int or str
        Position or keyword of the argument that holds the labels. The other arguments
        are passed to the predictor.

    Attributes
    ----------
    predictor : chainer_fast.Link
        The network.
    lossfun, accfun : callable
        As given.
    y : chainer_fast.Variable
        Predictions of the last call.
    loss : chainer_fast.Variable
        Loss of the last call.
    accuracy : chainer_fast.Variable or None
        Accuracy of the last call.
    compute_accuracy : bool
        Whether to compute the accuracy; True by default.

    Raises
    ------
    TypeError
        If ``label_key`` is neither an int nor a str.

    See Also
    --------
    chainer_fast.functions.softmax_cross_entropy
    chainer_fast.functions.accuracy
    chainer_fast.report

    Examples
    --------
    >>> model = L.Classifier(L.Linear(3, 2))
    >>> x, t = np.ones((4, 3), np.float32), np.array([0, 1, 1, 0], np.int32)
    >>> loss = model(x, t)
    >>> loss.backward()
    >>> model.y.shape, round(float(model.accuracy.array), 4)
    ((4, 2), 0.5)

    Regression, which has no accuracy:

    >>> model = L.Classifier(L.Linear(3, 1), lossfun=F.mean_squared_error)
    >>> model.compute_accuracy = False
    >>> model(x, np.zeros((4, 1), np.float32)).shape
    ()
    """

    y: Variable | None
    loss: Variable | None
    accuracy: Variable | None

    compute_accuracy = True

    def __init__(
            self, predictor: Link,
            lossfun: Callable[..., Any] = softmax_cross_entropy,
            accfun: Callable[..., Any] = accuracy,
            label_key: int | str = -1) -> None:
        if not isinstance(label_key, (int, str)):
            raise TypeError(
                'label_key must be int or str, but is %s' % type(label_key))
        for name, function in ('lossfun', lossfun), ('accfun', accfun):
            if function is not None and not callable(function):
                raise TypeError(
                    '%s must be a function of the outputs and the labels, such as '
                    'chainer.functions.%s, but is %r' % (
                        name, 'mean_squared_error' if name == 'lossfun' else 'accuracy',
                        function))
        super().__init__()
        self.label_key = label_key
        self.lossfun, self.accfun = lossfun, accfun
        self._forget()
        with self.init_scope():
            self.predictor = predictor

    def _forget(self):
        self.y = self.loss = self.accuracy = None

    def _words_on_error(self, error, args):
        if self.y is None and self.predictor is not None and isinstance(
                error, (AttributeError, TypeError)) and 'NoneType' in str(error):
            return ('The predictor returned None: %s.forward() has to return its '
                    'result' % type(self.predictor).__name__)
        if self.loss is not None and isinstance(error, _WRONG_INPUTS):
            return ('The loss is computed, and only the accuracy is not: for a '
                    'regression, model.compute_accuracy = False, or give Classifier '
                    'an accfun, such as chainer.functions.binary_accuracy')
        return None

    def forward(self, *args: Any, **kwargs: Any) -> Variable:
        """Compute the loss of a minibatch.

        Parameters
        ----------
        *args, **kwargs
            Inputs of the predictor, with the labels among them.

        Returns
        -------
        chainer_fast.Variable
            The loss, as ``lossfun`` returns it: usually a scalar.

        Raises
        ------
        ValueError
            If there is no argument at ``label_key``.
        """
        key = self.label_key
        if isinstance(key, int):
            if key not in range(-len(args), len(args)):
                words = 'Label key %s is out of bounds of %d arguments' % (
                    key, len(args))
                if kwargs:
                    words += (
                        ': it was called with the keyword arguments %s, as it is for '
                        'examples that are dicts: name that of the labels, '
                        'L.Classifier(predictor, label_key=%r), and the parameters of '
                        'the predictor as the others' % (
                            ', '.join(kwargs), list(kwargs)[-1]))
                raise ValueError(words)
            rest = list(args)
            t = rest.pop(key)
            args = tuple(rest)
        else:
            if key not in kwargs:
                raise ValueError(
                    'Label key "%s" is not among the keyword arguments' % (key,))
            t = kwargs.pop(key)

        self._forget()
        try:
            self.y = self.predictor(*args, **kwargs)
        except TypeError as error:
            if not args and not kwargs:
                mistakes.tell(error, (
                    'Classifier was called with one argument, which it takes for the '
                    'labels (label_key=%r): call it with inputs and labels' % (key,)))
            raise
        self.loss = self.lossfun(self.y, t)
        observed = {'loss': self.loss}
        if self.compute_accuracy:
            self.accuracy = observed['accuracy'] = self.accfun(self.y, t)
        reporter.report(observed, self)
        return self.loss
