# Every target that needs the environment makes it by itself: .venv, with the versions of requirements.lock.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
GEN := proto/gen/python
WORKERS := 4
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal
KIT_TESTS := tests/sample_bots/test_kits.py

.PHONY: help install lock proto format lint types bots check-bots test test-ci test-browser test-kits chaos check play
.PHONY: watch pictures tournament tournament-languages ratings bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: $(VENV)/.done ## make .venv with the locked versions

$(VENV)/.done: requirements.lock pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

lock: install ## write requirements.lock anew from pyproject.toml
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --quiet -o requirements.lock

proto: install ## generate the Python messages from proto/
	$(BIN)/python proto/generate.py $(GEN)

format: install ## format the Python code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet .

lint: install ## check format, lint and generated code
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/python proto/generate.py --check $(GEN)

types: install ## check the types
	$(BIN)/mypy

bots: install ## build the bots of every kit whose tools are there
	$(BIN)/tortuga bot build --all

check-bots: install ## run every kit's own tests, linter and formatter, where its tools are
	$(BIN)/python -m server.bots.checks

test: install ## run the Python tests in ten to fifteen minutes; needs nothing but Python
	$(PYTEST) --ignore $(KIT_TESTS)
	@echo "The kits of the other languages were not tested: make test-kits"

test-ci: install ## run again, in their normal size, the Python tests that `make test` makes smaller or leaves out
	TORTUGA_TESTS=ci $(PYTEST) -m "(sized or slow) and not browser" --ignore $(KIT_TESTS)

test-browser: WORKERS := 2
test-browser: install ## run the tests that need a browser (Debian: chromium), in their normal size
	CI=true TORTUGA_TESTS=ci $(PYTEST) tests/browser

test-kits: bots ## build the kits of all languages whose tools are there, and test them
	$(PYTEST) $(KIT_TESTS)
	$(BIN)/python -m server.bots.checks

chaos: install ## all repetitions: 30 kills -9 of events of six formats, a day of an arena, more games; half an hour
	TORTUGA_TESTS=full $(BIN)/pytest -n auto -v -m "sized or slow" --ignore $(KIT_TESTS)

check: test test-ci test-browser lint types test-kits ## all that CI checks

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
