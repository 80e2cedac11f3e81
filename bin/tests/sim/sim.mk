# SPDX-License-Identifier: BSD-3-Clause
# Simulations: make sim runs as many schedules as make check; SIM_SCHEDULES (of the store) and SIM_CLUSTERS (of
# heartbeats), SIM_COORD (of the protocols), SIM_MSGLOG (of message logging) more of them, from SIM_SEED on.

SIM_SCHEDULES ?= 20000
SIM_CLUSTERS ?= 5000
SIM_COORD ?= 10000
SIM_MSGLOG ?= 10000
SIM_SEED ?= 1
SIM_STORE := $(addprefix bin/tests/sim/,sim_store.o sim_job.o sim_ahead.o sim_oracle.o sim_actor.o simfs.o simfs_names.o) $(ckpt_o) $(base_o)

SIM_DETECTOR := $(addprefix bin/tests/sim/,sim_detector.o detector_world.o detector_queue.o detector_faults.o \
	detector_decide.o detector_checks.o) lib/heartbeat/observers.o lib/heartbeat/detector.o

SIM_COORD_O := $(addprefix bin/tests/sim/,sim_coord.o coord_program.o coord_env.o coord_drive.o coord_moves.o coord_steps.o coord_meet.o \
	coord_restart.o coord_image.o coord_part.o coord_checks.o) $(patsubst lib/%.c,small/%.o,$(wildcard lib/coord/*.c)) $(base_o)

SIM_MSGLOG_O := $(addprefix bin/tests/sim/,sim_msglog.o msglog_program.o msglog_world.o msglog_wires.o msglog_logger.o msglog_match.o msglog_exchange.o msglog_sync.o) \
	$(addprefix lib/coord/,msglog.o msglog_saved.o outcomes.o expected_receives.o sender_log.o log_memory.o arrival_order.o number_list.o) lib/base/cursor.o

# each is left out, and has to be found out
MSGLOG_RULES := gate no duplicates open early-cover log-saved events-gc prefix-kept prefix-first untold cancelled haste free reserved send-over cover

$(O)/bin/tests/sim/%.o: bin/tests/sim/%.c Makefile bin/tests/sim/sim.mk
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) -Ibin/tests/sim $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(B)/sim/sim_store: $(addprefix $(O)/,$(SIM_STORE))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

$(B)/sim/sim_detector: $(addprefix $(O)/,$(SIM_DETECTOR))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^

# with limits so low that they are met
$(O)/small/coord/%.o: lib/coord/%.c Makefile bin/tests/sim/sim.mk
	@mkdir -p $(@D)
	@echo "  CC $< (small)"
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -DCOORD_LOG_MOST=3 -DCOORD_FORGET_LEAST=2 -DORPHAN_SUMS_MOST=6 -DMESSAGE_SORT_SHORT=2 -MMD -MP -c $< -o $@

$(B)/sim/sim_coord: $(addprefix $(O)/,$(SIM_COORD_O))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

$(B)/sim/sim_msglog: $(addprefix $(O)/,$(SIM_MSGLOG_O))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^

SIMS := $(B)/sim/sim_store $(B)/sim/sim_detector $(B)/sim/sim_coord $(B)/sim/sim_msglog

# a line each: two run at a time
define SIM_RUNS
sim_store $(SIM_SCHEDULES) $(SIM_SEED)
sim_coord $(SIM_COORD) $(SIM_SEED)
sim_detector $(SIM_CLUSTERS) $(SIM_SEED)
sim_coord 10000 $(SIM_SEED) unmet
sim_msglog $(SIM_MSGLOG) $(SIM_SEED)
$(foreach rule,$(MSGLOG_RULES),sim_msglog 10000 $(SIM_SEED) $(rule)
)
endef
export SIM_RUNS

sim: $(SIMS)
	@printf '%s\n' "$$SIM_RUNS" | sed 's/^ *//; /./!d; s|^|$(B)/sim/|' | xargs -L1 -P2 $(WATCH) env

.PHONY: sim

-include $(wildcard $(O)/bin/tests/sim/*.d $(O)/small/coord/*.d)
