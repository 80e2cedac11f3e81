# SPDX-License-Identifier: BSD-3-Clause
# make, make demo, make check, make install: README.md says what each does.

VERSION := 0.1.0
DESTDIR ?=

# where `make install` puts what; GNU's spelling (libdir=...) does as well
gnu = $(if $(filter command,$(firstword $(origin $(1)))),$($(1)),$(2))
PREFIX ?= $(call gnu,prefix,/usr/local)
LIBDIR = $(call gnu,libdir,$(PREFIX)/lib)
INCLUDEDIR = $(call gnu,includedir,$(PREFIX)/include)
DATADIR = $(call gnu,datadir,$(call gnu,datarootdir,$(PREFIX)/share))
MANDIR = $(call gnu,mandir,$(DATADIR)/man)
DOCDIR = $(call gnu,docdir,$(DATADIR)/doc/ftmpi)
# of mpif.h and the Fortran modules; and of libmpi_abi.so.1, a name that other MPIs have, too
FORTRANDIR = $(INCLUDEDIR)
ABIDIR = $(LIBDIR)

CC ?= cc
CFLAGS ?= -O2 -g
B ?= build
O := $(B)/obj
SAN ?=
# make V=1 shows the commands
Q := $(if $(V),,@)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef -Werror
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -fPIC -fno-semantic-interposition -pthread $(WARN) $(CFLAGS) $(SAN)
CPPFLAGS += -Iinclude -Ilib
LIBS := -levent_core -lsodium -lxxhash -lpthread

LIB_SRC := $(wildcard lib/base/*.c lib/transport/*.c lib/heartbeat/*.c lib/coord/*.c lib/ckpt/*.c lib/launch/*.c lib/image/*.c lib/mpi/*/*.c) \
	$(addprefix lib/keeper/,client.c frames.c keeper_handshake.c link.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o) $(O)/lib/mpi/stubs.o
SO := $(B)/lib/libftmpi.so.0
LIBRARIES := $(SO) $(B)/lib/libftmpi.so $(B)/lib/libmpi_abi.so.1 $(B)/lib/libftmpi.a

# by their folders in bin/tests/programs
PROGRAMS := closed_streams p2p pingpong bound collective nonblocking repeated onesided comms comms_exhausted graphs intercomm neighbors datatypes \
	badcall environment info_objects init_calls sessions dump_queues sent_bytes tool_interface \
	progress threads threads_exit threads_many threads_wake cgs mail passnum pi connect_later \
	ckpt_calls input input_order line_traffic meanwhile reexec regions transit uncut \
	asks_again choices ckpt_no_wait diverge farm fewer halo mixed places hindered shared_log unmatched mpmd one_way open_at_restore partial_message slow_lines stepped_kill two_threads window_cut load met_before open_alone posted_again unsaved randtest
# these look inside the library, whose own names are not to be seen from outside
INSIDE := own_descriptors safe_points woken_rank
PROGRAM_BIN := $(PROGRAMS:%=$(B)/bin/%) $(INSIDE:%=$(B)/bin/%)

TOOL := $(B)/bin/ftmpi-ckpt
TOOL_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard bin/ckpt/*.c lib/ckpt/*.c lib/base/*.c) lib/coord/orphans.c lib/image/contents.c lib/mpi/type/type_table.c)

KEEPER := $(B)/bin/ftmpi-keeper
KEEPER_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard bin/keeper/*.c lib/keeper/*.c lib/base/*.c))

all: product $(PROGRAM_BIN)

# what is installed
product: $(LIBRARIES) $(TOOL) $(KEEPER) $(B)/man/made $(B)/completions/made

# ---- the library ----

$(O)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# gcc vectorises most of these loops at -O3 only
$(O)/lib/mpi/type/op_kernels.o: CFLAGS += -O3

# the memory under these is exchanged for an image's, and with it what a canary is compared with
LOADS_IMAGES := load exchange state files_open files_lock_take threads context
$(LOADS_IMAGES:%=$(O)/lib/image/%.o): ALL_CFLAGS += -fno-stack-protector

$(O)/lib/mpi/stubs.c: include/mpi.h lib/mpi/gen_stubs.pl lib/mpi/Prototypes.pm $(wildcard lib/mpi/*/*.c)
	@mkdir -p $(@D)
	@echo "  GEN $@"
	$(Q)perl lib/mpi/gen_stubs.pl include/mpi.h $(wildcard lib/mpi/*/*.c) >$@.new && mv $@.new $@

$(O)/lib/mpi/stubs.o: $(O)/lib/mpi/stubs.c
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(SO): $(LIB_OBJ) lib/ftmpi.map
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libftmpi.so.0 -Wl,--version-script=lib/ftmpi.map \
		-o $@ $(LIB_OBJ) $(LIBS)

$(B)/lib/libftmpi.so $(B)/lib/libmpi_abi.so.1: $(SO)
	$(Q)ln -sf libftmpi.so.0 $@

# one object, so that nothing but the interface is visible
$(B)/lib/libftmpi.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  AR $@"
	$(Q)ld -r -o $(O)/ftmpi-all.o $(LIB_OBJ)
	$(Q)objcopy --wildcard --keep-global-symbol='MPI_*' --keep-global-symbol='PMPI_*' \
		--keep-global-symbol='FTMPI_*' $(O)/ftmpi-all.o
	$(Q)rm -f $@ && ar rcs $@ $(O)/ftmpi-all.o

# ---- Fortran ----

include lib/fortran/fortran.mk
include bin/tests/fortran/programs.mk

# ---- tools ----

$(TOOL): $(TOOL_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(LIBS)

$(KEEPER): $(KEEPER_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(KEEPER_OBJ) $(LIBS)

# ---- manual pages ----

# a page of section 3 for each call of ftmpi.h
$(B)/man/made: include/ftmpi.h doc/man/gen_calls.pl
	@rm -rf $(B)/man && mkdir -p $(B)/man/man3
	@echo "  GEN $(B)/man/man3"
	$(Q)perl doc/man/gen_calls.pl include/ftmpi.h $(B)/man/man3 >$@.new && mv $@.new $@

# what bash completes for the commands
$(B)/completions/made: $(wildcard bin/lib/FTMPI/Cli/*.pm) bin/lib/FTMPI/Compiler.pm bin/ftmpi-report bin/lib/FTMPI/Report/Options.pm $(TOOL)
	@mkdir -p $(@D)
	@echo "  GEN $(@D)"
	$(Q)perl -Ibin/lib -MFTMPI::Cli::Completion -e 'FTMPI::Cli::Completion::main(@ARGV)' $(@D) $(TOOL) bin/ftmpi-report && touch $@

# ---- test programs ----

include bin/tests/programs/extra.mk

# what several programs share is in the folder itself, the programs are in a folder for each subject
program_c = $(or $(wildcard $(addprefix bin/tests/programs/,$(1).c */$(1).c)),$(error no $(1).c in bin/tests/programs))
program_o = $(foreach name,$(1) prog $(EXTRA_$(1):.o=),$(patsubst %.c,$(O)/%.o,$(call program_c,$(name))))
$(O)/bin/tests/programs/%.o: CPPFLAGS += -iquote bin/tests/programs

