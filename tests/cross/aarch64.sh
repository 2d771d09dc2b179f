#!/bin/sh -e
# Python for aarch64, run by an emulator: aarch64.sh FOLDER CONSTRAINTS
#
# Debian's packages are unpacked below FOLDER, without a change to the system, and wheels
# beside them. FOLDER/python starts programs; FOLDER/cross COMMAND runs a command, such as
# setup.py of this Python, so that it compiles for the other one, and FOLDER/c++ is the
# compiler for programs of the other one. The system has to have g++-aarch64-linux-gnu and
# qemu-user, and to be a Debian whose python3 is 3.11, as the Python that runs setup.py is.

root=$(realpath -m "$1") constraints=$2
apt=$root/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
: > "$apt/status"           # nothing is installed, so that all dependencies come
get() {
    apt-get -qq -y --no-install-recommends -o APT::Architecture=arm64 \
        -o APT::Architectures=arm64 -o Dir::State="$apt/state" \
        -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}
get update
get install --download-only python3.11 libpython3.11-dev libgomp1 libstdc++6
for package in "$apt"/cache/archives/*.deb; do
    dpkg --extract "$package" "$root"
done

packages=$root/usr/lib/python3/dist-packages
python -m pip install --quiet --upgrade --no-compile --target "$packages" \
    --constraint "$constraints" --only-binary :all: --python-version 3.11 \
    --platform manylinux2014_aarch64 --platform manylinux_2_27_aarch64 \
    --platform manylinux_2_28_aarch64 \
    numpy scipy pytest pytest-xdist hypothesis pillow h5py protobuf

# Without SVE, as most machines are: OpenBLAS would choose it, and the emulator is slow.
cat > "$root/python" <<END
#!/bin/sh
exec qemu-aarch64 -cpu neoverse-n1 -L "$root" "$root/usr/bin/python3.11" "\$@"
END
# Tests start Pythons, and not every kernel starts the emulator for them.
cat > "$packages/executable.pth" <<END
import sys; sys.executable = '$root/python'
END

# A folder of its own: the rest of the library is for the other processor.
mkdir -p "$root/settings"
cp "$root"/usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py "$root/settings"
cat > "$root/cross" <<END
#!/bin/sh
export _PYTHON_HOST_PLATFORM=linux-aarch64
export _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu
export PYTHONPATH="$root/settings"
export CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++
export CPPFLAGS="-I$packages/numpy/_core/include -I$root/usr/include/python3.11 \
-idirafter $root/usr/include"
export CXXFLAGS='-Wall -Werror'
exec "\$@"
END
cat > "$root/c++" <<END
#!/bin/sh
exec aarch64-linux-gnu-g++ "\$@" -idirafter "$root/usr/include"
END
chmod +x "$root/python" "$root/cross" "$root/c++"
