/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes of the layers below lib/mpi: 0 is success, failures are negative. */
#ifndef FTMPI_BASE_ERROR_H
#define FTMPI_BASE_ERROR_H

#define ERROR_TABLE(X)                                                                             \
	X(FT_ENOMEM, -1, "out of memory")                                                          \
	X(FT_EPEER, -2, "the peer is gone")                                                        \
	X(FT_EPROTO, -3, "the peer broke the protocol")                                            \
	X(FT_EAUTH, -4, "the peer did not prove that it belongs to this job")                      \
	X(FT_ESTALE, -5, "the peer belongs to another epoch")                                      \
	X(FT_ETRUNC, -6, "the message is longer than the place for it")                            \
	X(FT_EINVAL, -7, "invalid argument")                                                       \
	X(FT_ESYS, -8, "a system call failed")                                                     \
	X(FT_ETIME, -9, "it took too long")                                                        \
	X(FT_ECANCEL, -10, "cancelled")                                                            \
	X(FT_EGONE, -11, "the launcher is gone")                                                   \
	X(FT_EEXIST, -12, "it is there already")                                                   \
	X(FT_ENONE, -13, "there is none")                                                          \
	X(FT_EDAMAGED, -14, "what was stored is damaged")                                          \
	X(FT_EMISMATCH, -15, "what was stored belongs to something else")                          \
	X(FT_EAGAIN, -16, "it would have to wait")

enum ft_error {
	FT_OK = 0,
#define X(name, code, text) name = code,
	ERROR_TABLE(X)
#undef X
};

/* A sentence fragment for any code, never NULL. */
const char *ft_error_text(int code);

#endif
