# Ottla's verbs. Each works from a bare clone on a machine with Python 3.11+, git and make: what it needs it installs
# into .venv, from the versions pinned in requirements/dev.txt.
#
# make PYTHON=python3.13 VENV=.venv313 test    does the same with another Python, beside the first.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLIENTS := $(VENV)/.clients
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SHELL := /bin/bash

.DEFAULT_GOAL := help
.PHONY: help setup up fmt lint type test sim integration bench docs

help: # (not a verb: prints the others)
	@echo "Ottla: make VERB"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1@\2/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-14s%s\n", $$1, $$2 }'

# The kernel is compiled in here; where that fails, the install goes on and the pure-Python twin is used.
$(STAMP): requirements/dev.txt pyproject.toml setup.py $(wildcard src/ottla/protocol/records/kernel/*.p[yx][xid])
	@$(PYTHON) -c 'import sys; sys.exit("Ottla needs Python 3.11+; name one: make PYTHON=python3.12") if sys.version_info < (3, 11) else 0'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --requirement requirements/dev.txt
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

setup: $(STAMP) ## make the virtual environment, install Ottla into it and build the kernel

up: $(STAMP) ## start a broker on localhost:9092 with its data in ./data, and say what to type next
	@$(BIN)/ottla server start --daemon
	@echo "Try:  echo 'hello, world' | $(BIN)/python -m kafka.producer -b localhost:9092 -t hello"
	@echo "      $(BIN)/python -m kafka.consumer -b localhost:9092 -t hello -C auto_offset_reset=earliest"
	@echo "      $(BIN)/ottla server stop"

fmt: $(STAMP) ## format the code and sort its imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(STAMP) ## style, our own rules, import contracts between the layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m tools.tidy
	$(BIN)/lint-imports --no-logo

type: $(STAMP) ## mypy, strict, over sources and tests
	$(BIN)/mypy

test: lint type ## everything that needs no other program: static checks, unit, script and property tests
	$(BIN)/pytest -n 2

# make sim SEEDS=100, make sim SUITE=ledger, make sim SUITE=ledger SEED=7 (shows the trace)
sim: $(STAMP) ## simulated machines under seeded faults, a thousand seeds a suite; SUITE=, SEEDS=, SEED=
	@$(BIN)/python -m tests.simulation $(addprefix --suite=,$(SUITE)) $(addprefix --seeds=,$(SEEDS)) \
		$(addprefix --seed=,$(SEED))

# What other people's clients need besides, in the tests alone.
$(CLIENTS): $(STAMP) requirements/clients.txt
	$(PIP) --requirement requirements/clients.txt
	@touch $@

integration: $(CLIENTS) ## other people's clients and Kafka's own tools, as real processes on loopback
	$(BIN)/pytest tests/integration

bench: $(STAMP) ## speed side by side with other implementations, in one run
	$(BIN)/python -m bench

docs: $(STAMP) ## write the generated pages and modules anew, and check every link
	$(BIN)/python -m tools.generate
	$(BIN)/pytest tests/unit/test_docs.py
