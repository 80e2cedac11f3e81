# SPDX-License-Identifier: BSD-3-Clause
# The tests under the sanitizers: make asan ubsan tsan. SANITIZED_ONLY="job/p2p/p2p.t fault/killed_ranks.t" chooses among the Perl tests.

SANITIZED := bin/tests/sanitized
REPORTS := $(abspath $(B)/reports)

# reports.o is given to the linker alone: compilers that only compile have no use for it
sanitize = @$(MAKE) --no-print-directory B=build-$@ SANITIZER=$@ CFLAGS="-O1 -g" \
	SAN="$(1) -Wl,$(abspath build-$@/reports.o)" check-sanitized

asan:
	$(call sanitize,-fsanitize=address -fno-omit-frame-pointer)

ubsan:
	$(call sanitize,-fsanitize=undefined -fno-sanitize-recover=all)

tsan:
	$(call sanitize,-fsanitize=thread)

# what was linked with another one is linked again
$(B)/reports.o: $(SANITIZED)/reports.c
	@mkdir -p $(@D) && rm -rf $(addprefix $(B)/,lib bin unit fuzz sim)
	$(Q)$(CC) -O1 -Wall -Wextra -Werror -DREPORTS='"$(REPORTS)"' -c $< -o $@

# what was reported is kept until the next run
reports-begin:
	@rm -rf $(REPORTS) && mkdir -p $(REPORTS)

ifdef SANITIZER
# how many times the deadline of a test: Check's own, those of the Perl tests, and of heartbeats
SLOW_asan := 3
SLOW_ubsan := 2
SLOW_tsan := 8
SLOW := $(SLOW_$(SANITIZER))
TEST_ENV += CK_TIMEOUT_MULTIPLIER=$(SLOW) FTMPI_TEST_SLOW=$(SLOW) FTMPI_RUN=$(abspath $(SANITIZED)/ftmpirun)

# these have one thread, so to that of threads there is nothing to be seen
ONE_THREAD := $(if $(filter tsan,$(SANITIZER)),,fuzz-replay sim)

WATCH := perl $(SANITIZED)/watch.pl $(REPORTS)
WATCH_PERL := --exec "$(WATCH) perl"

SANITIZED_ONLY ?=
LEFT_OUT := perl $(SANITIZED)/left_out.pl $(SANITIZED)/left_out $(SANITIZER)
PERL_TESTS := $(if $(SANITIZED_ONLY),$(SANITIZED_ONLY:%=bin/tests/%),$(PERL_TESTS))
PERL_TESTS_RUN := $(shell $(LEFT_OUT) rest $(PERL_TESTS))
jobs: left-out
endif

left-out:
	@$(LEFT_OUT) say $(PERL_TESTS)

check-sanitized: deps $(B)/reports.o reports-begin
	@$(MAKE) --no-print-directory -j2 all $(UNIT_BIN) $(if $(ONE_THREAD),$(FUZZ_REPLAYS) $(SIMS))
	@sh bin/tests/stages.sh $(B) "$(MAKE)" units $(ONE_THREAD) jobs

.PHONY: asan ubsan tsan reports-begin left-out check-sanitized
