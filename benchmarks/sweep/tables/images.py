"""Convolutions, pooling, normalizations and what else is done to images."""
from sweep.kinds import Kind
from sweep.tables.elementwise import IMAGES, PLANE


def _sizes(names, table):
    return {name: dict(zip(names, map(int, sizes.split()), strict=True))
            for name, sizes in table.items()}


CONVOLUTION = Kind('convolution', 'x[n,c,p,p] W[m,c,w,w] B[m]', _sizes('ncpmw', {
    'small': '2 3 8 8 3', 'medium': '8 32 28 32 3', 'large': '32 64 28 64 3',
    'first 3x3': '32 3 32 32 3', 'first 7x7': '1 3 112 64 7',
    '16 channels': '32 16 32 16 3', '5x5': '100 20 12 50 5', '9x9': '4 64 64 3 9',
    '1x1 of 1x56': '1 64 56 256 1', '1x1 of 1x7': '1 512 7 2048 1',
    '1x1 of 32x28': '32 64 28 64 1', '1x1 to one': '8 16 64 1 1'}), '''
    convolution_2d | F.convolution_2d(x, W, B, 1, w // 2) | T.conv2d(x, W, B, 1, w // 2)
    strided       | F.convolution_2d(x, W, B, 2, w // 2) | T.conv2d(x, W, B, 2, w // 2)
    dilated_convolution_2d | F.dilated_convolution_2d(x, W, B, 1, w // 2 * 2, 2) | \
T.conv2d(x, W, B, 1, w // 2 * 2, 2)
''', layouts=('channels last',))
DEPTHWISE = Kind('depthwise convolution', 'x[n,c,p,p] W[c,1,3,3] D[1,c,3,3]', _sizes(
    'ncp', {'small': '1 4 8', 'medium': '1 64 56', '32x128': '32 128 28',
            '32x512': '32 512 7'}), '''
    in groups     | F.convolution_2d(x, W, None, 1, 1, groups=c) | \
T.conv2d(x, W, None, 1, 1, groups=c)
    strided       | F.convolution_2d(x, W, None, 2, 1, groups=c) | \
T.conv2d(x, W, None, 2, 1, groups=c)
    depthwise_convolution_2d | F.depthwise_convolution_2d(x, D, None, 1, 1) | \
T.conv2d(x, D.transpose(0, 1), None, 1, 1, groups=c)
''', dtypes='f', layouts=('channels last',))
DECONVOLUTION = Kind('deconvolution', 'x[n,c,p,p] W[c,m,4,4] B[m]', _sizes('ncpm', {
    'small': '2 8 4 4', 'medium': '16 64 8 32', 'large': '32 64 16 32'}), '''
    deconvolution_2d | F.deconvolution_2d(x, W, B, 2, 1) | T.conv_transpose2d(x, W, B, \
2, 1)
''', dtypes='f', layouts=('channels last',))
LINES = Kind('convolution', 'x[n,c,p] W[c,c,3]', _sizes('ncp', {
    'small': '2 4 16', 'medium': '16 64 128'}), '''
    convolution_1d | F.convolution_1d(x, W, None, 1, 1) | T.conv1d(x, W, None, 1, 1)
    convolution_nd | F.convolution_nd(x, W, None, 1, 1) | T.conv1d(x, W, None, 1, 1)
    deconvolution_1d | F.deconvolution_1d(x, W, None, 1, 1) | \
T.conv_transpose1d(x, W, None, 1, 1)
    deconvolution_nd | F.deconvolution_nd(x, W, None, 1, 1) | \
T.conv_transpose1d(x, W, None, 1, 1)
    max_pooling_1d | F.max_pooling_1d(x, 2) | T.max_pool1d(x, 2)
    max_pooling_nd | F.max_pooling_nd(x, 2) | T.max_pool1d(x, 2)
    average_pooling_1d | F.average_pooling_1d(x, 2) | T.avg_pool1d(x, 2)
    average_pooling_nd | F.average_pooling_nd(x, 2) | T.avg_pool1d(x, 2)
    unpooling_1d  | F.unpooling_1d(x, 2, cover_all=False) | T.interpolate(x, \
scale_factor=2)
    unpooling_nd  | F.unpooling_nd(x, 2, cover_all=False) | T.interpolate(x, \
scale_factor=2)
''', dtypes='f')
VOLUMES = Kind('convolution', 'x[n,c,p,p,p] W[c,c,3,3,3]', _sizes('ncp', {
    'small': '1 2 4', 'medium': '2 16 16'}), '''
    convolution_3d | F.convolution_3d(x, W, None, 1, 1) | T.conv3d(x, W, None, 1, 1)
    deconvolution_3d | F.deconvolution_3d(x, W, None, 1, 1) | \
T.conv_transpose3d(x, W, None, 1, 1)
    max_pooling_3d | F.max_pooling_3d(x, 2) | T.max_pool3d(x, 2)
    average_pooling_3d | F.average_pooling_3d(x, 2) | T.avg_pool3d(x, 2)
    unpooling_3d  | F.unpooling_3d(x, 2, cover_all=False) | T.interpolate(x, \
scale_factor=2)
''', dtypes='f')

