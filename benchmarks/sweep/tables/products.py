"""Products of matrices, and what is made of them."""
from sweep.kinds import Kind

LINEAR = Kind('linear', 'x[n,k] W[m,k] B[m]', {
    'small': {'n': 8, 'k': 16, 'm': 16}, 'medium': {'n': 256, 'k': 512, 'm': 512},
    '1x1024': {'n': 1, 'k': 1024, 'm': 1024}, '1x4096': {'n': 1, 'k': 4096, 'm': 4096},
    '8x4096': {'n': 8, 'k': 4096, 'm': 4096},
    '32x1024': {'n': 32, 'k': 1024, 'm': 1024},
    '32x4096': {'n': 32, 'k': 4096, 'm': 4096},
    'large': {'n': 1024, 'k': 1024, 'm': 1024}}, '''
    linear        | F.linear(x, W, B) | T.linear(x, W, B)
''', layouts=('transposed', 'left half'))

MATRICES = {
    'small': (8, 16, 16), 'medium': (256, 256, 256), 'large': (1024, 256, 768),
    '20x650x2600': (20, 650, 2600), '20x2600x650': (20, 2600, 650),
    '2600x20x650': (2600, 20, 650), '4096x32x1000': (4096, 32, 1000),
    '8x512x512': (8, 512, 512), '64x512x512': (64, 512, 512),
    '100x784x1000': (100, 784, 1000), '4096x1x4096': (4096, 1, 4096)}
SIZES = {name: dict(zip('mkn', sizes, strict=True)) for name, sizes in MATRICES.items()}
PLAIN = Kind('product', 'x[m,k] y[k,n]', SIZES, '''
    matmul        |                   | x @ y
''', layouts=('transposed', 'left half', 'every second row'))
RIGHT = Kind('product', 'x[m,k] y[n,k]', SIZES, '''
    right transposed | F.matmul(x, y, transb=True) | x @ y.T
''')
LEFT = Kind('product', 'x[k,m] y[k,n]', SIZES, '''
    left transposed | F.matmul(x, y, transa=True) | x.T @ y
''')

BATCHES = {'one row': (32, 1, 50, 256), 'small': (4, 8, 8, 8),
           'medium': (16, 64, 64, 64), 'few': (8, 8, 128, 128), 'odd': (64, 33, 65, 31),
           'large': (64, 128, 64, 128)}
BATCHED = Kind('batched product', 'x[b,m,k] y[b,k,n]', {
    name: dict(zip('bmkn', sizes, strict=True)) for name, sizes in BATCHES.items()}, '''
    matmul        |                   | x @ y
    batch_matmul  |                   | x @ y
    einsum        | F.einsum('bij,bjk->bik', x, y) | torch.einsum('bij,bjk->bik', x, y)
    by one matrix | F.matmul(x, y[:1]) | x @ y[:1]
''')
VECTORS = Kind('product', 'x[b,m] y[b,n]', {
    'small': {'b': 8, 'm': 8, 'n': 8}, 'medium': {'b': 64, 'm': 64, 'n': 64},
    'large': {'b': 512, 'm': 256, 'n': 256}}, '''
    outer         | F.einsum('bi,bj->bij', x, y) | torch.einsum('bi,bj->bij', x, y)
    tensordot     | F.tensordot(x, y, axes=((0,), (0,))) | torch.tensordot(\
x, y, ((0,), (0,)))
''')
SQUARE = Kind('matrix', 'x[b,n,n]', {
    '64x4': {'b': 64, 'n': 4}, '16x16': {'b': 16, 'n': 16}, 'medium': {'b': 4, 'n': 64},
    '1x256': {'b': 1, 'n': 256}}, '''
    batch_inv     |                   | torch.linalg.inv(x)
    batch_det     | F.batch_det(x * (8 / n) ** .5) | torch.linalg.det(x * (8 / n) ** .5)
    inv           | F.inv(x[0])       | torch.linalg.inv(x[0])
    det           | F.det(x[0] * (8 / n) ** .5) | torch.linalg.det(x[0] * (8 / n) ** .5)
    cholesky      | F.cholesky(F.matmul(x[0], x[0], transb=True) + \
np.eye(n, dtype=x.dtype)) | torch.linalg.cholesky(x[0] @ x[0].T + \
torch.eye(n, dtype=x.dtype))
''', dtypes='fd')
BILINEAR = Kind('product', 'x[n,k] y[n,k] W[k,k,m] ', {
    'small': {'n': 8, 'k': 8, 'm': 4}, 'medium': {'n': 64, 'k': 64, 'm': 16}}, '''
    bilinear      | F.bilinear(x, y, W) | torch.einsum('ni,nj,ijk->nk', x, y, W)
    fft           | F.fft((x, y))[0]  | torch.fft.fft(torch.complex(x, y)).real
    ifft          | F.ifft((x, y))[0] | torch.fft.ifft(torch.complex(x, y)).real
''', dtypes='f')
SPARSE = Kind('product', 'x[b,n,n] y[b,n,m]', {
    'small': {'b': 2, 'n': 8, 'm': 4}, 'medium': {'b': 4, 'n': 64, 'm': 64}}, '''
    sparse_matmul | F.sparse_matmul(chainer.utils.to_coo(np.tile(np.eye(n, dtype='f'), \
(b, 1, 1))), y) |
''', dtypes='f')

ATTENTION = Kind('attention', 'q[b,t,k] m[b,t,k] v[b,t,k]', {
    'small': {'b': 8, 't': 16, 'k': 16}, 'medium': {'b': 128, 't': 64, 'k': 32},
    'large': {'b': 32, 't': 256, 'k': 64}}, '''
    softmax(q m) v | F.matmul(F.softmax(F.matmul(q, m, transb=True) * k ** -.5, 2), v) \
| torch.softmax(q @ m.transpose(1, 2) * k ** -.5, 2) @ v
''')

KINDS = [LINEAR, PLAIN, RIGHT, LEFT, BATCHED, VECTORS, SQUARE, BILINEAR, SPARSE,
         ATTENTION]
