"""Saving objects to files, and loading them."""
from chainer_fast.serializers import hdf5, npz, pickles, safetensors
from chainer_fast.serializers.hdf5 import (
    HDF5Deserializer,
    HDF5Serializer,
    load_hdf5,
    save_hdf5,
)
from chainer_fast.serializers.npz import (
    DictionarySerializer,
    NpzDeserializer,
    load_npz,
    save_npz,
)
from chainer_fast.serializers.pickles import load_pickle
from chainer_fast.serializers.safetensors import load_safetensors, save_safetensors
