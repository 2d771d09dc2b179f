"""Elementwise functions of one operand and of several."""
from sweep.kinds import Kind

SIZES = {'small': {'n': 32}, 'medium': {'n': 320}, 'large': {'n': 3200}}
IMAGES = {'small': {'n': 2, 'c': 4, 'p': 8}, 'medium': {'n': 8, 'c': 64, 'p': 16},
          'large': {'n': 32, 'c': 64, 'p': 56}}
PLANE = 'transposed', 'left half', 'every second column', 'every second row'

ACTIVATIONS = Kind('activation', 'x[n,n]', SIZES, '''
    relu          |                   | torch.relu(x)
    relu6         |                   | T.relu6(x)
    mish          |                   | T.mish(x)
    leaky_relu    |                   | T.leaky_relu(x, .2)
    clipped_relu  | F.clipped_relu(x, .5) | torch.clamp(x, 0, .5)
    crelu         |                   | torch.cat([torch.relu(x), torch.relu(-x)], 1)
    ~rrelu        |                   | T.rrelu(x, 1 / 8, 1 / 3, True)
    elu           |                   | T.elu(x)
    selu          |                   | T.selu(x)
    sigmoid       |                   | torch.sigmoid(x)
    hard_sigmoid  |                   | torch.clamp(.2 * x + .5, 0, 1)
    tanh          |                   | torch.tanh(x)
    softplus      |                   | T.softplus(x)
    silu          | x * F.sigmoid(x)  | T.silu(x)
    GELU          | .5 * x * (1 + F.erf(x * .7071067811865476)) | T.gelu(x)
    GELU by tanh  | .5 * x * (1 + F.tanh(.7978845608028654 * (x + .044715 * x ** 3))) \
| T.gelu(x, approximate='tanh')
    ~dropout      |                   | T.dropout(x, .5)
    ~zoneout      | F.zoneout(x, x)   |
    ~gumbel_softmax |                 | T.gumbel_softmax(x, .1)
''', layouts=PLANE)

MATHEMATICS = Kind('mathematics', 'x[n,n]', SIZES, '''
    absolute      |                   | torch.abs(x)
    sign          |                   | torch.sign(x)
    ceil          |                   | torch.ceil(x)
    floor         |                   | torch.floor(x)
    fix           |                   | torch.trunc(x)
    square        |                   | torch.square(x)
    exp           |                   | torch.exp(x)
    expm1         |                   | torch.expm1(x)
    sin           |                   | torch.sin(x)
    cos           |                   | torch.cos(x)
    tan           |                   | torch.tan(x)
    arcsin        | F.arcsin(x * .9)  | torch.asin(x * .9)
    arccos        | F.arccos(x * .9)  | torch.acos(x * .9)
    arctan        |                   | torch.atan(x)
    arctanh       | F.arctanh(x * .9) | torch.atanh(x * .9)
    sinh          |                   | torch.sinh(x)
    cosh          |                   | torch.cosh(x)
    clip          | F.clip(x, -.5, .5) | torch.clamp(x, -.5, .5)
    cast          | F.cast(x, 'd')    | x.double()
    x * 2 + 1     | x * 2 + 1         | x * 2 + 1
    x / 3         | x / 3             | x / 3
    x ** 2        | x ** 2            | x ** 2
    x ** 3        | x ** 3            | x ** 3
    2 ** x        | 2 ** x            | 2 ** x
    fmod          | F.fmod(x, np.ones_like(x.array)) | torch.fmod(x, torch.ones_like(x))
''', layouts=PLANE)

POSITIVE = Kind('mathematics', 'x[n,n]>0', SIZES, '''
    log           |                   | torch.log(x)
    log1p         |                   | torch.log1p(x)
    log2          |                   | torch.log2(x)
    log10         |                   | torch.log10(x)
    sqrt          |                   | torch.sqrt(x)
    rsqrt         |                   | torch.rsqrt(x)
    x ** .5       | x ** .5           | x ** .5
    x ** 1.7      | x ** 1.7          | x ** 1.7
    1 / x         | 1 / x             | 1 / x
''', layouts=PLANE)

