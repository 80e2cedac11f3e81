# SPDX-License-Identifier: BSD-3-Clause
# What logging costs, in slices of one run; ../README.md says how it measures. Linked with the objects of
# the library, as they use what the library does not export.

SLICES_BIN := $(B)/bin/slices_pingpong $(PAPERS:%=$(B)/bin/slices_%)
SLICES_WRAP := -Wl,--wrap=paper_start,--wrap=paper_step,--wrap=paper_stop

$(O)/bench/slices/%.o: CPPFLAGS += -iquote bin/tests/programs -iquote lib

$(B)/bin/slices_pingpong: $(addprefix $(O)/bench/slices/,pingpong.o slices.o) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS) -lm

define slices_rule
$(B)/bin/slices_$(1): $(call papers_o,$(1)) $(addprefix $(O)/bench/slices/,steps.o slices.o) $(LIB_OBJ)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $(SLICES_WRAP) $$^ $$(LIBS) -lm
endef
$(foreach p,$(PAPERS),$(eval $(call slices_rule,$(p))))

slices: $(SLICES_BIN)

-include $(wildcard $(O)/bench/slices/*.d)
