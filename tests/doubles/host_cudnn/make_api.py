"""Write the names and parameters of cuDNN's frontend, which the stand-in keeps to.

    python tests/doubles/host_cudnn/make_api.py

in an environment with nvidia-cudnn-frontend writes ``api-VERSION.json`` beside this
file. It needs neither a driver nor cuDNN. The methods of graphs are compiled; their
parameters are in their docstrings, a line for each overloaded form.
"""
import inspect
import json
import pathlib
import re

import cudnn

METHODS = [
    'batchnorm', 'batchnorm_backward', 'batchnorm_inference', 'bias',
    'build_operation_graph', 'build_plan_at_index', 'build_plans', 'check_support',
    'conv_dgrad', 'conv_fprop', 'conv_wgrad', 'create_execution_plans',
    'deselect_numeric_notes', 'deselect_workspace_greater_than', 'deserialize',
    'execute', 'get_execution_plan_count', 'get_workspace_size',
    'get_workspace_size_plan_at_index', 'serialize', 'tensor', 'validate']
TENSOR = ['set_data_type', 'set_dim', 'set_output', 'set_stride', 'set_uid']
FUNCTIONS = ['backend_version', 'create_handle', 'destroy_handle', 'set_stream']
ENUMERATIONS = ['data_type', 'heur_mode', 'numerical_note']


def parameters(function, name):
    """Return the names of the parameters of each form; positional ones begin with /."""
    if inspect.isfunction(function):
        names = [p for p in inspect.signature(function).parameters
                 if p not in ('self', 'args', 'kwargs', 'ctx')]
        return [names]
    found = []
    forms = r'^(?:\d+\. )?%s\((.*)\) -> ' % name
    for line in re.findall(forms, function.__doc__, re.M):
        names = re.findall(r'(\w+): ', re.sub(r'\[[^\]]*\]|<[^>]*>', '', line))
        found.append([re.sub(r'^arg(\d)$', r'/\1', n) for n in names if n != 'self'])
    return [form for form in found if form or len(found) == 1]


def main():
    compiled = getattr(cudnn._pybind_module, 'backend_graph', cudnn.pygraph)
    api = {'version': cudnn.__version__, 'pygraph': {}, 'tensor': {}, 'module': {}}
    for name in METHODS:
        # The newer graph takes any arguments and hands them to the compiled one.
        function = getattr(compiled, name, None) or getattr(cudnn.pygraph, name)
        api['pygraph'][name] = parameters(function, name)
    api['pygraph']['__init__'] = parameters(compiled.__init__, '__init__')
    for name in TENSOR:
        api['tensor'][name] = parameters(getattr(cudnn.tensor, name), name)
    for name in FUNCTIONS:
        api['module'][name] = parameters(getattr(cudnn, name), name)
    api['enumerations'] = {
        name: sorted(getattr(cudnn, name).__members__) for name in ENUMERATIONS}
    text = json.dumps(api, indent=1, sort_keys=True)
    path = pathlib.Path(__file__).with_name(
        'api-%s.json' % cudnn.__version__.rpartition('.')[0])
    path.write_text(text + '\n')


if __name__ == '__main__':
    main()
