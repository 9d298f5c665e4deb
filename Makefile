# SPDX-License-Identifier: Apache-2.0
# Builds cltune and libcltunedb, runs their tests, installs them.
#
#   make                 build/cltune, build/libcltunedb.{a,so} and build/libcltune-layer.so
#   make check           every test
#   make benches         what scripts/bench-* run
#   make asan            every test under AddressSanitizer and UndefinedBehaviorSanitizer
#   make lint            clang-format, clang-tidy, cppcheck
#   make man             the man pages, with scdoc (scripts/man.mk)
#   make install         DESTDIR= PREFIX=/usr/local
#   make install-doc     the manual of space files and its examples
#   make uninstall       removes what both have installed
#   make dist            cltune-VERSION.tar.gz, the same bytes whenever it is made
#   make version         prints the version
#   make clean
#
# Variables: BUILD (folder), CC, CPPFLAGS, CFLAGS, LDFLAGS, PKG_CONFIG, STATIC=1 (link the
# libraries that other machines may lack statically; OpenCL is never linked, it is loaded when
# needed), HARDENING= (leave out the compiler's and linker's protections below).  To build for
# another processor, set CC, AR and PKG_CONFIG; scripts/check-cross shows how.

# The version (https://semver.org) is in db/cltunedb.h only; CHANGELOG.md and
# packaging/debian/changelog say what is new in it.  SOVERSION changes when programs that use
# libcltunedb have to be compiled again.
version_part = $(shell sed -n 's/^.define CLTUNEDB_VERSION_$(1) *\([0-9]*\)$$/\1/p' db/cltunedb.h)
VERSION := $(call version_part,MAJOR).$(call version_part,MINOR).$(call version_part,RELEASE)
SOVERSION := 0
comma := ,
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
# The program looks for the layer beside itself, in ../lib, ../lib64 and ../lib/cltune.
LAYERDIR ?= $(LIBDIR)
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/cltune
DOCDIR ?= $(PREFIX)/share/doc/cltune

CC ?= cc
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
WARNINGS := -Werror=implicit-function-declaration -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wvla -Wformat=2
WERROR ?=
# Large files and dates after 2038 where the C library would default to 32 bits.
CT_32BIT := -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
CT_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L $(CT_32BIT) -fPIC -Ituner -I. $(WARNINGS) $(WERROR) \
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
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),)
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
# The same bytes in whatever folder they are built (scripts/check-reproducible).
CT_CFLAGS += $(call accepted,-ffile-prefix-map=$(CURDIR)=.) \
    $(call accepted,-ffile-prefix-map=$(abspath $(BUILD))=build)

# Modules in order of dependency, the lowest last (see doc/architecture.md).
MODULES := cli report init capture tune judge schedule worker protocol replay online search space plan db spacefile device base
PACKAGES := sqlite3 inih jansson libxxhash smartcols zlib
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
ifeq ($(STATIC),1)
# libsmartcols is part of util-linux: it is on every machine, and has no static form.
PKG_LIBS := -Wl,-Bstatic -lsqlite3 -linih -ljansson -lxxhash -lz -Wl,-Bdynamic -lsmartcols
else
PKG_LIBS := -lsqlite3 -linih -ljansson -lxxhash -lsmartcols -lz
endif
LIBS = $(PKG_LIBS) -lm -ldl -lpthread

sources = $(sort $(if $(filter db,$(1)),$(wildcard db/*.c),$(wildcard tuner/$(1)/*.c tuner/$(1)/*/*.c)))
objects = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
archives = $(patsubst %,$(BUILD)/lib-%.a,$(MODULES))

.DEFAULT_GOAL := all
.PHONY: all
all: $(BUILD)/cltune $(BUILD)/libcltunedb.a $(BUILD)/libcltunedb.so $(BUILD)/libcltune-layer.so

COMPILE = $(CC) $(CT_CFLAGS) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS)
$(BUILD)/%.o: %.c $(BUILD)/version
	$(COMPILE) -MMD -MP -c $< -o $@

# Another version is a reason to compile again. The folders of all objects are made here at once, not by a
# process for each.
folders = $(sort $(dir $(shell find $(wildcard db tuner tests) -name '*.c')))
.PHONY: always
$(BUILD)/version: always
	@mkdir -p $(BUILD) $(addprefix $(BUILD)/,$(folders))
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@

# inih does not know its version.
$(BUILD)/tuner/report/version.o: CT_CFLAGS += \
    -DCT_INIH_VERSION='"$(shell $(PKG_CONFIG) --modversion inih 2>/dev/null)"'

# Objects of a module whose source is made here.
made-db = $(BUILD)/db/migrations.o $(BUILD)/db/objects.o
made-tune = $(BUILD)/tuner/tune/peak_files.o
made-report = $(BUILD)/tuner/report/html_files.o $(BUILD)/tuner/report/repro_files.o
made-cli = $(BUILD)/tuner/cli/manual_files.o

