# SPDX-License-Identifier: BSD-3-Clause
# What each unit test links with beside its own file.
groups_o := $(addprefix lib/mpi/,live.o group.o group_ops.o)
comms_o := $(groups_o) $(addprefix lib/mpi/,comm.o comm_world.o comm_lookup.o comm_hosts.o comm_numbered.o comm_again.o comm_saved.o comm_numbers.o attr.o attr_key.o attr_comm.o errhandler.o errtext.o topo.o info.o info_env.o) lib/base/cursor.o
fakes_o := $(addprefix bin/tests/unit/,fake_api.o fake_process.o)
UNIT_live := lib/mpi/live.o bin/tests/unit/fake_api.o
UNIT_group := $(groups_o) bin/tests/unit/fake_api.o
UNIT_topo := lib/mpi/topo.o lib/mpi/topo_graph.o
UNIT_dims := lib/mpi/topo.o lib/mpi/dims.o
UNIT_inflight := bin/tests/unit/inflight_stage.o lib/mpi/inflight.o lib/mpi/inflight_line.o lib/mpi/stored.o $(base_o)
UNIT_coord_talk := lib/mpi/coord_talk.o $(comms_o) $(fakes_o) $(base_o)
UNIT_attr := $(comms_o) $(fakes_o)
UNIT_errhandler := $(comms_o) $(fakes_o)
board_o := $(comms_o) $(fakes_o) $(addprefix bin/tests/unit/,fake_ranks.o comm_board.o) $(addprefix lib/mpi/,comm_make.o comm_split.o comm_inter.o comm_inter_part.o comm_inter_merge.o dims.o api_comm.o api_comm_inter.o \
	api_comm_make.o api_comm_end.o api_comm_type.o hints.o api_group.o api_topo.o topo_calls.o api_attr.o check.o type.o type_contents.o type_table.o type_layout.o)
UNIT_comm := $(board_o)
UNIT_comm_hosts := $(board_o)
UNIT_comm_object := $(board_o)
type_o := $(addprefix lib/mpi/,type.o type_table.o type_layout.o type_shape.o type_make.o type_array.o type_pack.o type_walk.o type_cursor.o \
	type_contents.o type_signature.o type_f90.o attr.o attr_key.o errtext.o live.o)
types_o := $(type_o) $(addprefix lib/mpi/,type_external.o api_type.o api_type_args.o api_type_array.o api_type_attr.o \
	api_type_blocks.o api_type_contents.o api_type_elements.o api_type_query.o) bin/tests/unit/fake_api.o
UNIT_type := $(types_o)
UNIT_type_contents := $(types_o)
UNIT_type_named := $(types_o)
UNIT_type_predefined := $(types_o)
UNIT_type_wrong := $(types_o)
UNIT_type_external := $(types_o)
UNIT_type_random := $(types_o) bin/tests/unit/type_map.o bin/tests/unit/type_random.o
UNIT_pieces := bin/tests/unit/small_pieces.o $(UNIT_type_random)
UNIT_op := $(types_o) $(addprefix lib/mpi/,op.o op_kernels.o api_op.o)
UNIT_op_rules := $(UNIT_op)
UNIT_abi := lib/mpi/abi.o
sched_o := $(patsubst %.c,%.o,$(wildcard lib/mpi/sched_*.c))
coll_o := $(sched_o) $(patsubst %.c,%.o,$(filter-out lib/mpi/coll_launch% lib/mpi/coll_resume%, \
	$(wildcard lib/mpi/coll_*.c))) $(addprefix lib/mpi/,api_coll.o \
	api_coll_reduce.o api_coll_c.o api_coll_reduce_c.o api_coll_neighbor.o \
	api_coll_neighbor_c.o topo.o topo_graph.o op.o op_kernels.o) $(type_o) lib/base/cursor.o
UNIT_sched := bin/tests/unit/sched_sim.o $(sched_o)
UNIT_sched_move := $(UNIT_sched)
UNIT_sched_reduce := bin/tests/unit/sched_sim.o $(sched_o)
UNIT_sched_neighbor := bin/tests/unit/sched_sim.o lib/mpi/topo.o $(sched_o)
UNIT_coll_choose := lib/mpi/coll_choose.o
UNIT_coll_written := lib/mpi/coll_written.o lib/mpi/sched_build.o
UNIT_coll := $(addprefix bin/tests/unit/,fake_team.o coll_case.o coll_movement.o coll_reduction.o) $(coll_o)
UNIT_coll_rules := bin/tests/unit/fake_team.o $(coll_o)
UNIT_coll_typed := $(UNIT_coll_rules)
ckpt_o := $(patsubst %.c,%.o,$(wildcard lib/ckpt/*.c))
UNIT_ckpt_state := lib/ckpt/buffer.o lib/ckpt/protect.o
UNIT_ckpt_store := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_damage := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_fail := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_pieces := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_capture := bin/tests/unit/ckpt_store.o $(ckpt_o) $(base_o)
UNIT_ckpt_writer := lib/ckpt/writer.o
UNIT_ckpt_choice := lib/ckpt/choice.o
UNIT_uses := lib/mpi/uses.o
heartbeat_o := $(patsubst %.c,%.o,$(wildcard lib/heartbeat/*.c))
UNIT_ring := lib/heartbeat/ring.o
UNIT_detector := lib/heartbeat/detector.o
UNIT_heartbeat := bin/tests/unit/beats.o $(heartbeat_o) $(base_o)
UNIT_beat_records := $(UNIT_heartbeat)
UNIT_coord := $(patsubst %.c,%.o,$(wildcard lib/coord/*.c)) $(base_o)
coord_o := $(UNIT_coord)
UNIT_coord_lines := $(addprefix bin/tests/unit/,coord_cluster.o coord_cluster_env.o) $(coord_o)
UNIT_coord_random := $(UNIT_coord_lines)
UNIT_coord_parts := $(coord_o)
UNIT_coord_told := $(UNIT_coord_lines)
UNIT_rma_layout := lib/mpi/rma_layout.o $(types_o)
UNIT_ckpt_pace := lib/mpi/ckpt_pace.o
UNIT_file_limit := lib/ckpt/fs_posix.o lib/base/file_limit.o
UNIT_sched_version := bin/tests/unit/fake_team.o $(coll_o)
UNIT_ckpt_schedules := lib/mpi/ckpt_schedules.o lib/mpi/coll_saved.o lib/coord/orphans.o $(base_o)
UNIT_foreign := lib/launch/foreign.o $(base_o)
