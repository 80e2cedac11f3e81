/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library does when it is loaded, before main: all of it here, in this order, since that
 * of several constructors is the linker's. This runs in every program that is linked with the
 * library, so it is silent.
 */
#include "launch/control.h"
#include "launch/manual_start.h"
#include "launch/reexec.h"
#include "image_load.h"
#include "mpi/comm/info.h"
#include "output.h"
#include "runtime.h"

/* With a priority: a constructor of a statically linked program may change what is kept here, or
 * make an error before MPI_Init that ends the program, and this runs before those without one. */
__attribute__((constructor(101))) static void loaded(int argc, char **argv, char **envp)
{
	runtime_loaded();
	if (control_present()) {
		reexec_keep(argv, envp); /* before anything opens a descriptor */
		control_loaded();
	}
	manual_start_keep(argc, argv);
	info_env_keep();
	output_by_lines();
	if (control_present() && control_of_images())
		image_job_loaded(); /* last: this process may become another here */
}
