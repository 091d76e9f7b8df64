# make run     start the app             make check   lint and check types
# make quick   the short tests           make test    check, and what every change must pass
# make bench   measure speed and memory  make all     check, and every test there is
# make clean   remove what these made
# make messages  collect the texts of the interface for assets/languages/*.po
# make untranslated  list the texts that a language lacks
# make docs    write the API reference into docs/api
# make training  test the translator's training, which lies beside the app
# make wheel   build the package, install it by itself and open every page
# make audit   look for known holes in what is installed
# make lowest or newest   install other versions of what it needs, then quick
# ARGS=...     more options for run, quick, test, all or bench

SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run quick test all training check bench messages untranslated docs wheel audit lowest newest \
  chromium servers clean
.DELETE_ON_ERROR:

run: $(VENV)/run.stamp
	$(BIN)/python -m streamlit run app.py $(ARGS)

# Of two processes each takes half of the tests, in the order that tests/conftest.py gives them, and
# then from the other's: so most servers start in one of them only.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

# The marks are in pyproject.toml.
quick: $(VENV)/dev.stamp
	@$(PYTEST) --hypothesis-profile=quick -m "not (browser or server or slow or all)" $(ARGS)

# Programs are installed while types are checked.
test:
	@$(MAKE) -j2 check chromium
	@CHROMIUM="$$($(FIND_CHROMIUM))" $(PYTEST) -m "not all" $(ARGS)

all:
	@$(MAKE) -j2 check chromium
	@CHROMIUM="$$($(FIND_CHROMIUM))" $(PYTEST) --hypothesis-profile=all $(ARGS)

training: $(VENV)/dev.stamp
	@$(PYTEST) training $(ARGS)

check: $(VENV)/dev.stamp
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/oxlint assets tests
	$(BIN)/python -m mypy

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks $(ARGS)

# Babel's: new texts are added untranslated, those that are gone are removed.
messages: $(VENV)/dev.stamp
	$(BIN)/pybabel extract --no-default-keywords -k tr -k tr_n:1,2 -k mark -c Translators: -s \
	  --add-location=file --sort-by-file -o .messages.pot app.py pages explorer
	for po in assets/languages/*.po; do language=$$(basename $$po .po); \
	  $(BIN)/pybabel update -i .messages.pot -o $$po -l $$language -N --ignore-obsolete \
	    --ignore-pot-creation-date --width 100 || exit 1; done
	rm .messages.pot

untranslated: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.untranslated

docs: $(VENV)/dev.stamp
	$(BIN)/python -W error -m docs.reference docs/api

# PyTorch's small build on Linux, as in requirements.txt.
CPU := --find-links https://download.pytorch.org/whl/cpu/torch/

wheel: $(VENV)/dev.stamp
	rm -rf $(VENV)/wheel
	$(BIN)/python -m pip wheel --no-deps -w $(VENV)/wheel .
	$(BIN)/python -m venv $(VENV)/wheel/bare
	$(VENV)/wheel/bare/bin/python -m pip install $(CPU) "$$(echo $(VENV)/wheel/*.whl)[app]"
	cd $(VENV)/wheel && bare/bin/python -P $(CURDIR)/tests/installed.py

audit: $(VENV)/dev.stamp
	$(BIN)/python -m pip_audit

# The quick tests with the lowest and the newest versions that pyproject.toml allows. They stay
# installed until `make clean`.
UV_INSTALL = $(BIN)/python -m uv pip install --upgrade $(CPU)
WITH_OTHERS = $(MAKE) quick ARGS="--deselect \
  tests/test_package.py::test_every_version_is_pinned_at_the_one_that_is_tested $(ARGS)"

lowest: $(VENV)/dev.stamp
	$(UV_INSTALL) --resolution lowest-direct -r pyproject.toml --extra app --extra models
	$(WITH_OTHERS)

newest: $(VENV)/dev.stamp
	$(UV_INSTALL) -r pyproject.toml --extra app --extra models
	$(WITH_OTHERS)

clean:
	rm -rf $(VENV) docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The virtual environment, updated when a requirements file changes. pip fetches the --find-links
# page once per package. If that page can't be reached, its usual retries take minutes, so only the
# second attempt makes them. Python compiles a module when it is first imported, and most never are.
PIP_INSTALL = $(BIN)/python -m pip --disable-pip-version-check install --no-compile

$(VENV)/run.stamp: requirements.txt constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --retries 1 -r $< || $(PIP_INSTALL) -r $<
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt training/requirements.txt requirements-models.txt \
  requirements.txt constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --retries 1 -r $< || $(PIP_INSTALL) -r $<
	@touch $(VENV)/run.stamp $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo >&2 \
	  "Python 3.11 or newer is needed, and '$(PYTHON)' is not: try make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A Chromium that starts: $CHROMIUM if set, else one on PATH, else the one Playwright fetched.
FIND_CHROMIUM = \
  starts() { "$$1" --version >/dev/null 2>&1 && type -P "$$1"; }; \
  if [ -n "$$CHROMIUM" ]; then starts "$$CHROMIUM"; else \
    starts chromium || starts chromium-browser || starts google-chrome || \
    starts google-chrome-stable || starts "$$($(BIN)/python -c 'import playwright.sync_api as s; \
      p = s.sync_playwright().start(); print(p.chromium.executable_path); p.stop()')"; fi

# The browser tests are never skipped: if there is no browser, one is installed, or this fails.
chromium: $(VENV)/dev.stamp | servers
	@$(FIND_CHROMIUM) || { \
	  [ -z "$$CHROMIUM" ] || { echo "CHROMIUM=$$CHROMIUM does not start" >&2; exit 1; }; \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  if type -P apt-get >/dev/null && $$root true; then \
	    { $$root apt-get update; \
	      $$root apt-get install -y --no-install-recommends chromium </dev/null; } || \
	    $(BIN)/python -m playwright install --with-deps chromium; \
	  else $(BIN)/python -m playwright install chromium; fi; \
	  $(FIND_CHROMIUM) || { echo "The tests need a Chromium, and none could be installed:" \
	    "install one and name it with CHROMIUM=/path/to/it" >&2; exit 1; }; }

# The tests of several replicas, and of rooms that processes share, are not skipped either. (Debian
# installs nginx in a folder that is only on root's PATH, and starts both as services, which are
# disabled here if they are new.)
FIND_SERVER = PATH="$$PATH:/usr/sbin:/usr/local/sbin" type -P

servers:
	@missing=; for one in nginx redis-server; do $(FIND_SERVER) $$one || missing+=" $$one"; done; \
	[ -z "$$missing" ] || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  if type -P apt-get >/dev/null && $$root true; then \
	    $$root apt-get update; \
	    $$root apt-get install -y --no-install-recommends $$missing </dev/null; \
	    [ ! -d /run/systemd/system ] || $$root systemctl disable --quiet --now $$missing; \
	  elif type -P brew >/dev/null; then brew install $${missing/redis-server/redis}; fi; \
	  $(FIND_SERVER) nginx redis-server || { echo "The tests need nginx and redis-server, and they could not be" \
	    "installed: install them, and have them on PATH" >&2; exit 1; }; }
