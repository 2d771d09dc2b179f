"""What stands at the top of the package: a new entry needs a reason here."""
import pathlib

import chainer_fast

PACKAGE = pathlib.Path(chainer_fast.__file__).parent

# Modules of Chainer, at its own paths; programs import the private ones, too.
OF_CHAINER = {
    '_backend', '_backprop', '_backprop_utils', '_environment_check', '_runtime_info',
    '_version', 'backend', 'backends', 'computational_graph', 'configuration', 'cuda',
    'dataset', 'datasets', 'device_resident', 'distribution', 'distributions',
    'exporters', 'function', 'function_hook', 'function_hooks', 'function_node',
    'functions', 'gradient_check', 'graph_optimizations', 'initializer', 'initializers',
    'iterators', 'link', 'link_hook', 'link_hooks', 'links', 'memory_layouts',
    'optimizer', 'optimizer_hooks', 'optimizers', 'reporter', 'sequential',
    'serializer', 'serializers', 'testing', 'training', 'types', 'utils', 'variable',
    'warnings'}

OUR_OWN = {
    '__main__': 'python -m chainer_fast',
    '_core': 'the compiled engine',
    '_cpu': 'what any loop needs: threads, vectors, half precision, memory',
    '_help': 'what helps people: commands, messages, displays, summaries, the past',
    '_numbers': 'what counts as a number, for all layers above the engine',
    'alias': 'the names chainer, chainermn, onnx_chainer and chainerx',
    'chainerx': "ChainerX's arrays",
    'interop': 'bridges to other libraries',
    'legacy': 'programs of Chainer 1 to 6',
    'mn': 'chainermn',
    'nnabla': "gradients by nnabla's contract",
    'onnx': 'onnx_chainer'}


def entries(folder):
    """Return the names of the modules and folders in a folder."""
    return {path.stem for path in folder.iterdir()
            if path.is_dir() or path.suffix in ('.py', '.pyx', '.pxd', '.hpp', '.cc')
            } - {'__init__', '__pycache__'}


def test_the_top_of_the_package():
    assert entries(PACKAGE) == OF_CHAINER | set(OUR_OWN)
    assert not OF_CHAINER & set(OUR_OWN)


def test_what_serves_people_is_one_room():
    assert entries(PACKAGE / '_help') == {
        'command', 'display', 'installation', 'mistakes', 'past', 'pytorch', 'summary'}


def test_plans_are_one_house_with_a_guide():
    house = PACKAGE / 'graph_optimizations'
    page = PACKAGE.parent / 'docs' / 'architecture.md'
    guide = page.read_text(encoding='utf-8').partition(
        '### Plans of static chains')[2].partition('\n## ')[0]
    files = [path.relative_to(house).as_posix() for path in house.rglob('*')
             if path.suffix in ('.py', '.pyx', '.pxi', '.hpp')
             and path.stem != '__init__']
    assert len([name for name in files if name.endswith('.pyx')]) <= 2
    assert not [name for name in files
                if '%s`' % name not in guide
                and '`%s`' % name.partition('/')[2] not in guide]


def test_every_part_of_that_room_is_in_its_header():
    header = (PACKAGE / '_help' / '__init__.py').read_text(encoding='utf-8')
    assert [name for name in entries(PACKAGE / '_help')
            if '\n``%s``\n' % name not in header] == []
