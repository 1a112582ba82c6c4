# Every target that needs the environment makes it by itself: .venv, with the versions of requirements.lock.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
GEN := proto/gen/python
WORKERS := 3
PYTEST = $(BIN)/pytest -rs -n $(WORKERS) --dist worksteal
KIT_TESTS := tests/sample_bots/test_kits.py
# uv installs in seconds what takes pip a minute, but reads no settings of pip (a company's own index): then pip does it.
UV_SYNC = $(BIN)/uv pip install --quiet --python $(BIN)/python --system-certs --compile-bytecode --require-hashes \
  -r requirements.lock && $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
PIP_SYNC = $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
  $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
# Without bytecode every process of a test would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install wheel lock proto docs format lint types bots check-bots test test-system test-browser test-kits test-kit-bots approve soak chaos check play
.PHONY: watch pictures tournament tournament-languages ratings bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.done ## make .venv with the locked versions

$(VENV)/.done: requirements.lock pyproject.toml
	python3 -m venv $(VENV)
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock >$(VENV)/uv.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.lock
	($(UV_SYNC)) || ($(PIP_SYNC))
	@touch $@

wheel: install ## build dist/tortuga_arena-VERSION-py3-none-any.whl, to install Tortuga where there is no checkout
	$(BIN)/python -m hatchling build -t wheel -d dist

lock: install ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --quiet -o requirements.lock

proto: install ## generate the Python messages from proto/
	$(BIN)/python proto/generate.py $(GEN)

docs: install ## write docs/commands.md, and the rules that bots are sent
	$(BIN)/python docs/generate.py

format: install ## format the Python code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet .

lint: install ## check format, lint, generated code and generated pages
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/python proto/generate.py --check $(GEN)
	$(BIN)/python docs/generate.py --check

types: install ## check the types
	$(BIN)/mypy

bots: install ## build the bots of every kit whose tools are there
	$(BIN)/tortuga bot build --all

check-bots: install ## run every kit's own tests, linter and formatter, where its tools are
	PYTHONPATH=tests $(BIN)/python -m support.kit_checks

test: install ## run the Python tests: about two minutes; needs nothing but Python
	$(PYTEST) -m "not system" --ignore $(KIT_TESTS)
	@echo "Left out: whole systems (make test-system), a browser (make test-browser), other languages (make test-kits)"

test-system: install ## run whole commands, arenas and clusters, and in their normal size the tests that `make test` makes smaller
	TORTUGA_TESTS=ci $(PYTEST) -m "(system or sized) and not browser" --ignore $(KIT_TESTS)

test-browser: WORKERS := 2
test-browser: install ## run the tests that need a browser (Debian: chromium), in their normal size
	CI=true TORTUGA_TESTS=ci $(PYTEST) tests/browser

test-kits: test-kit-bots check-bots ## build the kits of all languages whose tools are there, and test them

test-kit-bots: install
	$(PYTEST) $(KIT_TESTS)

approve: install ## write the whole texts of tests/approved anew: read their diff before you commit it
	rm -f tests/approved/*.txt
	TORTUGA_APPROVE=1 TORTUGA_TESTS=ci $(BIN)/pytest -m approved

soak: install ## run make test ten times, each in another order, five of them beside load, and print a table; an hour
	tests/soak

chaos: install ## all repetitions: 30 kills -9 of events of six formats, a day of an arena, more games; half an hour
	TORTUGA_TESTS=full $(BIN)/pytest -n auto -v -m "(system or sized) and not browser" --ignore $(KIT_TESTS)

check: test test-system test-browser lint types test-kits ## all that CI checks

play: install ## watch two sample bots fight a match
	$(BIN)/tortuga play pavillon_noir --bot gunner --bot random --watch

pictures: install ## write docs/pictures: screenshots of all boards and main pages, by a real browser
	PYTHONPATH=tests $(BIN)/python tests/browser/pictures.py

watch: install ## an arena to look at: sample bots play all games, and a browser shows them; Ctrl-C ends it
	$(BIN)/tortuga serve arenas/watch --demo

tournament: install ## play the example event: all four games, all sample bots; prints four ladders
	@mkdir -p tournaments/four_games
	@cp -n examples/four_games.toml tournaments/four_games/tournament.toml
	$(BIN)/tortuga tournament run tournaments/four_games

tournament-languages: bots ## six languages at the same tables, in all four games
	@mkdir -p tournaments/languages
	@cp -n examples/languages.toml tournaments/languages/tournament.toml
	$(BIN)/tortuga tournament run tournaments/languages

ratings: install ## rate all Python sample bots, two at a table: what docs/games/ shows; hours, and it can be interrupted
	@mkdir -p tournaments/sample_ratings
	@cp -n examples/sample_ratings.toml tournaments/sample_ratings/tournament.toml
	$(BIN)/tortuga tournament run tournaments/sample_ratings

bench: install ## measure the referee; docs/bench.md explains the rows
	$(BIN)/tortuga bench

clean: ## remove the environment, all caches and what was built of the kits
	git clean -fdXq sample_bots
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
