/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator handles: what they mean, what they may be applied to, and applying them. */
#include "op.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "op_kernels.h"
#include "type_table.h"

#define OP_FIRST 0x20
#define OP_SLOTS 0x20
#define SLOT_OF(handle) ((uintptr_t)(handle)-OP_FIRST)

#define IN(class) (1u << (class))
#define INTEGERS (IN(CLASS_C_INTEGER) | IN(CLASS_FORTRAN_INTEGER) | IN(CLASS_MULTI))
#define NUMBERS (INTEGERS | IN(CLASS_FLOATING))

/* Beyond the standard's table, as other libraries have it and programs use it: these of MPI_AINT,
 * MPI_COUNT, MPI_OFFSET, and MPI_CHAR among the C integers (type_table.h). */
#define TRUTHS (IN(CLASS_C_INTEGER) | IN(CLASS_LOGICAL) | IN(CLASS_MULTI))

/* X(handle, loop, the classes of types it is defined for: the table in MPI 5.0 section 6.9.2) */
#define OP_TABLE(X)                                                                                \
	X(MPI_SUM, OP_SUM, NUMBERS | IN(CLASS_COMPLEX))                                            \
	X(MPI_PROD, OP_PROD, NUMBERS | IN(CLASS_COMPLEX))                                          \
	X(MPI_MIN, OP_MIN, NUMBERS)                                                                \
	X(MPI_MAX, OP_MAX, NUMBERS)                                                                \
	X(MPI_BAND, OP_BAND, INTEGERS | IN(CLASS_BYTE))                                            \
	X(MPI_BOR, OP_BOR, INTEGERS | IN(CLASS_BYTE))                                              \
	X(MPI_BXOR, OP_BXOR, INTEGERS | IN(CLASS_BYTE))                                            \
	X(MPI_LAND, OP_LAND, TRUTHS)                                                               \
	X(MPI_LOR, OP_LOR, TRUTHS)                                                                 \
	X(MPI_LXOR, OP_LXOR, TRUTHS)                                                               \
	X(MPI_MINLOC, OP_MINLOC, IN(CLASS_PAIR))                                                   \
	X(MPI_MAXLOC, OP_MAXLOC, IN(CLASS_PAIR))                                                   \
	/* for one-sided communication only (section 12.3.4): no reduction takes them */           \
	X(MPI_REPLACE, OP_KINDS, 0)                                                                \
	X(MPI_NO_OP, OP_KINDS, 0)

#define PREDEFINED(handle_, kind_, classes_)                                                       \
	[SLOT_OF(handle_)] = {{OBJECT_OP, 1}, (handle_) != MPI_REPLACE, NULL, NULL, (handle_)},

static struct op ops[OP_SLOTS] = {OP_TABLE(PREDEFINED)};

struct rule {
	enum op_kind kind;
	unsigned classes;
	const char *name;
};

#define RULE(handle_, kind_, classes_) [SLOT_OF(handle_)] = {(kind_), (classes_), #handle_},

static const struct rule rules[OP_SLOTS] = {OP_TABLE(RULE)};

int op_lookup(MPI_Op handle, struct op **out)
{
	struct op *op = NULL;

	if (SLOT_OF(handle) < OP_SLOTS && rules[SLOT_OF(handle)].name)
		op = &ops[SLOT_OF(handle)];
	else if (handle_table_has(handle, OBJECT_OP))
		op = (struct op *)(void *)handle;
	if (op) {
		*out = op;
		return MPI_SUCCESS;
	}
	if (handle == MPI_OP_NULL)
		return fail_with(MPI_ERR_OP, "the operator is MPI_OP_NULL");
	return fail_with(
		MPI_ERR_OP, "%p is not an operator (freed, or never made)", (void *)handle);
}

static bool is_user(const struct op *op)
{
	return op->user || op->user_c;
}

/* What the loops go by: a predefined type without a name is as good as the one it stands for. */
static MPI_Datatype known_as(const struct type *t)
{
	return t->unnamed ? t->basic : t->handle;
}

int op_check(const struct op *op, const struct type *t)
{
	const struct rule *rule;

	if (is_user(op))
		return MPI_SUCCESS;
	rule = &rules[SLOT_OF(op->handle)];
	if (rule->classes == 0)
		return fail_with(MPI_ERR_OP,
			"%s is for one-sided communication, not for reductions", rule->name);
	if (!handle_is_predefined(known_as(t)))
		return fail_with(MPI_ERR_OP,
			"%s is defined for predefined datatypes, not for a derived one; use "
			"MPI_Op_create",
			rule->name);
	if (!(rule->classes & IN(type_table_class_of(known_as(t)))))
		return fail_with(MPI_ERR_OP, "%s is not defined for datatype 0x%x", rule->name,
			(unsigned)(uintptr_t)t->handle);
	return MPI_SUCCESS;
}

/* At most INT_MAX elements at a time, because the function counts them in an int. */
static void apply_user(struct op *op, const char *in, char *inout, size_t count, struct type *t)
{
	MPI_Datatype handle = t->handle;

	for (size_t done = 0; done < count;) {
		int len = count - done < INT_MAX ? (int)(count - done) : INT_MAX;
		ptrdiff_t at = (ptrdiff_t)done * t->extent;

		op->user((void *)(uintptr_t)(in + at), inout + at, &len, &handle);
		done += (size_t)len;
	}
}

static void apply_user_c(struct op *op, const void *in, void *inout, size_t count, struct type *t)
{
	MPI_Datatype handle = t->handle;
	MPI_Count len = (MPI_Count)count;

	op->user_c((void *)(uintptr_t)in, inout, &len, &handle);
}

void op_apply(struct op *op, const void *in, void *inout, size_t count, struct type *t)
{
	if (count == 0)
		return;
	if (!is_user(op)) {
		const struct rule *rule = &rules[SLOT_OF(op->handle)];

		op_kernels_find(rule->kind, type_table_value_of(known_as(t)))(in, inout, count);
		return;
	}
	op_hold(op);
	type_hold(t);
	engine_unlock();
	if (op->user)
		apply_user(op, in, inout, count, t);
	else
		apply_user_c(op, in, inout, count, t);
	engine_lock_again();
	type_release(t);
	op_release(op);
}

void op_hold(struct op *op)
{
	if (!handle_is_predefined(op->handle))
		op->head.refs++;
}

void op_release(struct op *op)
{
	if (handle_is_predefined(op->handle) || --op->head.refs > 0)
		return;
	op->head.kind = OBJECT_FREED;
	free(op);
}

int op_make(MPI_User_function *user, MPI_User_function_c *user_c, bool commutative, struct op **out)
{
	struct op *op = malloc(sizeof(*op));
	int rc;

	if (!op)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an operator");
	*op = (struct op){{OBJECT_OP, 1}, commutative, user, user_c, (MPI_Op)(void *)op};
	rc = handle_table_add(&op->head);
	if (rc != MPI_SUCCESS) {
		free(op);
		return rc;
	}
	*out = op;
	return MPI_SUCCESS;
}

void op_free(struct op *op)
{
	handle_table_remove(&op->head);
	op_release(op);
}
