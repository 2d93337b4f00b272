# The words that people type.  Meson does the work, in build/.
BUILD ?= build
PREFIX ?= /usr/local
# Debian's own name for it, without dpkg-dev too; else meson's choice.
LIBDIR ?= $(addprefix lib/,$(shell $(CC) -print-multiarch 2>/dev/null))
WERROR ?= false
PLUGIN ?= auto
LLVM_PLUGIN ?= auto
DESTDIR ?=
export DESTDIR

.PHONY: all everything setup web test check demo install uninstall bench fuzz lint format clean

# What is installed. The program is $(BUILD)/src/cli/ascribe, and runs from there.
all: setup
	@meson compile -C $(BUILD) programs
	@echo "built: try make demo, or $(BUILD)/src/cli/ascribe record -- ./your-program"

# The tests' programs, too.
everything: setup
	@meson compile -C $(BUILD)

setup: $(BUILD)/build.ninja

$(BUILD)/build.ninja:
	@command -v meson >/dev/null || \
	  { echo "make: meson is not installed: run scripts/install-packages first"; exit 1; }
	@meson setup $(BUILD) --prefix $(PREFIX) $(addprefix --libdir ,$(LIBDIR)) -Dwerror=$(WERROR) -Dgcc_plugin=$(PLUGIN) -Dllvm_plugin=$(LLVM_PLUGIN)

# Installs what is missing, builds, runs every test; the last line is "N passed, N failed".
test:
	@scripts/install-packages test
	@$(MAKE) --no-print-directory everything
	@tests/run $(BUILD)

# The short tier: what is worth running before each commit.
check:
	@scripts/install-packages test
	@$(MAKE) --no-print-directory everything
	@tests/run $(BUILD) --setup short

# Profiles a small program, shows the reports and names a page for the browser.
demo:
	@scripts/install-packages build
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

install: setup
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@$(MAKE) --no-print-directory all
	@meson install -C $(BUILD) --no-rebuild --strip

# Removes what the last `make install` from $(BUILD) wrote, and the folders that it made.
uninstall:
	@ninja -C $(BUILD) uninstall

# Writes docs/BENCHMARKS.md, then checks the intervals' coverage over 2000 runs.
bench: everything
	@bench/run $(BUILD)
	@ASCRIBE=$(BUILD)/src/cli/ascribe tests/scenarios/coverage.py 2000

# Each fuzz target for FUZZ_SECONDS, with clang's libFuzzer. `make test` tries their seeds only,
# unless it is given FUZZ_SECONDS, too.
fuzz: export FUZZ_SECONDS ?= 60
fuzz:
	@scripts/install-packages test
	@$(MAKE) --no-print-directory everything
	@tests/run $(BUILD) --suite fuzz

# Builds the viewer's pages, web/dist, anew. They are kept with the source, so that only who changes
# web/src needs Node (scripts/install-packages test).
web:
	@cd web && npm ci --no-audit --no-fund && npm run check && npm run build

lint:
	@scripts/install-packages lint
	@$(MAKE) --no-print-directory everything
	@scripts/lint $(BUILD)

format:
	@git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(BUILD)-sanitized build-demo