# PyTorch has not all of these in half precision.
SPECIAL = Kind('special function', 'x[n,n]>0', SIZES, '''
    erf           |                   | torch.erf(x)
    erfc          |                   | torch.erfc(x)
    erfinv        | F.erfinv(x * .9)  | torch.erfinv(x * .9)
    erfcx         |                   | torch.special.erfcx(x)
    erfcinv       |                   |
    ndtr          |                   | torch.special.ndtr(x)
    log_ndtr      |                   | torch.special.log_ndtr(x)
    ndtri         | F.ndtri(x * .9)   | torch.special.ndtri(x * .9)
    lgamma        |                   | torch.lgamma(x)
    digamma       |                   | torch.digamma(x)
    polygamma     | F.polygamma(np.ones(x.shape, 'i'), x) | torch.polygamma(1, x)
    zeta          | F.zeta(np.full(x.shape, 2, x.dtype), 1 + x) |
''', dtypes='fd')

TWO = Kind('two operands', 'x[n,n]>0 y[n,n]>0', SIZES, '''
    x + y         | x + y             | x + y
    x - y         | x - y             | x - y
    x * y         | x * y             | x * y
    x / y         | x / y             | x / y
    x ** y        | x ** y            | x ** y
    x * y.T       | x * y.T           | x * y.T
    maximum       |                   | torch.maximum(x, y)
    minimum       |                   | torch.minimum(x, y)
    arctan2       |                   | torch.atan2(x, y)
    squared_difference |              | (x - y) ** 2
    squared_error |                   | (x - y) ** 2
    absolute_error |                  | torch.abs(x - y)
    add           | F.add(x, y, x)    | x + y + x
    where         | F.where(x.array > .5, x, y) | torch.where(x > .5, x, y)
    forget        | F.forget(lambda x, y: x * F.sigmoid(y), x, y) | x * torch.sigmoid(y)
''', layouts=PLANE)

THREE = Kind('three operands', 'x[n,n] y[n,n] z[n,n]', SIZES, '''
    linear_interpolate |              | x * y + (1 - x) * z
    where         | F.where(x.array > 0, y, z) | torch.where(x > 0, y, z) + 0 * x
''')

ROWS = Kind('row or column', 'x[n,n] R[n] C[n,1]>0', SIZES, '''
    x + row       | x + R + 0 * C     | x + R + 0 * C
    x * row       | x * R             | x * R
    x / column    | x / C             | x / C
    x - column    | x - F.broadcast_to(C, x.shape) | x - C.expand_as(x)
    bias          | F.bias(x, R)      | x + R
    scale         | F.scale(x, R)     | x * R
    scale of rows | F.scale(x, R, 0)  | x * R[:, None]
    prelu         | F.prelu(x, R)     | T.prelu(x, R)
    swish         | F.swish(x, R)     | x * torch.sigmoid(R * x)
    maxout        | F.maxout(x, 4)    | x.reshape(n, -1, 4).amax(2)
    ~simplified_dropconnect | F.simplified_dropconnect(x, F.expand_dims(R, 0)) |
''', layouts=PLANE[1:3])

CHANNELS = Kind('channels', 'x[n,c,p,p] R[c] C[n,c]', IMAGES, '''
    relu          | F.relu(x)         | torch.relu(x)
    tanh          | F.tanh(x)         | torch.tanh(x)
    bias          | F.bias(x, R)      | x + R[:, None, None]
    scale         | F.scale(x, R)     | x * R[:, None, None]
    prelu         | F.prelu(x, R)     | T.prelu(x, R)
    squeeze-excite | x * C[:, :, None, None] | x * C[:, :, None, None]
''', layouts=('channels last',))

KINDS = [ACTIVATIONS, MATHEMATICS, POSITIVE, SPECIAL, TWO, THREE, ROWS, CHANNELS]
