# SPDX-License-Identifier: Apache-2.0
# Builds cltune and libcltunedb, runs their tests, installs them.
#
#   make                 build/cltune, build/libcltunedb.{a,so} and build/libcltune-layer.so
#   make check           every test
#   make benches         what scripts/bench-* run
#   make asan            every test under AddressSanitizer and UndefinedBehaviorSanitizer
#   make lint            clang-format, clang-tidy, cppcheck
#   make install         DESTDIR= PREFIX=/usr/local
#   make install-doc     the manual of space files and its examples
#   make clean
#
# Variables: BUILD (folder), CC, CFLAGS, LDFLAGS, STATIC=1 (link the libraries that other
# machines may lack statically; OpenCL is never linked, it is loaded when needed),
# HARDENING= (leave out the compiler's and linker's protections below).

VERSION := 0.1.0
comma := ,
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/cltune
DOCDIR ?= $(PREFIX)/share/doc/cltune

CC ?= cc
CFLAGS ?= -O2 -g
WARNINGS := -Werror=implicit-function-declaration -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wvla -Wformat=2
WERROR ?=
CT_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -Ituner -I. $(WARNINGS) $(WERROR) \
    -DCT_VERSION='"$(VERSION)"' -DCL_TARGET_OPENCL_VERSION=300

# Protections that CC has, asked of itself, since not every compiler has all; scripts/check-hardening
# looks for them in what was built.  Fortified functions need the optimizer, and hide errors
# from sanitizers, which look themselves.
HARDENING ?= 1
accepted = $(shell $(CC) -Werror $(1) -fsyntax-only -x c /dev/null 2>/dev/null && echo '$(1)')
links = $(shell echo 'int main(void) { return 0; }' | $(CC) -Werror $(1) -fPIC -x c - \
    -o $(2) 2>/dev/null && echo '$(1)'; rm -f $(2))
ifneq ($(HARDENING),)
optimized := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
ifneq ($(optimized),)
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring _FORTIFY_SOURCE,$(CFLAGS)),)
fortified = $(shell printf '\043include <features.h>\n' | $(CC) -Werror -O2 -U_FORTIFY_SOURCE \
    -D_FORTIFY_SOURCE=$(1) -E - >/dev/null 2>&1 && echo $(1))
FORTIFY := $(firstword $(call fortified,3) $(call fortified,2))
endif
endif
HARDEN_CFLAGS := $(if $(FORTIFY),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(FORTIFY)) \
    $(call accepted,-fstack-protector-strong) $(call accepted,-fstack-clash-protection)
probe := $(shell mktemp -u)
HARDEN_LDFLAGS := $(call links,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now,$(probe)) \
    $(call links,-Wl$(comma)-z$(comma)noexecstack,$(probe))
PIE := $(call links,-pie,$(probe))
CT_CFLAGS += $(HARDEN_CFLAGS)
endif

# Modules in order of dependency, the lowest last (see doc/architecture.md).
MODULES := cli report capture tune judge schedule worker protocol replay online search space plan db spacefile device base
PACKAGES := sqlite3 inih jansson libxxhash smartcols zlib
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
ifeq ($(STATIC),1)
# libsmartcols is part of util-linux: it is on every machine, and has no static form.
PKG_LIBS := -Wl,-Bstatic -lsqlite3 -linih -ljansson -lxxhash -lz -Wl,-Bdynamic -lsmartcols
else
PKG_LIBS := -lsqlite3 -linih -ljansson -lxxhash -lsmartcols -lz
endif
LIBS = $(PKG_LIBS) -lm -ldl -lpthread

sources = $(if $(filter db,$(1)),$(wildcard db/*.c),$(wildcard tuner/$(1)/*.c tuner/$(1)/*/*.c))
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
archives = $(patsubst %,$(BUILD)/lib-%.a,$(MODULES))

.DEFAULT_GOAL := all
.PHONY: all
all: $(BUILD)/cltune $(BUILD)/libcltunedb.a $(BUILD)/libcltunedb.so $(BUILD)/libcltune-layer.so

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CT_CFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Objects of a module whose source is made here.
made-db = $(BUILD)/db/migrations.o $(BUILD)/db/objects.o
made-tune = $(BUILD)/tuner/tune/peak_files.o
made-report = $(BUILD)/tuner/report/html_files.o $(BUILD)/tuner/report/repro_files.o

