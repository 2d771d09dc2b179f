"""Names that were removed in releases of Python 3."""
from chainer_fast._help.past.removed._tables import below, renamed
from chainer_fast._help.past.removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
    *renamed('Python 3.9', 'python', below('collections.', '''
        Awaitable Callable Container Coroutine Generator Hashable ItemsView Iterable
        Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet
        Reversible Sequence Set Sized ValuesView''', 'collections.abc.')),
    Removed('inspect.getargspec', 'Python 3.10', 'write inspect.getfullargspec',
            'python', 'returns the four values of that version'),
    Removed('inspect.formatargspec', 'Python 3.10', 'write str(inspect.signature(f))'),
    Removed('fractions.gcd', 'Python 3.8', 'write math.gcd', 'python',
            'keeps the sign of the second argument, as before'),
    Removed('time.clock', 'Python 3.7', 'write time.perf_counter', 'python',
            "returns the processor's time, as it did on Unix-like systems"),
    *renamed('Python 3.8', 'python', {
        'base64.encodestring': 'base64.encodebytes',
        'base64.decodestring': 'base64.decodebytes',
        'threading.Thread.isAlive': 'threading.Thread.is_alive',
    }),
    *renamed('Python 3.6', 'python', {'os.errno': 'errno'}),
    Removed('json.loads(encoding=)', 'Python 3.8', 'leave encoding out', 'python'),
    Removed('json.load(encoding=)', 'Python 3.8', 'leave encoding out', 'python'),
    Removed('random.sample of a set', 'Python 3.10',
            'write random.sample(sorted(population), k)', 'python'),
    Removed('random.shuffle(random=)', 'Python 3.10',
            'seed random, or a random.Random of your own', 'python'),
    Removed('asyncio.coroutine', 'Python 3.10', 'write async def and await', 'python'),
    Removed('array.array.tostring', 'Python 3.8', 'write tobytes()', 'python'),
    Removed('array.array.fromstring', 'Python 3.8', 'write frombytes()', 'python'),
    *renamed('Python 3.11', 'python', below('unittest.TestCase.', '''
        assertEquals=assertEqual assertNotEquals=assertNotEqual assert_=assertTrue
        assertAlmostEquals=assertAlmostEqual assertNotAlmostEquals=assertNotAlmostEqual
        assertRegexpMatches=assertRegex assertNotRegexpMatches=assertNotRegex
        assertRaisesRegexp=assertRaisesRegex failUnlessEqual=assertEqual
        failUnlessRaises=assertRaises failIfEqual=assertNotEqual failIf=assertFalse
        failUnless=assertTrue'''), 'where this Python lacks it'),
    Removed('imp', 'Python 3.11', 'write importlib', 'python',
            'where this Python lacks it'),
    Removed('open of mode U', 'Python 3.10', "write mode 'r'", 'python'),
    Removed('distutils', 'Python 3.11', 'write packaging.version, shutil.which, ...',
            'python', 'where neither this Python nor setuptools has it: version, '
            'util.strtobool, spawn.find_executable, dir_util.mkpath'),
    Removed('platform.linux_distribution', 'Python 3.7',
            'write platform.freedesktop_os_release'),
    Removed('platform.dist', 'Python 3.7', 'write platform.freedesktop_os_release'),
    Removed('cgi', 'Python 3.12', 'write html.escape, or a framework for the web',
            'python', 'escape, parse_header, parse_qs; where this Python lacks it'),
    Removed('uu', 'Python 3.12', 'write base64', 'python',
            'where this Python lacks it'),
    Removed('crypt', 'Python 3.12', 'write hashlib.scrypt', '',
            'the system library that it called is not available everywhere'),
    Removed('cgi.escape', 'Python 3.7', 'write html.escape'),
    Removed('imghdr', 'Python 3.12', 'write PIL.Image.open(path).format',
            'python', 'where this Python lacks it'),
    Removed('pipes', 'Python 3.12', 'write shlex.quote', 'python',
            'quote, where this Python lacks it'),
    *(Removed(name, 'Python 3.11', 'write asyncio')
      for name in ('asyncore', 'asynchat')),
    Removed('asyncio.async', 'Python 3.6', 'write asyncio.ensure_future', '',
            'async is a keyword now, so such a line does not compile'),
)
