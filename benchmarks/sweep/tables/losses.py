"""Losses."""
from sweep.kinds import Kind

CLASSES = {'few': {'n': 1000, 'k': 10}, 'small': {'n': 32, 'k': 10},
           'medium': {'n': 320, 'k': 1000}, 'large': {'n': 1024, 'k': 10000}}
OF_CLASSES = Kind('loss of classes', 'x[n,k] t[n]<k', CLASSES, '''
    softmax_cross_entropy |           | T.cross_entropy(x, t)
    weighted      | F.softmax_cross_entropy(x, t, class_weight=np.ones(k, x.dtype)) | \
T.cross_entropy(x, t, torch.ones(k, dtype=x.dtype), reduction='sum') / n
    hinge         |                   |
    accuracy      |                   | (x.argmax(1) == t).to(x.dtype).mean()
''', layouts=('transposed', 'left half', 'every second column'))
OF_PIXELS = Kind('loss of pixels', 'x[n,k,p,p] t[n,p,p]<k', {
    'small': {'n': 2, 'k': 5, 'p': 8}, 'medium': {'n': 4, 'k': 21, 'p': 64},
    'two': {'n': 2, 'k': 2, 'p': 256}, 'large': {'n': 8, 'k': 21, 'p': 128}}, '''
    softmax_cross_entropy |           | T.cross_entropy(x, t)
''', layouts=('channels last',))

PLANES = {'small': {'n': 32, 'k': 10}, 'medium': {'n': 320, 'k': 320},
          'large': {'n': 1000, 'k': 1000}, 'column': {'n': 1000000, 'k': 1}}
OF_TWO = Kind('loss of two arrays', 'x[n,k] y[n,k]', PLANES, '''
    mean_squared_error |              | T.mse_loss(x, y)
    mean_absolute_error |             | T.l1_loss(x, y)
    huber_loss    | F.huber_loss(x, y, 1) | T.huber_loss(x, y, reduction='none').sum(1)
    gaussian_kl_divergence |          | -.5 * torch.sum(1 + y - x * x - torch.exp(y))
    gaussian      |                   | \
x + torch.exp(y / 2) * torch.randn_like(x)
    r2_score      | F.r2_score(x.array, y.array) |
'''.replace('gaussian   ', '~gaussian  '), layouts=('transposed', 'left half'))
OF_THREE = Kind('loss of two arrays', 'x[n,k] y[n,k] z[n,k]', PLANES, '''
    gaussian_nll  |                   | .5 * torch.sum(\
z + (x - y) ** 2 * torch.exp(-z) + 1.8378770664093453)
    triplet       | F.triplet(x, y, z, 1) | torch.relu(\
((x - y) ** 2).sum(1) - ((x - z) ** 2).sum(1) + 1).mean()
''')
OF_BITS = Kind('loss of two arrays', 'x[n,k] t[n,k]<2', PLANES, '''
    sigmoid_cross_entropy |           | \
T.binary_cross_entropy_with_logits(x, t.to(x.dtype))
    bernoulli_nll | F.bernoulli_nll(F.cast(t, x.dtype), x) | \
T.binary_cross_entropy_with_logits(x, t.to(x.dtype), reduction='sum')
    binary_accuracy |                 |
''')
OF_VECTORS = Kind('loss of vectors', 'x[n,k] y[n,k] t[n]<2', {
    'small': {'n': 8, 'k': 16}, 'medium': {'n': 128, 'k': 64},
    'large': {'n': 2000, 'k': 256}}, '''
    contrastive   |                   | torch.where(t == 1, ((x - y) ** 2).sum(1), \
torch.relu(1 - torch.sqrt(((x - y) ** 2).sum(1))) ** 2).mean() / 2
    cross_covariance | F.cross_covariance(x, y) | \
.5 * torch.sum(((x - x.mean(0)).T @ (y - y.mean(0)) / n) ** 2)
    decov         | F.decov(x)        |
    precision     | F.precision(x.array[:, :2], t)[0] |
    recall        | F.recall(x.array[:, :2], t)[0] |
    f1_score      | F.f1_score(x.array[:, :2], t)[0] |
    classification_summary | F.classification_summary(x.array[:, :2], t)[0] |
''', dtypes='fd')

KINDS = [OF_CLASSES, OF_PIXELS, OF_TWO, OF_THREE, OF_BITS, OF_VECTORS]
