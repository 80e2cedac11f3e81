# SPDX-License-Identifier: BSD-3-Clause
# make fuzz, and the replay of what is kept of it in make check. FUZZ_SECONDS: for each target;
# FUZZ_ONLY: these targets; FUZZ_SEED: 0 takes a new one.

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0
FUZZ_C := frames ring handshake control byhand started beat ckpt_file manifest coord orphans msglog keeper operations communicators logged rma_layout rma_words saved image_process image_tables image_files image_contents
FUZZ_PERL := wire machines allocation options address channel condition events
FUZZ_ONLY ?= $(FUZZ_C) $(FUZZ_PERL)
FUZZ_DIR := bin/tests/fuzz
# a folder of inputs for each target, as libFuzzer has it; many, small and binary, so they lie with the data
FUZZ_CORPUS := bin/tests/data/fuzz

# What each target consists of, beside common.c and its driver: objects of the library, and helpers.
FUZZ_frames := $(addprefix $(FUZZ_DIR)/,frames.o frames_say.o frames_user.o frames_in.o frames_out.o) $(transport_o) $(base_o)
FUZZ_ring := $(FUZZ_DIR)/ring.o $(transport_o) $(base_o)
FUZZ_handshake := $(addprefix $(FUZZ_DIR)/,handshake.o handshake_talk.o handshake_judge.o) $(transport_o) $(base_o)
FUZZ_control := $(FUZZ_DIR)/control.o lib/launch/control.o lib/launch/control_commands.o lib/launch/launch.o lib/launch/foreign.o lib/launch/manual_start.o lib/launch/settings.o $(base_o)
FUZZ_ckpt_file := $(FUZZ_DIR)/ckpt_file.o $(ckpt_o) $(base_o)
FUZZ_image_contents := $(FUZZ_DIR)/image_contents.o lib/image/contents.o
FUZZ_manifest := $(FUZZ_DIR)/manifest.o $(ckpt_o) $(base_o)
FUZZ_byhand := $(FUZZ_DIR)/byhand.o lib/launch/manual_start.o lib/launch/control.o lib/launch/control_commands.o lib/launch/launch.o lib/launch/foreign.o lib/launch/settings.o $(base_o)
FUZZ_started := $(FUZZ_DIR)/started.o lib/launch/started.o $(base_o)
FUZZ_coord := $(FUZZ_DIR)/coord.o $(coord_o)
FUZZ_orphans := $(FUZZ_DIR)/orphans.o lib/coord/orphans.o lib/coord/suppress.o $(base_o)
FUZZ_msglog := $(FUZZ_DIR)/msglog.o $(addprefix lib/coord/,msglog.o msglog_saved.o outcomes.o expected_receives.o sender_log.o log_memory.o arrival_order.o number_list.o) $(base_o)
FUZZ_keeper := $(FUZZ_DIR)/keeper.o bin/tests/unit/fake_disk.o $(keeper_o)
FUZZ_rma_layout := $(FUZZ_DIR)/rma_layout.o $(call mpi_o,rma_layout) $(types_o)
FUZZ_rma_words := $(addprefix $(FUZZ_DIR)/,rma_words.o rma_judge.o rma_world.o) $(call mpi_o,rma rma_target \
	rma_understand rma_turns rma_message rma_answer rma_pending rma_layout rma_memory win_memory op op_kernels) $(types_o)
FUZZ_saved := $(FUZZ_DIR)/saved.o lib/ckpt/section_numbers.o $(base_o)
FUZZ_operations := $(FUZZ_DIR)/operations.o lib/ckpt/section_operations.o $(base_o)
FUZZ_communicators := $(FUZZ_DIR)/communicators.o lib/ckpt/section_communicators.o $(base_o)
FUZZ_logged := $(FUZZ_DIR)/logged.o $(base_o)
FUZZ_image_process := $(FUZZ_DIR)/image_process.o lib/image/process.o $(base_o)
FUZZ_image_tables := $(FUZZ_DIR)/image_tables.o lib/image/tables.o lib/image/contents.o lib/base/shown.o
FUZZ_image_files := $(FUZZ_DIR)/image_files.o $(addprefix lib/,image/files.o image/files_locks.o image/files_section.o image/files_steps.o base/cursor.o base/shown.o)
FUZZ_beat := $(FUZZ_DIR)/beat.o lib/heartbeat/record.o $(base_o)

# calls that would leave the process, or differ from run to run
WRAP_handshake := auth_random
WRAP_byhand := getaddrinfo bind listen
WRAP_rma_words := malloc calloc reallocarray free

fuzz_wrap = $(foreach w,$(WRAP_$(1)),-Wl,--wrap=$(w))

$(O)/$(FUZZ_DIR)/%.o: $(FUZZ_DIR)/%.c Makefile $(FUZZ_DIR)/fuzz.mk
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) -I$(FUZZ_DIR) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

define fuzz_rule
$(B)/fuzz/replay_$(1): $(addprefix $(O)/,$(FUZZ_DIR)/replay.o $(FUZZ_DIR)/common.o $(FUZZ_$(1)))
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) $(call fuzz_wrap,$(1)) -o $$@ $$^ $$(LIBS)

# compiled at once: every object for libFuzzer's coverage
$(B)/fuzz/fuzz_$(1): $(patsubst %.o,%.c,$(FUZZ_DIR)/common.o $(FUZZ_$(1))) $(wildcard lib/*/*.h lib/*/*/*.h $(FUZZ_DIR)/*.h)
	@mkdir -p $$(@D)
	@echo "  CLANG $$@"
	$$(Q)clang $(CPPFLAGS) -I$(FUZZ_DIR) -std=gnu11 -D_GNU_SOURCE -pthread -O1 -g \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
		$(FUZZ_FLAGS) $(call fuzz_wrap,$(1)) -o $$@ $$(filter %.c,$$^) $$(LIBS)
endef
$(foreach t,$(FUZZ_C),$(eval $(call fuzz_rule,$(t))))

FUZZ_REPLAYS := $(FUZZ_C:%=$(B)/fuzz/replay_%)

fuzz-replay: $(FUZZ_REPLAYS)
	@for t in $(FUZZ_C); do $(WATCH) $(B)/fuzz/replay_$$t $(FUZZ_CORPUS)/$$t 2>$(B)/fuzz/$$t.log || \
		{ tail -n 20 $(B)/fuzz/$$t.log; exit 1; }; done

FUZZ_UNKNOWN = $(filter-out $(FUZZ_C) $(FUZZ_PERL),$(FUZZ_ONLY))
FUZZ_BUILT = $(patsubst %,build-fuzz/fuzz/fuzz_%,$(filter $(FUZZ_C),$(FUZZ_ONLY)))

fuzz:
	$(if $(FUZZ_UNKNOWN),$(error FUZZ_ONLY: there is no target $(FUZZ_UNKNOWN); choose from $(FUZZ_C) $(FUZZ_PERL)))
	@sh bin/tests/deps.sh deps-fuzz
	$(if $(FUZZ_BUILT),@$(MAKE) --no-print-directory B=build-fuzz $(FUZZ_BUILT))
	@$(TEST_ENV) sh $(FUZZ_DIR)/run.sh "$(FUZZ_SECONDS)" "$(FUZZ_SEED)" $(FUZZ_CORPUS) $(FUZZ_ONLY)

.PHONY: fuzz fuzz-replay

-include $(wildcard $(O)/$(FUZZ_DIR)/*.d)