WINDOWS = Kind('pooling', 'x[n,c,p,p]', {
    **IMAGES, **_sizes('ncp', {'of 64': '8 32 64'})}, '''
    max_pooling_2d | F.max_pooling_2d(x, 2) | T.max_pool2d(x, 2)
    max 3, stride 2 | F.max_pooling_2d(x, 3, 2, 1, False) | T.max_pool2d(x, 3, 2, 1)
    average_pooling_2d | F.average_pooling_2d(x, 2) | T.avg_pool2d(x, 2)
    average 3, stride 2 | F.average_pooling_2d(x, 3, 2, 1) | T.avg_pool2d(x, 3, 2, 1)
    average global | F.average_pooling_2d(x, p) | T.avg_pool2d(x, p)
    max global    | F.max_pooling_2d(x, p) | T.max_pool2d(x, p)
    mean global   | F.mean(x, (2, 3)) | T.adaptive_avg_pool2d(x, 1)[:, :, 0, 0]
    unpooling_2d  | F.unpooling_2d(x, 2, cover_all=False) | T.interpolate(x, \
scale_factor=2)
    spatial_pyramid_pooling_2d | F.spatial_pyramid_pooling_2d(x, 2, pooling='max') |
    upsampling_2d | F.upsampling_2d(x, np.zeros(x.shape, 'i'), 2, cover_all=False) |
''', layouts=('channels last',))
LARGE = Kind('pooling', 'x[n,c,p,p]', _sizes('ncp', {'of 64': '8 32 64'}), '''
    average | F.average_pooling_2d(x, window) | T.avg_pool2d(x, window)
    max     | F.max_pooling_2d(x, window) | T.max_pool2d(x, window)
''', tuple({'title': 'window %d' % n, 'window': n} for n in (4, 8, 16, 32, 64)))

NORMALIZATION = Kind('normalization', 'x[n,c,p,p] G[c] B[c]', IMAGES, '''
    batch_normalization | F.batch_normalization(x, G, B) | \
T.batch_norm(x, None, None, G, B, True, .1, 2e-5)
    fixed_batch_normalization | F.fixed_batch_normalization(x, G, B, \
np.zeros(c, x.dtype), np.ones(c, x.dtype)) | T.batch_norm(x, torch.zeros(c, \
dtype=x.dtype), torch.ones(c, dtype=x.dtype), G, B, False, .1, 2e-5)
    group_normalization | F.group_normalization(x, 2, G, B) | T.group_norm(x, 2, G, B)
    instance norm | F.group_normalization(x, c, G, B) | T.group_norm(x, c, G, B)
    local_response_normalization | F.local_response_normalization(x) | \
T.local_response_norm(x, 5, 5e-4, .75, 2.)
    batch_renormalization | F.batch_renormalization(x, G, B, 1, 0, \
running_mean=np.zeros(c, x.dtype), running_var=np.ones(c, x.dtype)) |
    fixed_batch_renormalization | F.fixed_batch_renormalization(x, G, B, \
np.zeros(c, x.dtype), np.ones(c, x.dtype)) |
''', layouts=('channels last',))
ROWS = Kind('normalization', 'x[n,k] G[k] B[k]', {
    'small': {'n': 8, 'k': 16}, 'medium': {'n': 320, 'k': 320},
    'large': {'n': 8192, 'k': 512}, 'narrow': {'n': 8192, 'k': 64}}, '''
    layer_normalization | F.layer_normalization(x, G, B) | \
T.layer_norm(x, (k,), G, B, 1e-5)
    of columns    | F.batch_normalization(x, G, B) | \
T.batch_norm(x, None, None, G, B, True, .1, 2e-5)
''', layouts=PLANE)

RESIZED = Kind('pooling', 'x[n,c,p,p]', IMAGES, '''
    resize_images | F.resize_images(x, (2 * p, 2 * p)) | T.interpolate(x, \
scale_factor=2, mode='bilinear', align_corners=True)
    resize_images down | F.resize_images(x, (p // 2, p // 2)) | T.interpolate(x, \
(p // 2, p // 2), mode='bilinear', align_corners=True)
''', dtypes='f', layouts=('channels last',))

SAMPLER = Kind('sampler', 'x[n,c,p,p] y[n,2,p,p] M[n,2,3]', {
    **IMAGES, 'large': {'n': 8, 'c': 32, 'p': 64}}, '''
    spatial_transformer_sampler | F.spatial_transformer_sampler(x, y) | \
T.grid_sample(x, y.permute(0, 2, 3, 1), align_corners=True)
    spatial_transformer_grid | F.spatial_transformer_grid(M, (p, p)) | \
T.affine_grid(M, (n, c, p, p), align_corners=True).permute(0, 3, 1, 2)
''', dtypes='f')

REGIONS = Kind('regions', 'x[n,c,p,p]', {
    **IMAGES, 'large': {'n': 8, 'c': 32, 'p': 64}}, '''
    roi_pooling_2d | F.roi_pooling_2d(x, np.tile([0, 1, 1, p - 2, p - 2], (9, 1))\
.astype('f'), 4, 4, 1.) |
''' + ''.join('''
    roi_%s_2d | F.roi_%s_2d(x, np.tile([1, 1, p - 2, p - 2], (9, 1)).astype('f'), \
np.zeros(9, 'i'), 4, 1.) |
''' % (name, name) for name in (
    'average_align', 'average_pooling', 'max_align', 'max_pooling')), dtypes='f')

KINDS = [CONVOLUTION, DEPTHWISE, DECONVOLUTION, LINES, VOLUMES, WINDOWS, LARGE,
         NORMALIZATION, ROWS, RESIZED, SAMPLER,
         REGIONS]