# D: no dates and owners.
CT_ARFLAGS := rcsD
define module_rule
$$(BUILD)/lib-$(1).a: $$(call objects,$(1)) $$(made-$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(AR) $$(CT_ARFLAGS) $$@ $$^
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
	$(COMPILE) -c $< -o $@

include scripts/man.mk

$(BUILD)/cltune: $(BUILD)/tuner/main.o $(archives)
	$(CC) $(CFLAGS) $(PIE) $(HARDEN_LDFLAGS) $(LDFLAGS) -o $@ $(BUILD)/tuner/main.o $(archives) $(LIBS)

# The library: looking up, and online tuning with the program's own strategies; nothing else visible.
DB_OBJECTS = $(foreach module,online search space plan db spacefile base,$(call objects,$(module))) \
    $(made-db)
$(BUILD)/libcltunedb.a: $(DB_OBJECTS)
	@rm -f $@
	$(AR) $(CT_ARFLAGS) $@ $^
$(BUILD)/libcltunedb.so: $(DB_OBJECTS) db/cltunedb.map
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -Wl,-soname,libcltunedb.so.$(SOVERSION) \
	    -Wl,--version-script=db/cltunedb.map -o $@ $(DB_OBJECTS) \
	    -lsqlite3 -linih -ljansson -lxxhash -lm -lpthread

# The layer that OpenCL programs load: nothing but the functions of OpenCL is visible, and it uses
# no library but the hash's.
LAYER_OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tuner/layer/*.c)) \
    $(patsubst %,$(BUILD)/tuner/%.o,base/build_options base/create base/err base/hash base/map base/mem \
    base/show base/str spacefile/arg_type spacefile/source_strip)
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

# Layers below cltune's, found through OPENCL_LAYERS: one that runs copies of out-of-order queues late, one that
# calls OpenCL from within its functions, one with handles that are used again, and one whose commands take long.
BELOW_LAYERS := $(patsubst %,$(BUILD)/tests/fault/libcltune-%.so,late calling reuse stuck)
$(BELOW_LAYERS): $(BUILD)/tests/fault/libcltune-%.so: $(BUILD)/tests/fault/%_layer.o
	$(CC) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -shared -o $@ $^ -lOpenCL -lpthread

.PHONY: benches
benches: all $(BENCHES)

.PHONY: tests unit-tests
tests: benches unit-tests $(CL_TESTS) $(APPS) $(FAKE_NVML) $(BELOW_LAYERS)
# The groups unit and fault of scripts/run-tests, which need no device.
unit-tests: all $(UNIT_TESTS) $(FAULT_TESTS) $(BUILD)/tests/fault/vendors/virtual.icd

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
# The parts of an installation.  Each installs into $(DESTDIR); uninstall follows by itself.
INSTALL_PARTS := install-program install-library install-data
.PHONY: install $(INSTALL_PARTS)
install: $(INSTALL_PARTS)

install-program: $(BUILD)/cltune $(BUILD)/libcltune-layer.so
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LAYERDIR)
	install -m 755 $(BUILD)/cltune $(DESTDIR)$(BINDIR)/cltune
	install -m 644 $(BUILD)/libcltune-layer.so $(DESTDIR)$(LAYERDIR)/libcltune-layer.so

# What programs that use libcltunedb are built with; @NAME@ is replaced.
configured = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@BINDIR@|$(BINDIR)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
    -e 's|@SOVERSION@|$(SOVERSION)|'
CMAKEDIR = $(LIBDIR)/cmake/cltunedb
install-library: $(BUILD)/libcltunedb.a $(BUILD)/libcltunedb.so
	install -d $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(CMAKEDIR)
	install -m 644 $(BUILD)/libcltunedb.a $(DESTDIR)$(LIBDIR)/libcltunedb.a
	install -m 644 $(BUILD)/libcltunedb.so $(DESTDIR)$(LIBDIR)/libcltunedb.so.$(VERSION)
	ln -sf libcltunedb.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libcltunedb.so.$(SOVERSION)
	ln -sf libcltunedb.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libcltunedb.so
	install -m 644 db/cltunedb.h db/cltunedb-binary.h db/cltunedb-tune.h db/cltunedb-cl.h \
	    $(DESTDIR)$(INCLUDEDIR)
	$(configured) db/cltunedb.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/cltunedb.pc
	for file in cltunedbConfig cltunedbConfigVersion; do \
	    $(configured) db/cmake/$$file.cmake.in >$(DESTDIR)$(CMAKEDIR)/$$file.cmake || exit 1; \
	done

install-data:
	install -d $(DESTDIR)$(DATADIR)/spaces $(DESTDIR)$(DATADIR)/kernels $(DESTDIR)$(DATADIR)/mini \
	    $(DESTDIR)$(DATADIR)/echarts
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
	install -d $(DESTDIR)$(DOCDIR)/doc/man
	install -m 644 doc/man/*.md $(DESTDIR)$(DOCDIR)/doc/man
	for folder in $(patsubst %/,%,$(sort $(dir $(wildcard examples/*/*)))); do \
	    install -d $(DESTDIR)$(DOCDIR)/$$folder && \
	    install -m 644 $$folder/* $(DESTDIR)$(DOCDIR)/$$folder || exit 1; \
	done

# Removes the files that the same command with install would write, and the folders of cltune's own
# that are empty then.
.PHONY: uninstall
uninstall:
	stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && \
	$(MAKE) -s DESTDIR="$$stage" install install-doc && \
	(cd "$$stage" && find . ! -type d) | sed 's|^\./||' | while IFS= read -r file; do \
	    rm -f "$(DESTDIR)/$$file" || exit 1; \
	done && \
	(cd "$$stage" && find . -depth -type d -path '*cltune*') | sed 's|^\./||' | \
	    while IFS= read -r folder; do \
	        [ ! -d "$(DESTDIR)/$$folder" ] || \
	            rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder" || exit 1; \
	    done

.PHONY: version
version:
	@echo $(VERSION)

.PHONY: dist
dist:
	scripts/make-dist $(VERSION)

.PHONY: clean
clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-clang

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)
