# SPDX-License-Identifier: Apache-2.0
# The manual: pages of doc/ that travel inside the program, man pages made of them by the program
# and scdoc, and completions.  Part of the Makefile.
#
#   make man        build/man/*.[1-8], if scdoc is there
#
# MAN_CLTUNE: a cltune of this version that runs on the building machine, for cross builds.

MANUAL_FILES := $(sort $(filter-out $(addprefix doc/,architecture.md benchmarks.md kernels.md measurements.md messages.md \
    official-score.md),$(wildcard doc/*.md)) $(wildcard doc/man/*.md)) \
    $(addprefix tuner/cli/completion/cltune.,bash zsh fish) \
    db/cltunedb.h db/cltunedb-binary.h db/cltunedb-tune.h db/cltunedb-cl.h db/mini/cltunedb-mini.h
$(BUILD)/tuner/cli/manual_files.c: $(MANUAL_FILES) scripts/embed scripts/man.mk
	@mkdir -p $(@D)
	scripts/embed cli/manual_files.h ct_manual_files $(MANUAL_FILES) >$@.tmp && mv $@.tmp $@
$(BUILD)/tuner/cli/manual_files.o: $(BUILD)/tuner/cli/manual_files.c
	$(CC) $(CT_CFLAGS) $(CFLAGS) -c $< -o $@

# The program says which pages there are, and writes their sources.
MAN_CLTUNE ?= $(BUILD)/cltune
MANDIR ?= $(PREFIX)/share/man
SCDOC := $(shell command -v scdoc 2>/dev/null)
.PHONY: man
ifeq ($(SCDOC),)
man:
	@echo "make: no man pages, since scdoc is missing ('cltune help' shows the same)"
else
man: $(BUILD)/man/.made
$(BUILD)/man/.made: $(MAN_CLTUNE) scripts/make-man
	scripts/make-man $(MAN_CLTUNE) $(@D)
	@touch $@
endif
all: man

BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d
.PHONY: install-man
install-man: man
	for page in $(BUILD)/man/*.[1-8]; do \
	    [ -e "$$page" ] || break; \
	    folder=$(DESTDIR)$(MANDIR)/man$${page##*.}; \
	    install -d "$$folder" && install -m 644 "$$page" "$$folder" || exit 1; \
	done
	install -d $(DESTDIR)$(BASHCOMPDIR) $(DESTDIR)$(ZSHCOMPDIR) $(DESTDIR)$(FISHCOMPDIR)
	install -m 644 tuner/cli/completion/cltune.bash $(DESTDIR)$(BASHCOMPDIR)/cltune
	install -m 644 tuner/cli/completion/cltune.zsh $(DESTDIR)$(ZSHCOMPDIR)/_cltune
	install -m 644 tuner/cli/completion/cltune.fish $(DESTDIR)$(FISHCOMPDIR)/cltune.fish
install: install-man
