# SPDX-License-Identifier: BSD-3-Clause
# Unit tests (Check), job and launcher tests (Perl); sanitized/ has the same under the sanitizers.

UNIT_CFLAGS = $(ALL_CFLAGS) -Ibin/tests/unit
# most of it runs once: -O1 compiles in half the time
$(addprefix $(O)/bin/tests/,unit/%.o programs/%.o fuzz/%.o): ALL_CFLAGS += $(if $(filter -O2,$(CFLAGS)),-O1)
UNIT_LIBS := -lcheck -lsubunit $(LIBS) -lm -lrt

# Objects of lib/mpi by the names of their files, in whichever room.
mpi_o = $(patsubst %.c,%.o,$(foreach name,$(1),$(or $(wildcard lib/mpi/*/$(name).c),$(error no lib/mpi/*/$(name).c))))

# A unit test links with what it tests and no more: NAME := objects of the library, and helpers.
base_o := $(patsubst %.c,%.o,$(wildcard lib/base/*.c))
transport_o := $(patsubst %.c,%.o,$(wildcard lib/transport/*.c))
UNIT_base := $(base_o)
UNIT_match := $(call mpi_o,match match_index) lib/base/slab.o
# the test stands between the index and its memory
$(B)/unit/test_loop: UNIT_LIBS += -Wl,--wrap=pthread_cond_clockwait
$(B)/unit/test_lock: UNIT_LIBS += -Wl,--wrap=syscall,--wrap=pthread_mutex_lock
$(B)/unit/test_match: UNIT_LIBS += -Wl,--wrap=calloc
UNIT_byte_ring := lib/transport/byte_ring.o
UNIT_byte_ring_steps := lib/transport/byte_ring.o lib/base/barrier.o
UNIT_handshake := lib/transport/handshake.o lib/base/auth.o
nodes_o := bin/tests/unit/tp_nodes.o $(transport_o) $(base_o)
UNIT_transport := $(nodes_o)
UNIT_transport_payload := bin/tests/unit/cut.o $(nodes_o)
UNIT_transport_epochs := $(nodes_o)
UNIT_transport_short := $(nodes_o)
UNIT_transport_ring := $(nodes_o)
UNIT_transport_anew := $(nodes_o)
UNIT_transport_sync := $(nodes_o)
UNIT_transport_mend := $(nodes_o)
UNIT_transport_cut := $(nodes_o)
UNIT_transport_come_back := $(nodes_o)
UNIT_transport_memory := bin/tests/unit/cut.o $(nodes_o)
# the test stands between the transport and these
$(B)/unit/test_transport_memory: UNIT_LIBS += -Wl,--wrap=memory_file_make,--wrap=memory_file_open,--wrap=process_vm_readv
$(B)/unit/test_transport_epochs $(B)/unit/test_transport_come_back $(B)/unit/test_transport_cut: UNIT_LIBS += -Wl,--wrap=connect
$(B)/unit/test_transport_anew: UNIT_LIBS += -Wl,--wrap=process_vm_readv,--wrap=loop_stop,--wrap=pthread_join
$(B)/unit/test_transport_mend: UNIT_LIBS += -Wl,--wrap=send,--wrap=sendmsg,--wrap=close,--wrap=connect
$(B)/unit/test_transport_sync: UNIT_LIBS += -Wl,--wrap=process_vm_readv
$(B)/unit/test_ckpt_image: UNIT_LIBS += -Wl,--wrap=malloc
$(B)/unit/test_ckpt_out: UNIT_LIBS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=free,--wrap=pthread_mutex_lock
$(B)/unit/test_transport_short: UNIT_LIBS += -Wl,--wrap=malloc,--wrap=send,--wrap=sendmsg
UNIT_control := lib/launch/control.o lib/launch/control_commands.o lib/launch/launch.o lib/launch/foreign.o lib/launch/manual_start.o lib/launch/settings.o $(base_o)
-include bin/tests/unit/objects.mk
include bin/tests/fuzz/fuzz.mk
include bin/tests/sim/sim.mk

UNITS := $(sort $(patsubst bin/tests/unit/test_%.c,%,$(wildcard bin/tests/unit/test_*.c)))
UNIT_BIN := $(UNITS:%=$(B)/unit/test_%)

$(O)/bin/tests/unit/%.o: bin/tests/unit/%.c Makefile bin/tests/tests.mk
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) $(UNIT_CFLAGS) -MMD -MP -c $< -o $@

define unit_rule
$(B)/unit/test_$(1): $(addprefix $(O)/,bin/tests/unit/test_$(1).o $(UNIT_$(1)))
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $$^ $$(UNIT_LIBS)
endef
$(foreach u,$(UNITS),$(eval $(call unit_rule,$(u))))

# where a stage names what failed, for stages.sh
FAILED := $(B)/failed

# WATCH: what a sanitizer reports, of any process, fails the test; empty without one. Six at a time, as some wait
# for most of half a minute.
units: $(UNIT_BIN)
	@mkdir -p $(FAILED) && rm -f $(FAILED)/units
	@printf '%s\n' $(UNIT_BIN) | $(TEST_ENV) xargs -n1 -P6 sh bin/tests/unit/run.sh $(FAILED)/units $(WATCH)
	@[ ! -e $(FAILED)/units ] || { echo "units that failed:"; cat $(FAILED)/units; exit 1; }

# make recovery lines, or change them, for tests of what reads them
$(B)/bin/ckpt_line $(B)/bin/ckpt_version: $(B)/bin/%: $(addprefix $(O)/,bin/tests/ckpt/%.o $(ckpt_o) $(base_o))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

# a rank without a program, for the tests of ftmpi-keeper
$(B)/bin/keeper_rank: $(addprefix $(O)/,bin/tests/keeper/keeper_rank.o $(keeper_o))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

all: $(B)/bin/ckpt_line $(B)/bin/ckpt_version $(B)/bin/keeper_rank

# the rules of Event Logging and of message logging, by spin; every rule left out is found with one checkpoint
MODEL_CHECKPOINTS ?= 1
model: deps
	@MODEL_CHECKPOINTS=$(MODEL_CHECKPOINTS) bin/tests/model/run $(B)/model

arrows: $(LIB_OBJ) $(KEEPER_OBJ)
	@perl bin/tests/arrows.pl . $(O)

# where the Perl tests find what was built
TEST_ENV = FTMPI_LIBDIR=$(abspath $(B)/lib) FTMPI_PROGRAMS=$(abspath $(B)/bin) PERL5LIB=$(abspath bin/lib):$(abspath bin/tests/lib)
PERL_TESTS := $(sort $(wildcard $(addprefix bin/tests/,abi/*.t build/*.t launcher/*.t cluster/*.t job/*.t job/*/*.t bench/*.t \
	sanitized/*.t fuzz/*.t ckpt/*.t fault/*.t fortran/*.t)))

# so many files at a time, of which one waits, most of the time, for something to be noticed
PERL_TESTS_AT_ONCE ?= 4
PERL_TESTS_RUN = $(PERL_TESTS)
include bin/tests/sanitized/sanitized.mk

# Runs these test files, with more in their environment; those that fail are written down under this name, and what
# they said of it, which is shown when all have run: until then it is in $(FAILED)/NAME.said.
# $(call prove,NAME,FILES,ENVIRONMENT)
define prove
@mkdir -p $(FAILED) && rm -f $(FAILED)/$(1) $(FAILED)/$(1).said $(B)/prove.state
@$(TEST_ENV) $(3) prove -j$(PERL_TESTS_AT_ONCE) --timer --statefile=$(B)/prove.state --state=save $(WATCH_PERL) $(2) \
	2>$(FAILED)/$(1).said && status=0 || status=$$?; cat $(FAILED)/$(1).said >&2; [ $$status = 0 ] || { \
	prove --dry --statefile=$(B)/prove.state --state=failed >$(FAILED)/$(1); exit 1; }
endef

jobs: all $(if $(SANITIZER),,slices $(TUNE_BIN))
	$(call prove,jobs,$(PERL_TESTS_RUN))

# Ranks of one host talk through memory: what passes messages, and what goes on after a kill, once more over TCP.
TCP_TESTS := $(addprefix bin/tests/,job/p2p/p2p.t job/coll/nonblocking.t job/comm/comms.t job/rma/onesided.t \
	job/recovery/transit.t job/threads/threads.t fault/killed_ranks.t fault/random_kills.t fault/open_at_restore.t \
	fault/open_collectives.t fault/partial_message.t fault/windows.t)

jobs-tcp: all
	$(call prove,jobs-tcp,$(TCP_TESTS),FTMPI_RUN=$(abspath bin/tests/tcp/ftmpirun))

# what takes minutes, gigabytes, or both
LONG_TESTS := $(sort $(wildcard bin/tests/long/*.t))

check-long:
	@sh bin/tests/deps.sh deps-long
	@$(MAKE) --no-print-directory -j2 all
	@$(MAKE) --no-print-directory model MODEL_CHECKPOINTS=2
	@$(TEST_ENV) FTMPI_TEST_DEADLINE=1200 prove --timer $(LONG_TESTS)

check:
	@echo "building and running all tests: 25 minutes on 2 cores, an hour beside other work"
	@sh bin/tests/deps.sh deps
	@$(MAKE) --no-print-directory -j2 all $(UNIT_BIN) $(FUZZ_REPLAYS) $(SIMS)
	@sh bin/tests/stages.sh $(B) "$(MAKE)" arrows units model fuzz-replay sim jobs jobs-tcp

.PHONY: units model arrows jobs jobs-tcp check check-long
