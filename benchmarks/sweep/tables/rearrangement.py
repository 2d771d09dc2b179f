"""Copies and parts of arrays."""
from sweep.kinds import Kind
from sweep.tables.elementwise import IMAGES

ARRAYS = Kind('copy', 'x[n,c,p,p] y[n,c,p,p]', IMAGES, '''
    concat axis 0 | F.concat([x, y], 0) | torch.cat([x, y], 0)
    concat axis 1 | F.concat([x, y], 1) | torch.cat([x, y], 1)
    concat axis 2 | F.concat([x, y], 2) | torch.cat([x, y], 2)
    concat axis 3 | F.concat([x, y], 3) | torch.cat([x, y], 3)
    stack axis 0  | F.stack([x, y], 0)  | torch.stack([x, y], 0)
    stack axis 1  | F.stack([x, y], 1)  | torch.stack([x, y], 1)
    stack axis 4  | F.stack([x, y], 4)  | torch.stack([x, y], 4)
    hstack        | F.hstack([x, y])    | torch.hstack([x, y])
    vstack        | F.vstack([x, y])    | torch.vstack([x, y])
    dstack        | F.dstack([x, y])    | torch.dstack([x, y])
    x.T * y       | F.transpose(x, (1, 0, 2, 3)) * F.transpose(y, (1, 0, 2, 3)) | \
x.permute(1, 0, 2, 3) * y.permute(1, 0, 2, 3)
''', layouts=('channels last',))

ONE = Kind('copy', 'x[n,c,p,p]', IMAGES, '''
    tile axis 0   | F.tile(x, (2, 1, 1, 1)) | torch.tile(x, (2, 1, 1, 1))
    tile axis 3   | F.tile(x, (1, 1, 1, 2)) | torch.tile(x, (1, 1, 1, 2))
    repeat axis 0 | F.repeat(x, 2, 0)   | torch.repeat_interleave(x, 2, 0)
    repeat axis 3 | F.repeat(x, 2, 3)   | torch.repeat_interleave(x, 2, 3)
    pad           | F.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), 'constant') | \
T.pad(x, (1, 1, 1, 1))
    flip          | F.flip(x, 1)        | torch.flip(x, (1,))
    fliplr        |                     | torch.fliplr(x)
    flipud        |                     | torch.flipud(x)
    copy          | F.copy(x, -1)       | x.clone()
    identity      | F.identity(x) * 2   | x * 2
    flatten       | F.flatten(x) * 2    | torch.flatten(x) * 2
    reshape       | F.reshape(x, (n, -1)) * 2 | x.reshape(n, -1) * 2
    expand_dims   | F.expand_dims(x, 1) * 2 | x[:, None] * 2
    squeeze       | F.squeeze(x[:1], 0) * 2 | x[:1].squeeze(0) * 2
    transpose     | F.transpose(x) * 2  | x.permute(3, 2, 1, 0) * 2
    swapaxes      | F.swapaxes(x, 1, 3) * 2 | x.swapaxes(1, 3) * 2
    moveaxis      | F.moveaxis(x, 1, 3) * 2 | x.movedim(1, 3) * 2
    rollaxis      | F.rollaxis(x, 1, 4) * 2 | x.movedim(1, 3) * 2
    broadcast_to  | F.broadcast_to(x, (2, n, c, p, p)) * 2 | \
x.expand(2, n, c, p, p) * 2
    broadcast     | F.broadcast(x, x[:1])[1] * 2 | x[:1].expand_as(x) * 2
    sum_to        | F.sum_to(x, (1, c, 1, 1)) | x.sum_to_size(1, c, 1, 1)
    split_axis    | F.split_axis(x, 2, 1) | torch.split(x, c // 2, 1)
    separate      | F.separate(x, 1)    | torch.unbind(x, 1)
    x[:, 1:-1]    | x[:, 1:-1] * 2      | x[:, 1:-1] * 2
    x[..., ::2]   | x[..., ::2] * 2     | x[..., ::2] * 2
    x[1]          | F.get_item(x, 1) * 2 | x[1] * 2
    depth2space   | F.depth2space(x, 2) | x.reshape(n, 2, 2, c // 4, p, p).permute(\
0, 3, 4, 1, 5, 2).reshape(n, c // 4, 2 * p, 2 * p)
    space2depth   | F.space2depth(x, 2) | x.reshape(n, c, p // 2, 2, p // 2, 2)\
.permute(0, 3, 5, 1, 2, 4).reshape(n, 4 * c, p // 2, p // 2)
    im2col        | F.im2col(x, 3, 1, 1) | T.unfold(x, 3, padding=1)\
.reshape(n, 9 * c, p, p)
    as_strided    | F.as_strided(x, (n, c), (c * p * p, p * p), 0) * 2 | \
torch.as_strided(x, (n, c), (c * p * p, p * p), 0) * 2
''', layouts=('channels last',))

ROWS = {'small': {'n': 30, 'k': 16}, 'medium': {'n': 300, 'k': 64},
        'large': {'n': 3000, 'k': 64}}
PARTS = Kind('part of rows', 'x[n,k] i[n]<n j[n]<k', ROWS, '''
    x[i] in a loop | F.stack([x[at] for at in range(n)]) | \
torch.stack([x[at] for at in range(n)])
    rows by a list | x[i]               | x[i]
    permutate     | F.permutate(x, np.arange(n)[::-1].astype('i')) | \
x[torch.arange(n - 1, -1, -1)]
    select_item   | F.select_item(x, j) | x.gather(1, j[:, None])[:, 0]
    scatter_add   | F.scatter_add(x, i, x) | x.index_add(0, i, x)
    embed_id      | F.embed_id(i, x)    | T.embedding(i, x)
    pad_sequence  | F.pad_sequence([x[:5], x[5:]]) | \
torch.nn.utils.rnn.pad_sequence([x[:5], x[5:]], True)
    transpose_sequence | F.transpose_sequence([x[:5], x[5:9]]) |
''', layouts=('transposed',))
DIAGONAL = Kind('part of rows', 'x[n,k,k]', {
    'small': {'n': 4, 'k': 8}, 'medium': {'n': 32, 'k': 32},
    'large': {'n': 256, 'k': 64}}, '''
    diagonal      | F.diagonal(x, 0, 1, 2) | torch.diagonal(x, 0, 1, 2)
    x[:, i] in a loop | F.stack([x[:, at] for at in range(k)]) | \
torch.stack([x[:, at] for at in range(k)])
    x[x > 0]      | x[x.array > 0]      | x[x > 0]
''')

SHIFTED = Kind('copy', 'x[n,c,p,p]', {
    'small': {'n': 2, 'c': 9, 'p': 8}, 'medium': {'n': 8, 'c': 64, 'p': 16}}, '''
    shift         |                     |
''', dtypes='f')

KINDS = [ARRAYS, ONE, PARTS, DIAGONAL, SHIFTED]
