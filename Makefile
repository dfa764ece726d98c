# One command each. uv is taken from PATH, or put into .uv/ when the machine has none.
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
RUN := $(UV) run --frozen --no-sync
PYTEST_WORKERS ?= 3
NO_PYTHON = make setup: there is no Python $(shell cat .python-version) or newer here, and uv could not fetch one: \
  install it (apt install python3.12, brew install python@3.12), name one with UV_PYTHON=/path/to/python, or try again with a network
NO_DOWNLOAD = make setup: a download failed. Behind a proxy or a certificate authority of your own, set HTTPS_PROXY or \
  UV_SYSTEM_CERTS=1 (PIP_CERT where uv itself is missing): docs/guides/company-network.md
.DEFAULT_GOAL := help
# Where nothing may be compiled into files, each of a run's processes would compile three thousand modules anew.
unexport PYTHONDONTWRITEBYTECODE

help:  ## Show what there is to run
	@sed -n 's/^\([a-z-]*\):.*##  *\([^#]*\).*/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s'|'

.uv/bin/uv:
	@command -v uv >/dev/null 2>&1 || { python3 -m venv .uv && { .uv/bin/pip install --quiet --disable-pip-version-check uv || { echo '$(NO_DOWNLOAD)' >&2; exit 1; }; }; }

.venv/.synced: $(if $(filter .uv/bin/uv,$(UV)),.uv/bin/uv) pyproject.toml uv.lock $(wildcard packages/*/pyproject.toml)
	@said=$$($(UV) sync --frozen --all-packages --quiet 2>&1) || { echo "$$said" >&2; \
	case "$$said" in *[Ff]etch*|*[Dd]ownload*|*certificate*) echo '$(NO_DOWNLOAD)' >&2;; esac; \
	$(UV) python find --quiet >/dev/null 2>&1 || echo '$(NO_PYTHON)' >&2; exit 1; }
	@touch $@

setup: .venv/.synced  ## Install everything into .venv

demo: .venv/.synced  ## Run the main job against the sandbox: real server, real MCP client
	@$(RUN) katana-mcp demo $(ARGS)

serve: .venv/.synced  ## Serve MCP over stdio (SANDBOX=1 for the sandbox, ARGS=... for more flags)
	@$(RUN) katana-mcp serve $(if $(SANDBOX),--sandbox) $(ARGS)

test: .venv/.synced  ## Run all that must pass
	$(RUN) pytest -q -n $(PYTEST_WORKERS) --dist worksteal $(ARGS)

contract: .venv/.synced  ## Run the contract of one cache backend or flag state (BACKEND=typed)
	$(RUN) pytest -q -n $(PYTEST_WORKERS) tests/contract --backend $(or $(BACKEND),all) $(ARGS)

states: .venv/.synced  ## Run the server and its surface under a state of the cache flag (BACKEND=compare:typed)
	KATANA_CACHE_BACKEND=$(or $(BACKEND),typed) $(RUN) pytest -q -n $(PYTEST_WORKERS) packages/katana_mcp_server/tests tests/surface $(ARGS)

retire: .venv/.synced  ## Prove in a copy that the legacy cache can go  # goes with cache_legacy
	$(RUN) python scripts/retire_legacy.py  # goes with cache_legacy

check: .venv/.synced  ## Lint, types, import contracts, file budgets, dependencies, lock
	$(UV) lock --check --quiet
	$(RUN) ruff format --check --quiet .
	$(RUN) ruff check --quiet .
	$(RUN) ty check --quiet --error-on-warning
	$(RUN) basedpyright --warnings
	$(RUN) lint-imports --no-cache
	$(RUN) loq
	$(RUN) python scripts/check_dependencies.py
	$(RUN) python scripts/audit.py

wheel: .venv/.synced  ## Build the one distribution into dist/, and prove it in an environment of its own
	@rm -rf dist && $(UV) build --quiet
	@$(RUN) python scripts/prove_wheel.py --uv $(UV) dist

changelog: .venv/.synced  ## Show what the next release would say (VERSION=1.2.0: write it into CHANGELOG.md)
	@$(RUN) towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version next)

bundle: wheel  ## Make the bundle for Claude Desktop and the registry's entry into bundle/, and prove the bundle
	@rm -rf bundle && $(RUN) python -m scripts.bundle dist bundle
	@$(RUN) python -m scripts.prove_bundle --uv $(UV) bundle

BOUNDS := packages/katana_client packages/cache_core packages/cache_typed packages/katana_sandbox/tests/test_cli.py \
  $(addprefix packages/katana_mcp_server/tests/test_,commandline.py doors.py process.py settings.py)

bounds: .venv/.synced  ## Run the demo and quick tests with the oldest dependencies that are allowed (RESOLUTION=highest)
	@place=$$(mktemp -d) && trap 'rm -rf $$place' EXIT && git checkout-index -a --prefix=$$place/ && cd $$place && rm uv.lock && \
	$(abspath $(UV)) sync --quiet --all-packages --resolution $(or $(RESOLUTION),lowest-direct) && \
	.venv/bin/katana-mcp demo all --no-color | tail -1 && .venv/bin/pytest -q -n $(PYTEST_WORKERS) $(BOUNDS)

format: .venv/.synced  ## Format and mend what the linter can mend
	$(RUN) ruff format --quiet .
	$(RUN) ruff check --fix --quiet .

CLIENTS := tests/clients
.PRECIOUS: $(CLIENTS)/python/%/.venv/.synced

$(CLIENTS)/npm/node_modules/.synced: $(CLIENTS)/npm/package-lock.json
	cd $(CLIENTS)/npm && npm ci --ignore-scripts --silent
	@touch $@

$(CLIENTS)/python/%/.venv/.synced: $(CLIENTS)/python/%/requirements.txt .venv/.synced
	@$(UV) venv --quiet --clear --python $$($(RUN) python -c 'import sys; print(sys.executable)') $(@D)
	@$(UV) pip install --quiet --python $(@D) --requirements $<
	@touch $@

clients: .venv/.synced $(CLIENTS)/npm/node_modules/.synced $(CLIENTS)/python/mcp-1/.venv/.synced $(CLIENTS)/python/mcp-2/.venv/.synced  ## Try the server with real MCP clients, a browser and the conformance suite (ARGS=stdio for some)
	@PYTHONPATH=tests $(RUN) python -m clients $(ARGS)

peer: .venv/.synced $(CLIENTS)/python/peer/.venv/.synced  ## Let a foreign client and server judge the sandbox by its state (ARGS="tool ..." for some)
	@PYTHONPATH=tests $(RUN) python -m peer $(ARGS)

bench: .venv/.synced  ## Measure both backends, client, sandbox and server beside the floors (ARGS=--write: into the docs)
	$(RUN) python -m bench $(ARGS)

soak: .venv/.synced  ## Run the slow proofs, then the mutants of the night, even when a proof failed
	@$(RUN) pytest -q -m "soak and alone" --timeout 3600 --durations 10 $(ARGS); alone=$$?; \
	$(RUN) pytest -q -m "soak and not alone" --timeout 3600 --durations 10 -n 3 --dist worksteal $(ARGS); beside=$$?; \
	$(RUN) python -m mutants --night && exit $$((alone + beside))

mutants-drawn: .venv/.synced  ## Put in 200 bugs drawn at random, one at a time, and let the tests notice them (SEED=1 COUNT=50)
	@$(RUN) python -m mutants.drawn $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(ARGS)

.PHONY: retire  # goes with cache_legacy
.PHONY: help setup demo serve test contract states check wheel changelog bundle bounds format clients peer bench soak mutants-drawn
