# SPDX-License-Identifier: BSD-3-Clause
# What each unit test links with beside its own file.
groups_o := $(call mpi_o,fail handle_table group group_ops)
comms_o := $(groups_o) $(call mpi_o,comm comm_world comm_predefined comm_lookup comm_hosts comm_numbered comm_again attr attr_key comm_attr errhandler errtext topo info info_lookup info_env) lib/ckpt/section_communicators.o lib/ckpt/section_numbers.o lib/base/cursor.o
lock_o := lib/base/lock.o lib/base/barrier.o
UNIT_lock := $(lock_o)
fake_api_o := bin/tests/unit/fake_api.o $(lock_o)
fake_team_o := bin/tests/unit/fake_team.o $(lock_o)
fakes_o := bin/tests/unit/fake_process.o $(fake_api_o)
UNIT_handle_table := $(call mpi_o,handle_table fail) $(fake_api_o)
UNIT_group := $(groups_o) $(fake_api_o)
UNIT_topo := $(call mpi_o,topo topo_graph)
UNIT_dims := $(call mpi_o,topo dims)
UNIT_inflight := bin/tests/unit/inflight_stage.o $(call mpi_o,inflight inflight_line stored) $(base_o)
UNIT_coord_channel := $(call mpi_o,coord_channel) $(comms_o) $(fakes_o) $(base_o)
UNIT_attr := $(comms_o) $(fakes_o)
UNIT_errhandler := $(comms_o) $(fakes_o)
board_o := $(comms_o) $(fakes_o) $(addprefix bin/tests/unit/,fake_ranks.o comm_board.o) $(call mpi_o,comm_make comm_create comm_ballot comm_split comm_inter comm_inter_part comm_inter_merge dims api_comm api_comm_inter \
	api_comm_make api_comm_end api_comm_type hints api_group api_topo topo_calls api_attr check type type_release type_contents type_table layout)
UNIT_comm := $(board_o)
UNIT_comm_hosts := $(board_o)
$(B)/unit/test_comm_hosts: UNIT_LIBS += -Wl,--wrap=calloc
UNIT_comm_object := $(board_o)
type_o := $(call mpi_o,fail type type_release type_table layout shape type_make type_array type_pack type_walk type_cursor \
	type_contents signature type_f90 attr attr_key errtext handle_table)
types_o := $(type_o) $(call mpi_o,type_external api_type api_type_args api_type_array api_type_attr \
	api_type_blocks api_type_contents api_type_elements api_type_query) $(fake_api_o)
