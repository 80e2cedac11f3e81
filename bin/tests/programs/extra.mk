# SPDX-License-Identifier: BSD-3-Clause
# What a test program needs beside its own file and prog.c.
EXTRA_p2p := p2p_buffered.o p2p_matched.o p2p_sendrecv.o p2p_requests.o p2p_generalised.o p2p_partitioned.o p2p_short.o p2p_no_data.o
EXTRA_collective := collective_move.o
EXTRA_intercomm := intercomm_construct.o intercomm_errors.o intercomm_coll.o intercomm_reduce.o
EXTRA_pi := steps.o
EXTRA_cgs := mtx.o spread.o steps.o
EXTRA_mail := mailbox.o mail_plan.o steps.o
EXTRA_nonblocking := nonblocking_calls.o nonblocking_reduce.o nonblocking_neighbors.o nonblocking_order.o nonblocking_rules.o nonblocking_persistent.o
EXTRA_mixed := mixed_data.o mixed_blocking.o mixed_coll.o mixed_coll_calls.o mixed_icoll_calls.o mixed_icoll.o mixed_intercomm.o mixed_requests.o mixed_wildcards.o \
	mixed_persistent.o mixed_ops.o mixed_intercoll.o mixed_intercoll_calls.o mixed_neighbors.o mixed_topologies.o \
	mixed_mprobe.o mixed_send_modes.o mixed_partitioned.o mixed_grequest.o mixed_comms.o mail_plan.o steps.o
EXTRA_ckpt_no_wait := mail_plan.o steps.o
EXTRA_datatypes := datatypes_pack.o datatypes_long.o
EXTRA_badcall := badcall_args.o
EXTRA_load := load_many.o load_flood.o load_absent.o load_large.o load_memory.o memory.o
EXTRA_randtest := rt_basic.o rt_layout.o rt_image.o rt_comm.o rt_move.o rt_movev.o rt_reduce.o rt_value.o \
	rt_message.o rt_blocking.o rt_nonblocking.o rt_rare.o rt_soak.o memory.o
EXTRA_threads_wake := asleep.o
EXTRA_threads_exit := asleep.o
EXTRA_safe_points := asleep.o
EXTRA_threads := threads_p2p.o threads_requests.o threads_coll.o threads_objects.o threads_callbacks.o
EXTRA_reexec := reexec_states.o
EXTRA_ckpt_calls := asleep.o
EXTRA_two_threads := asleep.o
EXTRA_onesided := onesided_putget.o onesided_sync.o onesided_accumulate.o onesided_win.o onesided_errors.o onesided_threads.o
EXTRA_transit := transit_unexpected.o transit_posted.o
EXTRA_sessions := sessions_only.o sessions_errors.o sessions_buffer.o sessions_exit.o
EXTRA_graphs := graphs_dist.o
EXTRA_halo := steps.o
EXTRA_open_at_restore := steps.o asleep.o
