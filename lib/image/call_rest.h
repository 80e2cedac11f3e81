/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal cuts a system call that has done a part of its work: it ends, and its result is that
 * part. Where nothing but a signal, an error or an end ends the call early, it is begun again for
 * the rest: an error or an end comes again then, and its result is what both have done. Not an
 * error of a socket, which is told once: where it ends the rest nobody learns of it, and the next
 * call finds that the connection is over (EPIPE, the end). Pure.
 *
 * Not where what there is may be all for now: reading from a pipe, a terminal, a socket (without
 * MSG_WAITALL). Nor writing to a regular file, which no signal cuts.
 */
#ifndef FTMPI_IMAGE_CALL_REST_H
#define FTMPI_IMAGE_CALL_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* What the call's descriptor is. */
enum call_file {
	CALL_FILE_OTHER,   /* or none */
	CALL_FILE_ENDLESS, /* gives and takes as much as one likes: /dev/zero, full, urandom */
	CALL_FILE_PIPE,	   /* or a terminal */
	CALL_FILE_STREAM   /* a socket of this type, that keeps no messages apart */
};

/* A socket's SO_TYPE, SO_DOMAIN, SO_PROTOCOL: TCP and local ones are known not to. */
enum call_file call_rest_socket(int type, int domain, int protocol);

/* Is it such a call? For what its first argument is. */
bool call_rest_is_known(long number);

/* `done`: its result. */
bool call_rest_is_due(long number, const uint64_t argument[6], enum call_file file, uint64_t done);

enum { CALL_REST_PIECES = 8 };

/* The arguments of the call for the rest. Where the call has a vector they
 * name *pieces, with as much of the rest as fits. */
void call_rest_arguments(long number, const uint64_t argument[6], uint64_t done,
	struct iovec pieces[CALL_REST_PIECES], uint64_t rest[6]);

#endif
