# SPDX-License-Identifier: BSD-3-Clause
# Which algorithm a collective operation should use: every one is measured (run), and the table of those that
# were the fastest is written. ../README.md says more. Linked with the objects of the library, to choose for it.

TUNE_BIN := $(B)/bin/tune_bench
TUNE_O := $(addprefix $(O)/bench/,mpibench.o ops.o own.o matching.o strided.o kernel.o beating.o cg.o halo.o sort.o transpose.o tune/choice.o)

$(TUNE_O): CPPFLAGS += -iquote lib
$(TUNE_O): CFLAGS += -Wno-missing-prototypes -Wno-missing-declarations

$(TUNE_BIN): $(TUNE_O) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ -Wl,--wrap=coll_choose $^ $(LIBS) -lm

# numbers of ranks, as "8,16": each has to be more than there are processors
RANKS ?=

tune: deps-build $(TUNE_BIN)
	@perl bench/tune/run $(if $(RANKS),-ranks $(RANKS)) -write lib/mpi/coll/coll_rules_near.h $(TUNE_BIN)

.PHONY: tune

-include $(wildcard $(TUNE_O:.o=.d))
