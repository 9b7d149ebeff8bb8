# The two commands a newcomer needs do all their own set-up, once, and say what they do:
#     make print URL=https://... OUT=article.pdf
#     make test

SHELL := /bin/bash
.DEFAULT_GOAL := help
PY := .venv/bin/python
URL ?=
OUT ?=
PROCESSES ?= 4
TIME ?= 60
SEED ?= 0
TARGETS ?=
PYTEST_OPTIONS = -n $(PROCESSES) --dist loadscope --no-loadscope-reorder -rs
PYTEST = $(PY) -m pytest $(PYTEST_OPTIONS)
# What `make bench` measures and for how long, see `python -m benchmarks --help`; QUICK=1 is a sample.
BENCHMARKS ?=
QUICK ?=
BUDGET ?=
STEP ?=
CHOICES ?=

# Compiled modules are kept, wherever that is turned off: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help print test test-all smoke coverage lint format bench fuzz samples api docs dist audit clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

# An address may contain `, $, & and quotes: it goes through the environment, as make would expand an
# exported URL itself, and a shell what stands in a recipe.
unexport URL OUT OPTIONS
print: export PRINT_URL := $(value URL)
print: export PRINT_OUT := $(value OUT)
print: export PRINT_OPTIONS := $(value OPTIONS)
print: .venv/.use ## Print a page: make print URL=https://... [OUT=out.pdf] [OPTIONS="--paper A5"]
	@$(PY) scripts/print

test: .venv/.develop ## Run the tests, all but the slowest (10 minutes) or some: make test [TESTS=tests/render]
	@echo 'make test: $(or $(TESTS),all tests but those of tests/thorough.txt: 10 minutes on two processors; make smoke takes one)'
	$(PYTEST) $(TESTS)

test-all: .venv/.develop ## Run all tests, with more of what is generated, combined and killed at random
	THOROUGH=1 $(PYTEST) $(TESTS)

smoke: .venv/.develop ## Run the quickest tests of every part, in under a minute
	$(PYTEST) -m smoke

coverage: .venv/.develop ## Run the tests and report which lines of printer/ they do not run
	rm -f .coverage .coverage.*
	.venv/bin/coverage run -m pytest $(PYTEST_OPTIONS) $(TESTS)
	.venv/bin/coverage combine --quiet
	.venv/bin/coverage report

lint: .venv/.develop ## Check style, types, the directions of imports, and the JavaScript
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-cache
	.venv/bin/oxlint

format: .venv/.develop ## Put the code in its standard form
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: .venv/$(if $(QUICK),.develop,.bench) ## Measure all, beside others: make bench [BUDGET=20 (minutes)] [QUICK=1]
	$(PY) -m benchmarks $(if $(QUICK),--quick) $(if $(BUDGET),--budget $(BUDGET)) \
		$(if $(STEP),--step $(STEP)) $(if $(CHOICES),--choices $(CHOICES)) $(BENCHMARKS)

samples: .venv/.develop ## Print the sample pages again, and make the pictures of README.md and docs
	$(PY) samples/make_samples.py
	$(PY) samples/make_specimen.py
	$(PY) samples/make_themes.py
	$(PY) samples/make_screens.py
	$(PY) samples/make_server_pages.py

fuzz: .venv/.develop ## Fuzz what reads strangers' bytes: make fuzz [TIME=60] [TARGETS=feeds]
	PYTHONHASHSEED=0 $(PY) -m tests.fuzz --seconds $(TIME) --seed $(SEED) $(TARGETS)

api: .venv/.develop ## Write docs/api.md and the manual page docs/webprint.1 from the code
	$(PY) scripts/api_reference.py

docs: .venv/.docs ## Build the documentation as a searchable site in build/site
	$(PY) scripts/site_source.py build/site-source
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet
	@echo 'make docs: build/site/index.html; to read it: $(PY) -m http.server -d build/site'

dist: .venv/.docs ## Build the wheel and the sdist in dist/, always the same bytes, and check them
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1700000000) $(PY) -m hatchling build
	.venv/bin/twine check --strict dist/*

audit: .venv/.develop ## Ask a public database for known faults of what is installed
	@test -x .venv/audit/bin/pip-audit || { $(PY) -m venv .venv/audit && \
	    .venv/audit/bin/pip install --quiet --disable-pip-version-check 'pip-audit>=2.10,<3'; }
	.venv/audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip

clean: ## Remove what the other commands made, the virtual environment too
	rm -rf .venv benchmarks/node/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.use: pyproject.toml constraints.txt scripts/setup
	@scripts/setup use

.venv/.develop: pyproject.toml constraints.txt scripts/setup
	@scripts/setup develop

.venv/.docs: .venv/.develop
	@echo 'installing what builds the documentation and checks the packages: about 30 Python packages'
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs --group dist
	@touch $@

.venv/.bench: pyproject.toml constraints.txt scripts/setup benchmarks/node/package.json
	@scripts/setup bench