define program_rule
$(B)/bin/$(1): $(call program_o,$(1)) $(LIBRARIES)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $(call program_o,$(1)) -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi -lm
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(p))))

define inside_rule
$(B)/bin/$(1): $(call program_o,$(1)) $(LIB_OBJ)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $$^ $$(LIBS) -lm
endef
$(foreach p,$(INSIDE),$(eval $(call inside_rule,$(p))))

include bench/tune/tune.mk
include bench/papers/papers.mk
include bench/slices/slices.mk
include bin/tests/image/image.mk
include bin/tests/programs/plain/plain.mk

# ---- tests ----

include bin/tests/tests.mk

# ---- the rest ----

# what is implemented; a test fails when this was forgotten
functions:
	@perl lib/mpi/gen_functions.pl include/mpi.h lib/mpi/functions.txt $(wildcard lib/mpi/*/*.c) >doc/functions.md.new && \
		mv doc/functions.md.new doc/functions.md

demo: deps-build
	@$(MAKE) --no-print-directory -j2 all
	@FTMPI_PROGRAMS=$(abspath $(B)/bin) bin/tests/demo

deps deps-build:
	@sh bin/tests/deps.sh $@

# libexec/install.pl says what goes where, and that `make uninstall` wants the same places. mpicc, mpirun and the like are in a
# folder of their own, to be put in PATH; with MPI_NAMES=1 in bin, too.
MPI_NAMES ?=
PLACES := PREFIX LIBDIR INCLUDEDIR FORTRANDIR ABIDIR DATADIR MANDIR DOCDIR
RUN_INSTALL = @perl libexec/install.pl $@ $(foreach name,DESTDIR $(PLACES) B VERSION MPI_NAMES,'$(name)=$($(name))') 'FORTRAN=$(HAVE_FORTRAN)'

install: product
	$(RUN_INSTALL)

uninstall:
	$(RUN_INSTALL)

# the source, the same bytes for the same commit
DIST := $(B)/ftmpi-$(VERSION).tar.gz

dist:
	@sh libexec/dist.sh '$(VERSION)' '$(DIST)'

# Debian packages
DEB := $(B)/deb

deb:
	@sh bin/tests/deps.sh deps-deb
	@sh libexec/deb.sh '$(VERSION)' '$(DEB)'

clean:
	rm -rf build build-*

format:
	clang-format -i $(wildcard lib/*/*.[ch] lib/mpi/*/*.[ch] bin/ckpt/*.[ch] bin/keeper/*.[ch] bin/tests/*/*.[ch] bin/tests/*/*/*.[ch] bench/papers/*.[ch])

bench: all slices
	@sh bin/tests/deps.sh deps-bench
	@bench/run

# its rows about message logging alone
bench-msglog: all
	@sh bin/tests/deps.sh deps-bench
	@bench/run -only '^msglog_' -o bench/results/msglog.md

# beside what inventors measured: Event Logging, which takes an hour, and message logging
papers: deps-build all
	@bench/papers/run
	@bench/papers/v2

.PHONY: functions bench bench-msglog slices papers all product demo deps deps-build install uninstall dist deb clean format

-include $(LIB_OBJ:.o=.d) $(TOOL_OBJ:.o=.d) $(KEEPER_OBJ:.o=.d) $(wildcard $(O)/bin/tests/*/*.d $(O)/bin/tests/*/*/*.d)
