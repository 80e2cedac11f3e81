/* SPDX-License-Identifier: BSD-3-Clause */
#include "errtext.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "mpi.h"

#define ERROR_CLASSES(X)                                                                           \
	X(MPI_SUCCESS, "no error")                                                                 \
	X(MPI_ERR_BUFFER, "a buffer address is not valid")                                         \
	X(MPI_ERR_COUNT, "a count is not valid")                                                   \
	X(MPI_ERR_TYPE, "a datatype is not valid, or was not committed")                           \
	X(MPI_ERR_TAG, "a tag is not valid")                                                       \
	X(MPI_ERR_COMM, "a communicator is not valid")                                             \
	X(MPI_ERR_RANK, "a rank is not valid")                                                     \
	X(MPI_ERR_REQUEST, "a request is not valid")                                               \
	X(MPI_ERR_ROOT, "the root is not a rank of the communicator")                              \
	X(MPI_ERR_GROUP, "a group is not valid")                                                   \
	X(MPI_ERR_OP, "an operation is not valid, or not for this datatype")                       \
	X(MPI_ERR_TOPOLOGY, "the communicator does not have the topology this call needs")         \
	X(MPI_ERR_DIMS, "a dimension of a grid is not valid")                                      \
	X(MPI_ERR_ARG, "an argument is not valid")                                                 \
	X(MPI_ERR_UNKNOWN, "the error is not known")                                               \
	X(MPI_ERR_TRUNCATE, "a message is longer than the buffer that receives it")                \
	X(MPI_ERR_OTHER, "an error that has no class of its own")                                  \
	X(MPI_ERR_INTERN, "the library itself failed")                                             \
	X(MPI_ERR_PENDING, "the operation is not complete")                                        \
	X(MPI_ERR_IN_STATUS, "the error of each operation is in its status")                       \
	X(MPI_ERR_ACCESS, "the file may not be accessed")                                          \
	X(MPI_ERR_AMODE, "the access mode of a file is not valid")                                 \
	X(MPI_ERR_ASSERT, "an assertion argument is not valid")                                    \
	X(MPI_ERR_BAD_FILE, "a file name is not valid")                                            \
	X(MPI_ERR_BASE, "the base of a memory window is not valid")                                \
	X(MPI_ERR_CONVERSION, "a conversion function of a data representation failed")             \
	X(MPI_ERR_DISP, "a displacement is not valid")                                             \
	X(MPI_ERR_DUP_DATAREP, "a data representation of this name is there already")              \
	X(MPI_ERR_FILE_EXISTS, "the file exists")                                                  \
	X(MPI_ERR_FILE_IN_USE, "the file is in use")                                               \
	X(MPI_ERR_FILE, "a file handle is not valid")                                              \
	X(MPI_ERR_INFO_KEY, "an info key is too long or empty")                                    \
	X(MPI_ERR_INFO_NOKEY, "the info object does not have this key")                            \
	X(MPI_ERR_INFO_VALUE, "an info value is too long or empty")                                \
	X(MPI_ERR_INFO, "an info object is not valid")                                             \
	X(MPI_ERR_IO, "input or output failed")                                                    \
	X(MPI_ERR_KEYVAL, "an attribute key is not valid")                                         \
	X(MPI_ERR_LOCKTYPE, "a lock type is not valid")                                            \
	X(MPI_ERR_NAME, "no service of this name is published")                                    \
	X(MPI_ERR_NO_MEM, "out of memory")                                                         \
	X(MPI_ERR_NOT_SAME, "an argument differs between ranks and must not")                      \
	X(MPI_ERR_NO_SPACE, "there is no space left for the file")                                 \
	X(MPI_ERR_NO_SUCH_FILE, "the file does not exist")                                         \
	X(MPI_ERR_PORT, "a port name is not valid")                                                \
	X(MPI_ERR_QUOTA, "the quota for files is used up")                                         \
	X(MPI_ERR_READ_ONLY, "the file or its file system can only be read")                       \
	X(MPI_ERR_RMA_ATTACH, "memory cannot be attached to the window")                           \
	X(MPI_ERR_RMA_CONFLICT, "accesses to a window conflict")                                   \
	X(MPI_ERR_RMA_RANGE, "the memory accessed is not in the window")                           \
	X(MPI_ERR_RMA_SHARED, "memory cannot be shared")                                           \
	X(MPI_ERR_RMA_SYNC, "a window is synchronised in the wrong order")                         \
	X(MPI_ERR_SERVICE, "a service name that is not published was withdrawn")                   \
	X(MPI_ERR_SIZE, "a size is not valid")                                                     \
	X(MPI_ERR_SPAWN, "processes could not be started")                                         \
	X(MPI_ERR_UNSUPPORTED_DATAREP, "this data representation is not supported")                \
	X(MPI_ERR_UNSUPPORTED_OPERATION, "this operation is not supported")                        \
	X(MPI_ERR_WIN, "a window is not valid")                                                    \
	X(MPI_ERR_RMA_FLAVOR, "the window is of the wrong flavour for this call")                  \
	X(MPI_ERR_PROC_ABORTED, "a process that takes part has ended")                             \
	X(MPI_ERR_VALUE_TOO_LARGE, "a value does not fit into the argument that returns it")       \
	X(MPI_ERR_SESSION, "a session is not valid")                                               \
	X(MPI_ERR_ERRHANDLER, "an error handler is not valid")                                     \
	X(MPI_ERR_ABI, "the binary interface was set up wrongly or twice")                         \
	X(MPI_T_ERR_CANNOT_INIT, "the tools interface cannot be started now")                      \
	X(MPI_T_ERR_NOT_ACCESSIBLE, "this tools function cannot be used now")                      \
	X(MPI_T_ERR_NOT_INITIALIZED, "the tools interface was not started")                        \
	X(MPI_T_ERR_NOT_SUPPORTED, "this tools function is not supported")                         \
	X(MPI_T_ERR_MEMORY, "the tools interface is out of memory")                                \
	X(MPI_T_ERR_INVALID, "an argument of a tools function is not valid")                       \
	X(MPI_T_ERR_INVALID_INDEX, "the tools interface has nothing at this index")                \
	X(MPI_T_ERR_INVALID_ITEM, "the tools interface has no item at this index")                 \
	X(MPI_T_ERR_INVALID_SESSION, "a tools session is not valid")                               \
	X(MPI_T_ERR_INVALID_HANDLE, "a tools handle is not valid")                                 \
	X(MPI_T_ERR_INVALID_NAME, "the tools interface does not know this name")                   \
	X(MPI_T_ERR_OUT_OF_HANDLES, "no more tools handles can be given out")                      \
	X(MPI_T_ERR_OUT_OF_SESSIONS, "no more tools sessions can be given out")                    \
	X(MPI_T_ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set at this time")           \
	X(MPI_T_ERR_CVAR_SET_NEVER, "the control variable can never be set")                       \
	X(MPI_T_ERR_PVAR_NO_WRITE, "the performance variable cannot be written")                   \
	X(MPI_T_ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped")    \
	X(MPI_T_ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and written at once") \
	X(MPI_ERR_LASTCODE, "the last error code of the standard")

struct error_class {
	int code;
	const char *name, *text;
};

static const struct error_class classes[] = {
#define X(code, text) {code, #code, text},
	ERROR_CLASSES(X)
#undef X
};

/* The program's: element i is the code MPI_ERR_LASTCODE + 1 + i. */
struct added {
	int codes; /* of a class: its codes that were not removed */
	bool removed;
	int errclass; /* its own code for a class */
	char *text;   /* NULL without a string */
};

static struct {
	pthread_mutex_t lock;
	struct added *codes;
	size_t count, room;
} added = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct error_class *standard(int code)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].code == code)
			return &classes[i];
	}
	return NULL;
}

