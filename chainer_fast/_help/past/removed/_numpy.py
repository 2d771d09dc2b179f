"""Names and idioms of NumPy 1."""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

_FINANCE = 'fv ipmt irr mirr nper npv pmt ppmt pv rate'

_OF_ROWS = '''
    all amax amin any append argmax argmin argsort array_split atleast_1d copy
    cumsum delete empty_like expand_dims flip full_like insert iscomplexobj max
    may_share_memory min moveaxis ndim nonzero ones_like ravel repeat roll shape
    shares_memory size sort squeeze sum swapaxes take tile transpose where
    zeros_like'''
#: Functions that made arrays of objects of ragged rows, as numpy.array did. NumPy
#: itself calls may_share_memory for a permutation of rows.
OF_RAGGED_ROWS = tuple(_OF_ROWS.split())

ENTRIES: tuple[Removed, ...] = (
    *renamed('NumPy 1.23', 'numpy', below('numpy.', '''
        float=float int=int object=object str=str complex=complex unicode=str''', '')),
    *renamed('NumPy 1.23', 'numpy', {'numpy.bool': 'bool', 'numpy.long': 'int'},
             'NumPy 2 has its own types of this name, which are kept'),
    *renamed('NumPy 1.23', 'numpy', {'numpy.typeDict': 'numpy.sctypeDict'}),
    Removed('numpy.asscalar', 'NumPy 1.22', 'write a.item()', 'numpy'),
    Removed('numpy.alen', 'NumPy 1.22', 'write len(a)', 'numpy'),
    Removed('numpy.rank', 'NumPy 1.17', 'write numpy.ndim', 'numpy'),
    Removed('numpy.loads', 'NumPy 1.21', 'write pickle.loads', 'numpy'),
    *renamed('NumPy 1.26', 'numpy', below('numpy.', '''
        Inf=inf Infinity=inf infty=inf NaN=nan float_=float64 complex_=complex128
        cfloat=complex128 singlecomplex=complex64 longfloat=longdouble
        longcomplex=clongdouble clongfloat=clongdouble unicode_=str_ string_=bytes_
        bool8=bool_ int0=intp uint0=uintp object0=object_ str0=str_ bytes0=bytes_
        void0=void mat=asmatrix product=prod cumproduct=cumprod sometrue=any alltrue=all
        round_=round fastCopyAndTranspose=copy''')),
    *renamed('NumPy 1.26', 'numpy', below('numpy.', 'NAN=nan')),
    *renamed('NumPy 1.26', 'numpy', below(
        'numpy.', '''AxisError ComplexWarning ModuleDeprecationWarning RankWarning
        TooHardError VisibleDeprecationWarning''', 'numpy.exceptions.')),
    *(Removed('numpy.' + name, 'NumPy 1.26', 'write ' + value, 'numpy')
      for name, value in (('PINF', 'numpy.inf'), ('NINF', '-numpy.inf'),
                          ('PZERO', '0.0'), ('NZERO', '-0.0'))),
    *renamed('NumPy 2.3', 'numpy', {'numpy.in1d': 'numpy.isin'}, 'flattens the array, '
                                                                 'as before'),
    *renamed('NumPy 2.3', 'numpy', {'numpy.trapz': 'scipy.integrate.trapezoid'},
             'NumPy 2 has it as numpy.trapezoid, NumPy 1.26 does not'),
    Removed('numpy.msort', 'NumPy 1.26', 'write numpy.sort(a, axis=0)', 'numpy'),
    Removed('numpy.asfarray', 'NumPy 1.26', 'write numpy.asarray(a, dtype=float)',
            'numpy'),
    Removed('numpy.cast', 'NumPy 1.26', 'write numpy.asarray(a, dtype=dtype)', 'numpy'),
    Removed('numpy.find_common_type', 'NumPy 1.26', 'write numpy.result_type', 'numpy'),
    Removed('numpy.obj2sctype', 'NumPy 1.26', 'write numpy.dtype(x).type', 'numpy'),
    Removed('numpy.sctype2char', 'NumPy 1.26', 'write numpy.dtype(x).char', 'numpy'),
    Removed('numpy.nbytes', 'NumPy 1.26', 'write numpy.dtype(x).itemsize', 'numpy'),
    Removed('numpy.sctypes', 'NumPy 1.26', 'name the types', 'numpy'),
    Removed('numpy.issctype', 'NumPy 1.26', 'write issubclass(x, numpy.generic)',
            'numpy'),
    Removed('numpy.issubclass_', 'NumPy 1.26', 'write issubclass', 'numpy'),
    Removed('numpy.issubsctype', 'NumPy 1.26', 'write numpy.issubdtype', 'numpy'),
    Removed('numpy.maximum_sctype', 'NumPy 1.26', 'name the type', 'numpy'),
    Removed('numpy.set_string_function', 'NumPy 1.26', 'write numpy.set_printoptions'),
    *renamed('NumPy 1.26', '', below('numpy.', '''
        DataSource=lib.npyio.DataSource byte_bounds=lib.array_utils.byte_bounds''')),
    *(Removed('numpy.' + name, 'NumPy 1.26', instead) for name, instead in (
        ('compat', 'leave it out: it served Python 2'),
        ('deprecate', 'write warnings.warn'),
        ('disp', 'write print'), ('geterrobj', 'write numpy.geterr'),
        ('seterrobj', 'write numpy.seterr'), ('lookfor', 'search the manual'),
        ('who', 'write dir()'), ('source', 'write inspect.getsource'),
        ('safe_eval', 'write ast.literal_eval'),
        ('recfromcsv', "write numpy.genfromtxt(delimiter=',')"),
        ('recfromtxt', 'write numpy.genfromtxt'),
        ('compare_chararrays', 'write numpy.char.compare_chararrays'))),
    Removed('numpy.MachAr', 'NumPy 1.23', 'write numpy.finfo'),
    *(Removed('numpy.' + name, 'NumPy 1.21', 'write numpy.genfromtxt')
      for name in ('mafromtxt', 'ndfromtxt')),
    *(Removed('numpy.' + name, 'NumPy 1.19',
              'pip install numpy-financial, and import it')
      for name in _FINANCE.split()),
    # Methods of arrays, for which legacy mode rewrites imported sources
    Removed('numpy.ndarray.ptp', 'NumPy 1.26', 'write numpy.ptp(a)', 'numpy'),
    Removed('numpy.ndarray.itemset', 'NumPy 1.26', 'write a[index] = value', 'numpy'),
    Removed('numpy.ndarray.newbyteorder', 'NumPy 1.26',
            'write a.view(a.dtype.newbyteorder(order))', 'numpy'),
    Removed('numpy.ndarray.tostring', 'NumPy 2.2', 'write a.tobytes()', 'numpy'),
    # Modules
    *renamed('NumPy 1.26', 'numpy', below('numpy.lib.', '''
        pad is_scalar=isscalar''', 'numpy.')),
    Removed('numpy.lib.asfarray', 'NumPy 1.26', 'write numpy.asarray(a, dtype=float)',
            'numpy'),
    Removed('numpy.lib.function_base', 'NumPy 1.26', 'write numpy.NAME', 'numpy'),
    *(Removed('numpy.lib.' + name, 'NumPy 1.26', 'write numpy.NAME', 'numpy')
      for name in ('arraypad', 'arraysetops', 'histograms', 'index_tricks',
                   'nanfunctions', 'polynomial', 'shape_base', 'twodim_base',
                   'type_check', 'ufunclike', 'utils')),
    *renamed('NumPy 2.3', 'numpy', {
        'numpy.linalg.linalg': 'numpy.linalg', 'numpy.fft.helper': 'numpy.fft'}),
    *renamed('NumPy 1.16', 'numpy', {'numpy.fft.fftpack': 'numpy.fft'}),
    Removed('numpy.core', 'NumPy 1.26', 'write numpy.NAME', '',
            'NumPy 2 still has most of it, with a DeprecationWarning'),
    Removed('numpy.core.umath_tests', 'NumPy 1.26', 'write numpy.einsum or matmul',
            'numpy', 'inner1d and matrix_multiply'),
    Removed('numpy.testing.rand', 'NumPy 1.17', 'write numpy.random.rand', 'numpy'),
    *renamed('NumPy 1.16', 'numpy', {
        'numpy.testing.utils': 'numpy.testing'}),
    *(Removed('numpy.testing.' + name, last, 'write pytest', '')
      for name, last in (('decorators', 'NumPy 1.16'), ('dec', 'NumPy 1.24'),
                         ('Tester', 'NumPy 1.24'), ('raises', 'NumPy 1.24'),
                         ('run_module_suite', 'NumPy 1.24'))),
    # Arguments and idioms
    Removed('numpy.array of ragged rows', 'NumPy 1.23', 'write dtype=object', 'numpy',
            'and numpy.asarray, shape, size, sum, take, random.permutation, ...; '
            'compiled code, and NumPy itself, that hold these functions keep them'),
    Removed('list of arrays, lists or slices as an index', 'NumPy 1.22',
            'write a[tuple(index)], which it meant then, or numpy.array(index)',
            'numpy', 'lists of lists that mean something today only if numpy is named'),
    Removed('numpy.array(copy=False) that has to copy', 'NumPy 1.26',
            'write numpy.asarray', 'numpy'),
    *(Removed('numpy.%s of a size that is a float' % name, 'NumPy 1.17',
              'write int(...) around it', 'numpy')
      for name in ('linspace', 'logspace', 'geomspace')),
    *(Removed('numpy.%s of a size that is a float' % name, 'NumPy 1.11',
              'write int(...) around it', 'numpy')
      for name in ('zeros', 'ones', 'empty', 'full', 'eye', 'tri', 'identity',
                   'vander', 'indices', 'reshape', 'resize', 'tile', 'broadcast_to')),
    Removed("numpy.loadtxt(delimiter='\\n')", 'NumPy 1.22',
            'read the lines: open(name).read().splitlines()', 'numpy'),
    Removed('numpy.ndarray == None', 'NumPy 1.12', 'write a is None', 'numpy',
            'if numpy is named: False for the array as a whole'),
    Removed('numpy.issubdtype of float, int or complex', 'NumPy 1.18',
            'write numpy.floating, signedinteger or complexfloating', 'numpy',
            "if numpy is named: float means floating, which is numpy.float64 today"),
    Removed('numpy.fromstring of bytes', 'NumPy 2.2',
            'write numpy.frombuffer(...).copy()', 'numpy'),
    Removed('numpy.load of objects', 'NumPy 1.16.2', 'write allow_pickle=True', 'numpy',
            'runs code of the file, as before: open only your own files'),
    Removed('numpy.histogram(normed=)', 'NumPy 1.23', 'write density=', 'numpy'),
    Removed('numpy.percentile(interpolation=)', 'NumPy 2.3', 'write method=', 'numpy'),
    Removed('numpy.reshape(newshape=)', 'NumPy 2.3',
            'give the shape by position: NumPy 1.26 and 2 have different names for it',
            'numpy'),
    Removed('numpy.stack of a generator', 'NumPy 1.24', 'write a list', 'numpy',
            'stack, hstack, vstack, dstack and column_stack'),
    Removed('float of an array', 'NumPy 2.3', 'write a.item()', 'numpy',
            'float, int, complex and functions of math, of an array with one element '
            'and at least one axis, in the sources that Python imports'),
    Removed("'%f' of an array", 'NumPy 2.3', 'write a.item()', 'numpy',
            'of an array with one element and at least one axis, where the format is '
            'written out'),
    Removed('element set to an array', 'NumPy 2.3', 'write a[i] = b.item()', 'numpy',
            'of an array with one element and at least one axis'),
    Removed('number out of range of the dtype', 'NumPy 1.26',
            'write numpy.array(x).astype(dtype)', '',
            'numpy.uint8(-1), x[0] = 256: no program is known to depend on it'),
    Removed('promotion by value', 'NumPy 1.26', 'convert to the dtype that is meant',
            '', 'in NumPy 2 a float32 array times a numpy.float64 is float64, and a '
            'numpy.float32 times 0.9 is float32; only NumPy 1.26 has the old rules'),
)