UNIT_type := $(types_o)
UNIT_type_contents := $(types_o)
UNIT_type_named := $(types_o)
UNIT_type_predefined := $(types_o)
UNIT_type_wrong := $(types_o)
UNIT_type_external := $(types_o)
UNIT_type_random := $(types_o) bin/tests/unit/type_map.o bin/tests/unit/type_random.o
UNIT_iov_cursor := bin/tests/unit/small_iov_cursor.o $(UNIT_type_random)
UNIT_op := $(types_o) $(call mpi_o,op op_kernels api_op)
UNIT_op_rules := $(UNIT_op)
UNIT_abi := $(call mpi_o,abi)
sched_o := $(patsubst %.c,%.o,$(wildcard lib/mpi/sched/*.c))
coll_o := $(sched_o) $(patsubst %.c,%.o,$(filter-out lib/mpi/coll/coll_launch% lib/mpi/coll/coll_open% lib/mpi/coll/coll_resume% lib/mpi/coll/team%, \
	$(wildcard lib/mpi/coll/*.c))) $(call mpi_o,api_coll \
	api_coll_reduce api_coll_c api_coll_reduce_c api_coll_neighbor \
	api_coll_neighbor_c topo topo_graph op op_kernels) $(type_o) lib/base/cursor.o
UNIT_sched := bin/tests/unit/sched_sim.o $(sched_o)
UNIT_sched_move := $(UNIT_sched)
UNIT_sched_reduce := bin/tests/unit/sched_sim.o $(sched_o)
UNIT_sched_neighbor := bin/tests/unit/sched_sim.o $(call mpi_o,topo) $(sched_o)
UNIT_coll_choose := $(call mpi_o,coll_choose)
UNIT_coll_written := $(call mpi_o,coll_written sched)
UNIT_coll := $(fake_team_o) $(addprefix bin/tests/unit/,coll_case.o coll_movement.o coll_reduction.o) $(coll_o)
UNIT_coll_rules := $(fake_team_o) $(coll_o)
UNIT_coll_typed := $(UNIT_coll_rules)
ckpt_o := $(patsubst %.c,%.o,$(wildcard lib/ckpt/*.c))
UNIT_ckpt_state := lib/ckpt/buffer.o lib/ckpt/protect.o
UNIT_ckpt_store := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_damage := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_rank_folder := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_fail := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_pieces := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_image := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_out := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_capture := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_writer := lib/ckpt/writer.o lib/base/own_threads.o
UNIT_ckpt_choice := lib/ckpt/choice.o
UNIT_symbol_scan := $(call mpi_o,symbol_scan)
heartbeat_o := $(patsubst %.c,%.o,$(wildcard lib/heartbeat/*.c))
UNIT_observers := lib/heartbeat/observers.o
UNIT_detector := lib/heartbeat/detector.o
UNIT_heartbeat := bin/tests/unit/beats.o $(heartbeat_o) $(base_o)
UNIT_beat_records := $(UNIT_heartbeat)
UNIT_coord := $(patsubst %.c,%.o,$(wildcard lib/coord/*.c)) $(base_o)
coord_o := $(UNIT_coord)
UNIT_coord_lines := $(addprefix bin/tests/unit/,coord_cluster.o coord_cluster_env.o) $(coord_o)
UNIT_coord_random := $(UNIT_coord_lines)
UNIT_coord_parts := $(coord_o)
UNIT_coord_call := $(coord_o)
UNIT_coord_later := $(coord_o)
UNIT_coord_control_message := $(UNIT_coord_lines)
UNIT_msglog := $(coord_o)
UNIT_sender_log := $(addprefix lib/coord/,sender_log.o log_memory.o)
$(B)/unit/test_sender_log: UNIT_LIBS += -Wl,--wrap=malloc,--wrap=mmap,--wrap=munmap
UNIT_numbered := $(call mpi_o,numbered match_index) lib/base/slab.o
$(B)/unit/test_numbered: UNIT_LIBS += -Wl,--wrap=calloc
UNIT_number_list := lib/coord/number_list.o
$(B)/unit/test_number_list: UNIT_LIBS += -Wl,--wrap=realloc
UNIT_rma_layout := $(call mpi_o,rma_layout) $(types_o)
UNIT_ckpt_pace := $(call mpi_o,ckpt_pace)
UNIT_ckpt_child := $(call mpi_o,ckpt_child)
UNIT_file_limit := lib/ckpt/fs_posix.o lib/base/file_limit.o lib/base/whole_io.o lib/base/descriptors.o
UNIT_sched_version := $(fake_team_o) $(coll_o)
UNIT_ckpt_schedules := $(call mpi_o,ckpt_schedules) lib/ckpt/section_operations.o lib/coord/orphans.o $(base_o)
UNIT_foreign := lib/launch/foreign.o $(base_o)
UNIT_process_map := lib/image/process_map.o
UNIT_process_smaps := $(addprefix lib/image/,process_smaps.o process_map.o)
UNIT_thread_status := lib/image/thread_status.o
UNIT_thread_wait := $(addprefix lib/image/,thread_wait.o wait_limit.o call_number.o call_rest.o)
UNIT_call_number := lib/image/call_number.o
UNIT_call_rest := lib/image/call_rest.o
UNIT_own_threads := lib/base/own_threads.o
UNIT_loop := $(addprefix lib/base/,loop.o own_threads.o loop_opened.o descriptors.o)
UNIT_image_state := lib/image/state.o
UNIT_linker_locks := lib/image/linker_locks.o
UNIT_image_plan := $(addprefix lib/image/,plan.o process_map.o)
UNIT_image_pages := lib/image/pages.o
UNIT_image_page_scan := lib/image/page_scan.o
UNIT_image_input := $(addprefix lib/image/,input.o files.o) lib/base/shown.o
UNIT_image_fit := $(addprefix lib/image/,fit.o plan.o process_map.o)
UNIT_engine_attach := $(call mpi_o,engine engine_defer engine_lock engine_safe_point engine_tick) $(nodes_o)
UNIT_engine_turn := $(UNIT_engine_attach)
UNIT_started := lib/launch/reexec.o lib/launch/started.o $(base_o)
UNIT_physical := $(LIB_SRC:%.c=%.o) lib/mpi/stubs.o
$(B)/unit/test_physical: UNIT_LIBS += -Wl,--wrap=clock_gettime,--wrap=pthread_cond_clockwait,--wrap=pthread_mutex_lock,--wrap=readlink
UNIT_p2p_anew := bin/tests/unit/p2p_stage.o $(patsubst %.c,%.o,$(wildcard lib/mpi/p2p/*.c)) $(comms_o) $(types_o) $(coord_o) bin/tests/unit/fake_process.o
UNIT_p2p_image := $(UNIT_p2p_anew)
UNIT_p2p_sync := $(UNIT_p2p_anew)
UNIT_image_process := $(addprefix lib/image/,process.o process_here.o thread_id.o) $(base_o)
UNIT_image_tables := lib/image/tables.o lib/image/contents.o lib/base/shown.o
UNIT_image_files := $(addprefix lib/,image/files.o base/shown.o)
UNIT_image_files_locks := $(addprefix lib/image/,files.o files_locks.o) lib/base/shown.o
UNIT_image_files_section := $(addprefix lib/image/,files.o files_locks.o files_section.o files_steps.o) $(addprefix lib/base/,cursor.o shown.o)
keeper_o := $(patsubst %.c,%.o,$(wildcard lib/keeper/*.c)) $(base_o)
UNIT_keeper_events := lib/keeper/events.o
UNIT_keeper_file := bin/tests/unit/fake_disk.o $(keeper_o)
UNIT_keeper_talk := bin/tests/unit/fake_disk.o $(keeper_o)
UNIT_keeper_server := bin/tests/unit/fake_disk.o $(keeper_o)
UNIT_keeper_link := $(addprefix bin/tests/unit/,link_stage.o fake_disk.o) $(keeper_o)
UNIT_keeper_link_broken := $(UNIT_keeper_link)
# the test is the network
$(B)/unit/test_keeper_link $(B)/unit/test_keeper_link_broken: UNIT_LIBS += -Wl,--wrap=send,--wrap=recv
UNIT_keeper_handshake := lib/keeper/keeper_handshake.o lib/base/auth.o