/* Lock held. The live entry for code, or NULL. */
static struct added *added_find(int code)
{
	size_t i = (size_t)code - MPI_ERR_LASTCODE - 1;

	if (code <= MPI_ERR_LASTCODE || i >= added.count || added.codes[i].removed)
		return NULL;
	return &added.codes[i];
}

/* Lock held. */
static bool is_class(int code)
{
	const struct added *a = added_find(code);

	return standard(code) || (a && a->errclass == code);
}

const char *errtext_name(int code)
{
	const struct error_class *c = standard(code);

	return c ? c->name : "MPI_ERR_UNKNOWN";
}

int errtext_class_of(int code)
{
	int errclass = MPI_ERR_UNKNOWN;

	if (standard(code))
		return code;
	pthread_mutex_lock(&added.lock);
	if (added_find(code))
		errclass = added_find(code)->errclass;
	pthread_mutex_unlock(&added.lock);
	return errclass;
}

bool errtext_is_code(int code)
{
	return code == MPI_ERR_UNKNOWN || errtext_class_of(code) != MPI_ERR_UNKNOWN;
}

size_t errtext_get(int code, char *text, size_t size)
{
	const struct error_class *c = standard(code);
	const struct added *a;
	int n;

	if (c) {
		n = snprintf(text, size, "%s: %s", c->name, c->text);
	} else {
		pthread_mutex_lock(&added.lock);
		a = added_find(code);
		if (a) /* without a string of its own: the empty one (section 9.5) */
			n = snprintf(text, size, "%s", a->text ? a->text : "");
		else
			n = snprintf(
				text, size, "MPI_ERR_UNKNOWN: there is no error code %d", code);
		pthread_mutex_unlock(&added.lock);
	}
	return n < (int)size ? (size_t)n : size - 1;
}

