# Entry point for building and testing. Targets only call CMake, ctest and pytest; `make help` lists them.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
# Run tests in an empty environment, so that no local setting can hide a failure.
CLEAN = "$(CURDIR)/tools/clean_environment"
CTEST = $(CLEAN) ctest --no-tests=error --output-on-failure --test-output-truncation head --test-output-size-passed 20000 -j $(JOBS)
INTEROP_VENV = build/interop-venv
# The last TensorFlow with tf.estimator and Keras 2.
KERAS2_VENV = build/keras2-venv

.DEFAULT_GOAL := help
.PHONY: help deps deps-clang deps-interop build demo check test test-all interop bench soak generate format lint install
.PHONY: build-release build-dev build-asan build-tsan test-release test-dev test-asan test-tsan

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)$$/  make \1\t\2/p' Makefile | expand -t 18

deps: ## install the Debian packages that Weir needs (returns at once if they are installed)
	@tools/install_deps build

build: build-release ## build everything: build/weir, build/python, tests, examples

demo: deps ## build, then train a network that recognizes handwritten digits on a cluster on this host
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build -j $(JOBS) --target weir weir_python
	@rm -rf build/demo/logs
	@tools/write_digits --pictures build/demo/pictures
	build/weir records make build/demo/pictures/train build/demo/train.tfrecords --raw --channels=1
	build/weir records make build/demo/pictures/test build/demo/test.tfrecords --raw --channels=1
	build/weir up examples/digits/train.py --ps 1 --workers 2 -- --train=build/demo/train.tfrecords \
	  --validation=build/demo/test.tfrecords --logdir=build/demo/logs
	build/weir run examples/digits/predict.py build/demo/logs/digits.pb build/demo/pictures/test/7/0108.png

check: build ## run the fast tests of the release build (under two minutes)
	@cd build && $(CTEST) -L fast --output-junit ctest.xml

test: test-release ## run all tests of the release build

test-all: test-release test-asan test-tsan ## run all tests, then the address, undefined-behaviour and thread sanitizers and the fuzzers

interop: build-release deps-interop ## test against the real TensorFlow, in its own virtual environment (needs PyPI)
	@$(if $(WEIR_TF_PYTHON),:,$(MAKE) --no-print-directory $(INTEROP_VENV)/ready)
	@$(if $(WEIR_KERAS2_TF_PYTHON),:,$(MAKE) --no-print-directory $(KERAS2_VENV)/ready)
	$(CLEAN) WEIR_BUILD="$(CURDIR)/build" WEIR_PYTHON=$(PYTHON) PYTHONPATH="$(CURDIR)/build/python" \
	  WEIR_TF_PYTHON="$(or $(WEIR_TF_PYTHON),$(CURDIR)/$(INTEROP_VENV)/bin/python)" \
	  WEIR_KERAS2_TF_PYTHON="$(or $(WEIR_KERAS2_TF_PYTHON),$(CURDIR)/$(KERAS2_VENV)/bin/python)" \
	  $(PYTHON) -m pytest -q -p no:cacheprovider -n $(JOBS) --dist loadfile --junitxml=build/interop.xml tests/interop

bench: build-release ## run the benchmarks and write docs/performance.md
	$(PYTHON) bench/run.py

# Each stage takes an hour or more.
soak: build-release ## run tests that take hours: a million hostile op cases; the README's commands on a bare Debian (needs root)
	build/tests/hostile/weir_hostile_ops --seed $$(date +%s) --cases 1000000
	tools/fresh_machine

generate: deps ## write the signatures of the ops (src/graph/build/*_ops.txt) from the op registry
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build build -j $(JOBS) --target weir_op_signatures
	build/tools/weir_op_signatures src/graph/build

format: deps-clang ## format the C++ files in place
	git ls-files '*.h' '*.cc' '*.cu' | xargs clang-format -i

lint: deps-clang ## check formatting, layers and clang-tidy; changes nothing
	tools/check_layers
	git ls-files '*.h' '*.cc' '*.cu' | xargs clang-format --dry-run -Werror
	@cmake --preset lint --log-level=WARNING >/dev/null
	@cmake --build build/lint --target proto_gen/proto/graph.pb.h weir_raw_ops_files
	run-clang-tidy -quiet -j $(JOBS) -p build/lint '^$(CURDIR)/(build/lint/)?src/'

install: build-release ## install under PREFIX (default /usr/local): make install PREFIX=$HOME/weir
	cmake --install build --prefix "$(PREFIX)"

deps-clang:
	@tools/install_deps build clang

deps-interop:
	@tools/install_deps build interop

build-release build-dev: deps
build-asan build-tsan: deps-clang
build-release build-dev build-asan build-tsan: build-%:
	@cmake --preset $* --log-level=WARNING >/dev/null
	@cmake --build --preset $* -j $(JOBS)

test-release test-dev test-asan test-tsan: test-%: build-%
	@cd $(if $(filter release,$*),build,build/$*) && $(CTEST) --output-junit ctest.xml

$(INTEROP_VENV)/ready:
	$(PYTHON) -m venv $(INTEROP_VENV)
	$(INTEROP_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'tensorflow-cpu==2.21.*' 'tensorboard==2.21.*'
	touch $@

$(KERAS2_VENV)/ready:
	$(PYTHON) -m venv $(KERAS2_VENV)
	$(KERAS2_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'tensorflow-cpu==2.15.1' 'tf-slim==1.1.0'
	touch $@