define module_rule
$$(BUILD)/lib-$(1).a: $$(call objects,$(1)) $$(made-$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
endef
$(foreach module,$(MODULES),$(eval $(call module_rule,$(module))))

# The schema is SQL in files of its own, what `cltune peak` runs are space files with their
# kernels: both travel inside the program.
SCHEMA := $(sort $(wildcard db/schema/*.sql))
SCHEMA_OBJECTS := db/schema/objects.txt
PEAK_FILES := spaces/copy.ini spaces/mad.ini kernels/copy.cl kernels/copy_reference.c \
    kernels/mad.cl kernels/mad_host.c kernels/mad_reference.c
$(BUILD)/db/migrations.c: $(SCHEMA) scripts/embed
	@mkdir -p $(@D)
	scripts/embed db/migrations.h ct_migrations $(SCHEMA) >$@.tmp && mv $@.tmp $@
$(BUILD)/db/objects.c: $(SCHEMA_OBJECTS) scripts/embed
	@mkdir -p $(@D)
	scripts/embed db/migrations.h ct_schema_objects $(SCHEMA_OBJECTS) >$@.tmp && mv $@.tmp $@
$(BUILD)/tuner/tune/peak_files.c: $(PEAK_FILES) scripts/embed
	@mkdir -p $(@D)
	scripts/embed tune/peak_files.h ct_peak_files $(PEAK_FILES) >$@.tmp && mv $@.tmp $@
# The report's page, styles and scripts, and ECharts.
HTML_FILES := $(sort $(wildcard tuner/report/html/*)) tuner/report/vendor/echarts/echarts.min.js
$(BUILD)/tuner/report/html_files.c: $(HTML_FILES) scripts/embed
	@mkdir -p $(@D)
	scripts/embed report/html_files.h ct_html_files $(HTML_FILES) >$@.tmp && mv $@.tmp $@
# The code of the programs that `cltune repro` writes.
REPRO_FILES := $(sort $(wildcard tuner/report/repro/*))
$(BUILD)/tuner/report/repro_files.c: $(REPRO_FILES) scripts/embed
	@mkdir -p $(@D)
	scripts/embed report/repro_files.h ct_repro_files $(REPRO_FILES) >$@.tmp && mv $@.tmp $@
$(BUILD)/db/migrations.o $(BUILD)/db/objects.o $(BUILD)/tuner/tune/peak_files.o \
    $(BUILD)/tuner/report/html_files.o $(BUILD)/tuner/report/repro_files.o: $(BUILD)/%.o: $(BUILD)/%.c
	$(CC) $(CT_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/cltune: $(BUILD)/tuner/main.o $(archives)
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $(BUILD)/tuner/main.o $(archives) $(LIBS)

# The library: looking up, and online tuning with the program's own strategies; nothing else visible.
DB_OBJECTS = $(foreach module,online search space plan db spacefile base,$(call objects,$(module))) \
    $(made-db)
$(BUILD)/libcltunedb.a: $(DB_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/libcltunedb.so: $(DB_OBJECTS) db/cltunedb.map
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,libcltunedb.so.0 \
	    -Wl,--version-script=db/cltunedb.map -o $@ $(DB_OBJECTS) \
	    -lsqlite3 -linih -ljansson -lxxhash -lm -lpthread

# The layer that OpenCL programs load: nothing but the functions of OpenCL is visible, and it uses
# no library but the hash's.
LAYER_OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tuner/layer/*.c)) \
    $(patsubst %,$(BUILD)/tuner/%.o,base/create base/err base/hash base/mem base/str \
    spacefile/arg_type spacefile/source_strip)
$(BUILD)/libcltune-layer.so: $(LAYER_OBJECTS) tuner/layer/layer.map
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,libcltune-layer.so \
	    -Wl,-Bsymbolic-functions -Wl,--version-script=tuner/layer/layer.map -o $@ \
	    $(LAYER_OBJECTS) -lxxhash -lm -ldl -lpthread

# --- tests ---
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))
CL_TESTS := $(patsubst tests/cl/%.c,$(BUILD)/tests/cl/%,$(wildcard tests/cl/test_*.c))
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,$(wildcard tests/bench/*.c))
FAULT_TESTS := $(patsubst tests/fault/%.c,$(BUILD)/tests/fault/%,$(wildcard tests/fault/test_*.c))

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(archives)
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(archives) -lcmocka $(LIBS)
$(BUILD)/tests/cl/%: $(BUILD)/tests/cl/%.o $(archives)
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< $(archives) -lcmocka $(LIBS)
# What measures memory must not hold libraries that it does not use.
$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(archives)
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $< $(archives) $(LIBS)
$(BUILD)/tests/fault/%: $(BUILD)/tests/fault/%.o
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< -lcmocka -lOpenCL -lm

# Applications for the layer, which know nothing of cltune.
APPS := $(patsubst tests/apps/%.c,$(BUILD)/tests/apps/%,$(wildcard tests/apps/*.c))
$(BUILD)/tests/apps/%: $(BUILD)/tests/apps/%.o
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $< -lOpenCL -lpthread

# The virtual driver, found through OCL_ICD_VENDORS=$(BUILD)/tests/fault/vendors only.
VCL_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fault/vcl_*.c))
$(BUILD)/tests/fault/libcltune-virtual.so: $(VCL_OBJECTS)
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -o $@ $^ -lm
$(BUILD)/tests/fault/vendors/virtual.icd: $(BUILD)/tests/fault/libcltune-virtual.so
	@mkdir -p $(@D)
	echo $(abspath $<) >$@

# A stand-in for NVIDIA's library of sensors, found through LD_LIBRARY_PATH=this folder.
FAKE_NVML := $(BUILD)/tests/nvml/libnvidia-ml.so.1
$(FAKE_NVML): $(BUILD)/tests/fault/fake_nvml.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,libnvidia-ml.so.1 -o $@ $^

.PHONY: benches
benches: all $(BENCHES)

.PHONY: tests
tests: benches $(UNIT_TESTS) $(CL_TESTS) $(FAULT_TESTS) $(APPS) $(BUILD)/tests/fault/vendors/virtual.icd \
    $(FAKE_NVML)

.PHONY: check
check: tests
	scripts/run-tests $(BUILD)

.PHONY: asan
asan:
	$(MAKE) BUILD=$(BUILD)-asan CFLAGS="-O1 -g -fno-omit-frame-pointer \
	    -fsanitize=address,undefined -fno-sanitize-recover=undefined" check

.PHONY: lint
lint:
	scripts/lint $(BUILD)

.PHONY: format
format:
	clang-format -i $$(git ls-files '*.c' '*.h')

# --- installing ---
.PHONY: install
install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR) \
	    $(DESTDIR)$(LIBDIR)/cmake/cltunedb \
	    $(DESTDIR)$(DATADIR)/spaces $(DESTDIR)$(DATADIR)/kernels $(DESTDIR)$(DATADIR)/mini \
	    $(DESTDIR)$(DATADIR)/echarts
	install -m 755 $(BUILD)/cltune $(DESTDIR)$(BINDIR)/cltune
	install -m 644 $(BUILD)/libcltunedb.a $(DESTDIR)$(LIBDIR)/libcltunedb.a
	install -m 755 $(BUILD)/libcltunedb.so $(DESTDIR)$(LIBDIR)/libcltunedb.so.0
	ln -sf libcltunedb.so.0 $(DESTDIR)$(LIBDIR)/libcltunedb.so
	install -m 755 $(BUILD)/libcltune-layer.so $(DESTDIR)$(LIBDIR)/libcltune-layer.so
	install -m 644 db/cltunedb.h db/cltunedb-binary.h db/cltunedb-tune.h db/cltunedb-cl.h \
	    $(DESTDIR)$(INCLUDEDIR)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    db/cltunedb.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/cltunedb.pc
	sed -e 's|@BINDIR@|$(BINDIR)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    db/cmake/cltunedbConfig.cmake.in >$(DESTDIR)$(LIBDIR)/cmake/cltunedb/cltunedbConfig.cmake
	install -m 644 spaces/*.ini $(DESTDIR)$(DATADIR)/spaces
	install -m 644 kernels/* $(DESTDIR)$(DATADIR)/kernels
	install -m 644 tuner/report/vendor/echarts/LICENSE tuner/report/vendor/echarts/NOTICE \
	    tuner/report/vendor/echarts/LICENSE-d3 $(DESTDIR)$(DATADIR)/echarts
	install -m 644 db/mini/cltunedb-mini.c db/mini/cltunedb-mini.h $(DESTDIR)$(DATADIR)/mini

# The manual links to the examples beside its folder.
.PHONY: install-doc
install-doc:
	install -d $(DESTDIR)$(DOCDIR)/doc
	install -m 644 doc/*.md doc/*.json $(DESTDIR)$(DOCDIR)/doc
	for folder in $(patsubst %/,%,$(sort $(dir $(wildcard examples/*/*)))); do \
	    install -d $(DESTDIR)$(DOCDIR)/$$folder && \
	    install -m 644 $$folder/* $(DESTDIR)$(DOCDIR)/$$folder || exit 1; \
	done

.PHONY: clean
clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-clang

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