int errtext_last_code(void)
{
	int last;

	pthread_mutex_lock(&added.lock);
	last = MPI_ERR_LASTCODE + (int)added.count;
	pthread_mutex_unlock(&added.lock);
	return last;
}

/* Lock held. One code more or less of a class; those of the standard need no count. */
static void count_code(int errclass, int by)
{
	struct added *a = added_find(errclass);

	if (a)
		a->codes += by;
}

/* Lock held. A new code of errclass, or of itself when errclass is MPI_SUCCESS. */
static int append(int errclass, int *code)
{
	if (added.count == added.room) {
		size_t room = added.room ? 2 * added.room : 16;
		struct added *codes = realloc(added.codes, room * sizeof(*codes));

		if (!codes)
			return fail_with(MPI_ERR_NO_MEM, "no memory for %zu error codes", room);
		added.codes = codes;
		added.room = room;
	}
	*code = MPI_ERR_LASTCODE + 1 + (int)added.count;
	added.codes[added.count++] =
		(struct added){.errclass = errclass == MPI_SUCCESS ? *code : errclass};
	return MPI_SUCCESS;
}

int errtext_add_class(int *errclass)
{
	int rc;

	pthread_mutex_lock(&added.lock);
	rc = append(MPI_SUCCESS, errclass);
	pthread_mutex_unlock(&added.lock);
	return rc;
}

int errtext_add_code(int errclass, int *code)
{
	int rc;

	pthread_mutex_lock(&added.lock);
	if (errclass == MPI_SUCCESS || !is_class(errclass))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error class", errclass);
	else
		rc = append(errclass, code);
	if (rc == MPI_SUCCESS)
		count_code(errclass, 1);
	pthread_mutex_unlock(&added.lock);
	return rc;
}

static int not_added(int code)
{
	return fail_with(MPI_ERR_ARG, "%d is not an error code that the program added", code);
}

int errtext_add_string(int code, const char *text)
{
	char *copy = strndup(text, MPI_MAX_ERROR_STRING - 1);
	struct added *a;
	int rc = MPI_SUCCESS;

	if (!copy)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an error string");
	pthread_mutex_lock(&added.lock);
	a = added_find(code);
	if (a) {
		free(a->text);
		a->text = copy;
	} else {
		free(copy);
		rc = not_added(code);
	}
	pthread_mutex_unlock(&added.lock);
	return rc;
}

/* Lock held. The number is not used again. */
static int remove_entry(int code, bool class_wanted)
{
	struct added *a = added_find(code);

	if (!a || (a->errclass == code) != class_wanted)
		return not_added(code);
	if (a->text)
		return fail_with(MPI_ERR_ARG, "error code %d still has a string", code);
	if (class_wanted && a->codes > 0)
		return fail_with(MPI_ERR_ARG, "error class %d still has codes", code);
	if (!class_wanted)
		count_code(a->errclass, -1);
	a->removed = true;
	return MPI_SUCCESS;
}

int errtext_remove_class(int errclass)
{
	int rc;

	pthread_mutex_lock(&added.lock);
	rc = remove_entry(errclass, true);
	pthread_mutex_unlock(&added.lock);
	return rc;
}

int errtext_remove_code(int code)
{
	int rc;

	pthread_mutex_lock(&added.lock);
	rc = remove_entry(code, false);
	pthread_mutex_unlock(&added.lock);
	return rc;
}

int errtext_remove_string(int code)
{
	struct added *a;
	int rc = MPI_SUCCESS;

	pthread_mutex_lock(&added.lock);
	a = added_find(code);
	if (a && a->text) {
		free(a->text);
		a->text = NULL;
	} else {
		rc = fail_with(MPI_ERR_ARG, "error code %d has no string of the program", code);
	}
	pthread_mutex_unlock(&added.lock);
	return rc;
}
