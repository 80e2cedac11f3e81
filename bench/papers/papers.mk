# SPDX-License-Identifier: BSD-3-Clause
# The programs of this folder; README.md says what they are.

PAPERS := gauss laplace neurons disks matmul
PAPERS_disks := deal.o disks_box.o
PAPERS_matmul := deal.o
PAPERS_BIN := $(PAPERS:%=$(B)/bin/%)

papers_o = $(addprefix $(O)/bench/papers/,$(1).o paper.o turn.o $(PAPERS_$(1))) $(addprefix $(O)/bin/tests/programs/,prog.o steps.o)

$(O)/bench/papers/%.o: CPPFLAGS += -iquote bin/tests/programs

define papers_rule
$(B)/bin/$(1): $(call papers_o,$(1)) $(LIBRARIES)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $(call papers_o,$(1)) -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi -lm
endef
$(foreach p,$(PAPERS),$(eval $(call papers_rule,$(p))))

all: $(PAPERS_BIN)

-include $(wildcard $(O)/bench/papers/*.d)
