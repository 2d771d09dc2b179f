"""Losses, normalizations and recurrent functions, as links call them."""

from compat.differential.language import array, case, given, ids, plain, thing


def _losses():
    x, t = array(4, 3), ids(3, 4)
    yield case('functions.accuracy', x, t)
    yield case('functions.binary_accuracy', array(4, 3), ids(2, 4, 3))
    for reduce in 'mean', 'no':
        yield case(
            'functions.sigmoid_cross_entropy', array(4, 3), ids(2, 4, 3), reduce=reduce
        )
        yield case('functions.softmax_cross_entropy', x, t, reduce=reduce)
        yield case(
            'functions.softmax_cross_entropy',
            x,
            t,
            reduce=reduce,
            class_weight=given([0.5, 1.0, 2.0]),
            enable_double_backprop=True,
        )
        yield case(
            'functions.contrastive',
            array(4, 3),
            array(4, 3, seed=1),
            ids(2, 4),
            1.0,
            reduce,
        )
        yield case(
            'functions.triplet',
            array(4, 3),
            array(4, 3, seed=1),
            array(4, 3, seed=2),
            0.2,
            reduce,
        )
        yield case(
            'functions.crf1d', array(3, 3), [array(2, 3)] * 3, [ids(3, 2)] * 3, reduce
        )
        yield case(
            'functions.connectionist_temporal_classification',
            [array(2, 4)] * 5,
            ids(3, 2, 2),
            3,
            reduce=reduce,
        )
        yield case(
            'functions.black_out',
            array(3, 4),
            ids(5, 3),
            array(5, 4),
            ids(5, 3, 2),
            reduce,
        )
        yield case(
            'functions.negative_sampling',
            array(3, 4),
            ids(5, 3),
            array(5, 4),
            thing('sampler'),
            2,
            reduce,
            return_samples=True,
        )
    yield case(
        'functions.softmax_cross_entropy',
        array(2, 3, 4, 2),
        ids(3, 2, 4, 2),
        normalize=False,
        cache_score=False,
    )
    yield case(
        'functions.softmax_cross_entropy',
        x,
        array(4, 3, fill='simplex', **{'as': 'array'}),
        reduce='mean',
    )
    for reduce in 'half_squared_sum', 'no':
        yield case('functions.cross_covariance', array(4, 2), array(4, 3), reduce)
        yield case('functions.decov', array(4, 3), reduce)
    yield case(
        'functions.discriminative_margin_based_clustering_loss',
        array(2, 3, 4, 4),
        ids(3, 2, 4, 4),
        0.5,
        1.5,
        3,
    )
    yield case('functions.argmax_crf1d', array(3, 3), [array(2, 3)] * 3)
    yield case(
        'functions.r2_score', plain(4, 3), plain(4, 3, seed=1), multioutput='raw_values'
    )
    yield case('functions.embed_id', ids(4, 2, 3), array(4, 2))
    for name in 'precision', 'recall', 'f1_score', 'classification_summary':
        yield case('functions.' + name, array(4, 3), ids(3, 4))
    yield case('functions.select_item', array(4, 3), ids(3, 4))
    yield case('functions.polygamma', ids(3, 4), array(4, fill='positive'))
    yield case(
        'functions.zeta', array(4, fill='positive'), array(4, fill='positive', seed=1)
    )


def _normalizations():
    x, size = array(4, 3), array(3, fill='positive')
    image = array(2, 3, 4, 4)
    yield case('functions.batch_normalization', image, size, array(3), eps=1e-3)
    yield case(
        'functions.batch_normalization',
        x,
        size,
        array(3),
        running_mean=plain(3),
        running_var=plain(3, fill='positive'),
        decay=0.8,
    )
    yield case(
        'functions.batch_renormalization',
        x,
        size,
        array(3),
        2.0,
        1.0,
        running_mean=plain(3),
        running_var=plain(3, fill='positive'),
    )
    for name in 'batch_normalization', 'batch_renormalization':
        yield case('functions.fixed_' + name, x, size, array(3), array(3), size)
    yield case('functions.layer_normalization', x, size, array(3))
    yield case(
        'functions.group_normalization', array(2, 4, 3, 3), 2, array(4), array(4)
    )
    yield case('functions.local_response_normalization', image)


def _recurrent():
    yield case('functions.lstm', array(3, 4), array(3, 16))
    yield case('functions.lstm', array(3, 4), array(2, 16))
    yield case(
        'functions.slstm',
        array(3, 4),
        array(3, 4, seed=1),
        array(3, 16),
        array(3, 16, seed=1),
    )
    yield case('functions.tree_lstm', array(3, 4), array(3, 4, seed=1), array(3, 20))
    yield case('functions.forget', thing('cosine_function'), array(3, 4))
    for name, gates in ('gru', 6), ('lstm', 8), ('rnn', 2):
        for both in '', 'bi':
            count = 2 if both else 1
            weights = [
                [array(3, 4 if i < gates // 2 else 3, seed=i) for i in range(gates)]
            ] * count
            biases = [[array(3, seed=i) for i in range(gates)]] * count
            state = [array(count, 2, 3)] * (2 if name == 'lstm' else 1)
            more = {'activation': 'relu'} if name == 'rnn' else {}
            yield case(
                'functions.n_step_%s%s' % (both, name),
                1,
                0.0,
                *state,
                weights,
                biases,
                [array(2, 4), array(2, 4, seed=1), array(1, 4)],
                **more,
            )


def cases():
    return [each for part in (_losses, _normalizations, _recurrent) for each in part()]
