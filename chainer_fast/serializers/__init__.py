"""Saving objects to files, and loading them."""
from chainer_fast.serializers import (
    hdf5 as hdf5,
    npz as npz,
    pickles as pickles,
    safetensors as safetensors,
)
from chainer_fast.serializers.hdf5 import (
    HDF5Deserializer as HDF5Deserializer,
    HDF5Serializer as HDF5Serializer,
    load_hdf5 as load_hdf5,
    save_hdf5 as save_hdf5,
)
from chainer_fast.serializers.npz import (
    DictionarySerializer as DictionarySerializer,
    NpzDeserializer as NpzDeserializer,
    load_npz as load_npz,
    save_npz as save_npz,
)
from chainer_fast.serializers.pickles import load_pickle as load_pickle
from chainer_fast.serializers.safetensors import (
    load_safetensors as load_safetensors,
    save_safetensors as save_safetensors,
)
