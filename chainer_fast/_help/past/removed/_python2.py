"""Names and idioms of Python 2."""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

#: Methods that have another name in Python 3: that name, and the entry.
SPECIAL_METHODS = {
    '__nonzero__': ('__bool__', '__nonzero__ method'),
    '__div__': ('__truediv__', '__div__ method'),
    '__cmp__': ('__lt__', '__cmp__ method'),
    '__unicode__': ('__str__', '__unicode__ method'),
    '__getslice__': ('__getitem__', '__getslice__ method'),
    'next': ('__next__', 'next method of an iterator')}

_SYNTAX = 'in modules that Python 3 cannot read, through fissix'
_MEANING = 'the call does not show which meaning is intended'

ENTRIES: tuple[Removed, ...] = (
    # Modules
    *renamed('Python 2.7', 'python', {
        'cPickle': 'pickle',
        'Queue': 'queue',
        'ConfigParser': 'configparser',
        'HTMLParser': 'html.parser',
        'SocketServer': 'socketserver',
        'Tkinter': 'tkinter',
        '__builtin__': 'builtins',
        'cookielib': 'http.cookiejar',
        'copy_reg': 'copyreg',
        'dummy_thread': '_thread',
        'htmlentitydefs': 'html.entities',
        'httplib': 'http.client',
        'thread': '_thread',
        'urlparse': 'urllib.parse',
        'xmlrpclib': 'xmlrpc.client',
    }),
    *renamed('Python 2.7', 'python', {
        'BaseHTTPServer': 'http.server', 'SimpleHTTPServer': 'http.server',
        'StringIO': 'io.StringIO', 'cStringIO': 'io.StringIO',
        'commands': 'subprocess', 'sets': 'set', 'urllib2': 'urllib.request',
        'exceptions': 'builtins'}),
    # Names of modules
    *renamed('Python 2.7', 'python', below('itertools.', '''
        izip=zip imap=map ifilter=filter''', '')),
    *renamed('Python 2.7', 'python', below('itertools.', '''
        izip_longest=zip_longest ifilterfalse=filterfalse''')),
    *renamed('Python 2.7', 'python', below('string.', '''
        letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase''')),
    *renamed('Python 2.7', 'python', below('string.', '''
        maketrans split rsplit replace lower upper strip lstrip rstrip find rfind index
        count zfill ljust rjust center capitalize''', 'str.')),
    *renamed('Python 2.7', 'python', below(
        'string.', 'atoi=int atol=int atof=float', '')),
    Removed('string.join', 'Python 2.7', 'write separator.join(words)', 'python'),
    *renamed('Python 2.7', 'python', {
        'os.getcwdu': 'os.getcwd', 'sys.maxint': 'sys.maxsize',
        'operator.isCallable': 'callable', 'operator.sequenceIncludes':
        'operator.contains'}),
    Removed('operator.div', 'Python 2.7', 'write operator.truediv or operator.floordiv',
            'python', 'floors integers, as before'),
    Removed('sys.setdefaultencoding', 'Python 2.7', 'leave the line out', 'python',
            'does nothing: text is Unicode'),
    *renamed('Python 2.7', 'python', below('types.', '''
        StringType=str UnicodeType=str StringTypes=str IntType=int LongType=int
        FloatType=float ComplexType=complex BooleanType=bool ListType=list
        TupleType=tuple DictType=dict DictionaryType=dict ObjectType=object
        TypeType=type ClassType=type SliceType=slice XRangeType=range''', '')),
    *renamed('Python 2.7', 'python', below('urllib.', '''
        urlretrieve urlopen pathname2url url2pathname''', 'urllib.request.')),
    *renamed('Python 2.7', 'python', below(
        'urllib.', 'URLopener FancyURLopener', 'urllib.request.'),
        'until Python 3.13; later only urllib.request.urlopen exists'),
    *renamed('Python 2.7', 'python', below('urllib.', '''
        quote quote_plus unquote unquote_plus urlencode''', 'urllib.parse.')),
    # Built-in names
    *renamed('Python 2.7', 'python', below('builtins.', '''
        xrange=range unicode=str basestring=str unichr=chr long=int raw_input=input''',
                                           '')),
    *renamed('Python 2.7', 'python', {
        'builtins.reduce': 'functools.reduce', 'builtins.reload': 'importlib.reload',
        'builtins.intern': 'sys.intern'}),
    Removed('builtins.file', 'Python 2.7', 'write open', 'python'),
    Removed('builtins.cmp', 'Python 2.7', 'write (a > b) - (a < b)', 'python'),
    Removed('builtins.execfile', 'Python 2.7', 'write exec(open(path).read())',
            'python'),
    Removed('builtins.apply', 'Python 2.7', 'write f(*arguments)', 'python'),
    # Methods and attributes
    *(Removed('dict.' + old, 'Python 2.7', 'write %s()' % new, 'python')
      for old, new in (('iteritems', 'items'), ('iterkeys', 'keys'),
                       ('itervalues', 'values'), ('viewitems', 'items'),
                       ('viewkeys', 'keys'), ('viewvalues', 'values'))),
    Removed('dict.has_key', 'Python 2.7', 'write key in d', 'python'),
    Removed('iterator.next', 'Python 2.7', 'write next(iterator)', 'python'),
    *renamed('Python 2.7', 'python', below('function.', '''
        func_name=__name__ func_code=__code__ func_defaults=__defaults__
        func_globals=__globals__ func_dict=__dict__ func_doc=__doc__
        func_closure=__closure__''', '')),
    *renamed('Python 2.7', 'python', {
        'method.im_func': '__func__', 'method.im_self': '__self__'}),
    Removed('str.decode', 'Python 2.7', 'leave .decode(...) out', 'python',
            'returns the text itself'),
    Removed('pickle.load of text of Python 2', 'Python 2.7',
            "pass encoding='latin1'", 'python', 'pickle.loads and cPickle as well'),
    Removed('pickle in a file of text', 'Python 2.7',
            "open the file with mode 'rb' or 'wb'", 'python'),
    Removed('bytes in a file of text', 'Python 2.7',
            "open the file with mode 'rb' or 'wb'", 'python',
            'marshal, numpy.load, save, savez'),
    Removed('text to a file of bytes, or bytes to one of text', 'Python 2.7',
            "open the file with mode 'w' for text and 'wb' for bytes", 'python',
            'of files that the program opens'),
    Removed('bytes read from a file of text', 'Python 2.7',
            "open the file with mode 'rb'", 'python',
            'if python is named: a file that is not UTF-8 is read as latin1'),
    Removed('text in the place of bytes', 'Python 2.7', "write b'...', or read bytes",
            'python', 'io.BytesIO, hashes, zlib, base64, numpy.frombuffer and others'),
    Removed('struct of text', 'Python 2.7', "write b'...', or read bytes", 'python'),
    Removed('csv of bytes', 'Python 2.7', "open the file with mode 'r', newline=''",
            'python'),
    Removed('text in a file of gzip', 'Python 2.7', "write gzip.open(path, 'wt')",
            'python'),
    Removed('order of None and other objects', 'Python 2.7', 'ask for None first',
            'python', 'None is less than all others, in modules of Python 2'),
    Removed('list comprehension in the scope around it', 'Python 2.7',
            'assign what is read behind it, and what it needs of a class', 'python',
            'in modules of Python 2: it sees the names of a class body, and its '
            'variables keep the last value'),
    Removed('division of whole numbers', 'Python 2.7', 'write a // b', 'python',
            'in modules that Python 3 cannot read, and, if python is named as in '
            '--legacy=python,v1, in all of the program; unless they import division '
            'from __future__'),
    Removed('division that may be of whole numbers', 'Python 2.7',
            'look at it: write a // b if both are whole; once all are looked at, write '
            'from __future__ import division', '',
            'chainer-fast check asks; a run reports it, see division of whole numbers'),
    *(Removed(idiom, 'Python 2.7', instead, 'python', _SYNTAX) for idiom, instead in (
        ('print statement', 'write print(...)'),
        ('indentation by tabs and spaces', 'write spaces'),
        ('except E, name', 'write except E as name'),
        ('raise E, value', 'write raise E(value)'),
        ('exec statement', 'write exec(code)'),
        ('backticks', 'write repr(x)'),
        ('<> operator', 'write !='),
        ('octal 0755', 'write 0o755'),
        ('number 10L', 'write 10'),
        ("ur'' string", "write r''"),
        ('tuple parameter', 'unpack the tuple in the body'),
        ('list.sort(cmp=)', 'write key=functools.cmp_to_key(f)'),
        ('sorted(cmp=)', 'write key=functools.cmp_to_key(f)'),
        ('__nonzero__ method', 'write __bool__'),
        ('__div__ method', 'write __truediv__'),
        ('__unicode__ method', 'write __str__'),
        ('next method of an iterator', 'write __next__'))),
    # Idioms that no shim can adapt
    Removed('list from map, filter, zip, range or dict.keys', 'Python 2.7',
            'write list(...)', 'python',
            'in modules that Python 3 cannot read, and, if python is named, in all of '
            'the program, without a report; else where an index, len(), + or a method '
            'of lists follows at once'),
    *(Removed(idiom, 'Python 2.7', instead, '', _MEANING) for idiom, instead in (
        ('round half away from zero', 'write decimal, or numpy.floor(x + 0.5)'),
        ('bytes as text', "open text with mode 'r', bytes with 'rb', and decode"),
        ('input evaluates', 'write eval(input())'))),
    *(Removed(idiom, 'Python 2.7', instead, '', remark) for idiom, instead, remark in (
        ('comparison of different types', 'give a key', ''),
        ('__metaclass__ attribute', 'write class C(metaclass=M)', ''),
        ('__cmp__ method', 'write __lt__ and __eq__', ''),
        ('__getslice__ method', 'write __getitem__', ''),
        ('hash of text', 'write zlib.crc32(text.encode())',
         'it is different in every process'))),
    Removed('random of Python 2', 'Python 2.7', 'draw from numpy.random', 'python',
            'if python is named: randint, randrange, choice, shuffle and sample '
            'return the same numbers as in Python 2'),
    Removed('import of a module beside it in the package', 'Python 2.7',
            'write from . import NAME', 'python', 'unless another module has that '
                                                  'name'),
)
