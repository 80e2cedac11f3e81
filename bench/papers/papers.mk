# SPDX-License-Identifier: BSD-3-Clause
# The programs of this folder; README.md says what they are.

# those of Event Logging, and those of message logging alone
PAPERS := gauss laplace neurons disks matmul
PAPERS_V2 := ring sweeps
PAPERS_disks := deal.o disks_box.o
PAPERS_matmul := deal.o
PAPERS_CALLS := $(addprefix $(B)/bin/calls_,sweeps mpibench)
PAPERS_BIN := $(addprefix $(B)/bin/,$(PAPERS) $(PAPERS_V2)) $(PAPERS_CALLS)

papers_o = $(addprefix $(O)/bench/papers/,$(1).o paper.o turn.o $(PAPERS_$(1))) $(addprefix $(O)/bin/tests/programs/,prog.o steps.o)

$(O)/bench/papers/%.o: CPPFLAGS += -iquote bin/tests/programs

define papers_rule
$(B)/bin/$(1): $(call papers_o,$(1)) $(LIBRARIES)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $(call papers_o,$(1)) -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi -lm
endef
$(foreach p,$(PAPERS) $(PAPERS_V2),$(eval $(call papers_rule,$(p))))

# the same programs, whose calls are counted
$(B)/bin/calls_sweeps: $(call papers_o,sweeps) $(O)/bench/papers/calls.o $(LIBRARIES)
$(B)/bin/calls_mpibench: $(filter-out %/choice.o,$(TUNE_O)) $(addprefix $(O)/bench/papers/,calls.o kernel_runs.o) $(LIBRARIES)
$(B)/bin/calls_mpibench: PAPERS_LINK := -Wl,--wrap=kernel_ms

$(PAPERS_CALLS):
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(PAPERS_LINK) $(filter %.o,$^) -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi -lm

all: $(PAPERS_BIN)

-include $(wildcard $(O)/bench/papers/*.d)
