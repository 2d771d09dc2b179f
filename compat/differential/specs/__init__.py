"""Valid calls of every public name, by field."""

from compat.differential.specs import (
    borrowed,
    data,
    functions,
    layers,
    links,
    optimizers,
    probability,
    training,
    variables,
)

_MODULES = (
    borrowed,
    functions,
    layers,
    variables,
    links,
    optimizers,
    probability,
    data,
    training,
)

#: Names without a specification, with the reason.
WITHOUT = {
    **{
        'datasets.get_' + name: 'asks a network for data'
        for name in (
            'cifar10',
            'cifar100',
            'fashion_mnist',
            'kuzushiji_mnist',
            'mnist',
            'ptb_words',
            'ptb_words_vocabulary',
            'svhn',
        )
    },
    **{
        'links.' + name: 'takes seconds and hundreds of megabytes'
        for name in (
            'GoogLeNet',
            'ResNet50Layers',
            'ResNet101Layers',
            'ResNet152Layers',
            'VGG16Layers',
            'VGG19Layers',
        )
    },
    'dataset.set_dataset_root': 'changes what later calls return',
    **{
        name + '.__hash__': 'is that of an object'
        for name in ('Link', 'Variable', 'ChainList', 'Sequential')
    },
}


def all_cases():
    """Return the valid cases of all fields."""
    return [case for module in _MODULES for case in module.cases()]
