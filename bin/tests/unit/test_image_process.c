/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process is, as bytes; and when one can become the one of an image. */
#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "image/process_here.h"
#include "image/thread_id.h"
#include "unit.h"

enum { OBJECTS = 3 };

static struct process_object objects[2][OBJECTS];
static struct process image, here;
static char why[1024];

/* Two that are alike; the image's has loaded one library more. */
static void make(struct process *p, struct process_object *o)
{
	static const struct process_object made[OBJECTS] = {
		{0x400000, 0x500000, "", 4, {1, 2, 3, 4}},
		{0x7000000, 0x7100000, "/lib/libc.so.6", 2, {5, 6}},
		{0x7200000, 0x7300000, "/lib/plugin.so", 2, {7, 8}},
	};

	memcpy(o, made, sizeof made);
	*p = (struct process){.machine = 62,
		.page_bytes = 4096,
		.kernel = "6.1.0-13",
		.vdso = 0xabcdef,
		.processor = "Thing 4",
		.hwcap = 11,
		.hwcap2 = 12,
		.registers = 7,
		.register_bytes = 832,
		.word = {1, 2, 3, 4, 5, 6, 7, 8, 9},
		.libc = "2.36",
		.thread_id_at = 720,
		.personality = 0,
		.stack_limit = 8 << 20,
		.break_start = 0x600000,
		.object = o,
		.objects = OBJECTS};
}

static void setup(void)
{
	make(&image, objects[0]);
	make(&here, objects[1]);
	here.objects = 2;
	why[0] = '\0';
}

START_TEST(the_bytes_say_all_of_it)
{
	struct process back;
	uint8_t *bytes, *again;
	size_t n, m;

	ck_assert_int_eq(process_encode(&image, &bytes, &n), 0);
	ck_assert_int_eq(process_decode(&back, bytes, n), 0);
	ck_assert_int_eq(process_encode(&back, &again, &m), 0);
	ck_assert_uint_eq(n, m);
	ck_assert_int_eq(memcmp(bytes, again, n), 0);
	ck_assert_uint_eq(back.objects, OBJECTS);
	ck_assert_str_eq(back.object[1].name, "/lib/libc.so.6");
	ck_assert_uint_eq(back.object[0].low, 0x400000);
	ck_assert_uint_eq(back.stack_limit, 8 << 20);
	ck_assert_str_eq(back.libc, "2.36");
	ck_assert_int_eq(image_fits(&back, &here, why, sizeof why), 0);
	process_free(&back);
	for (size_t cut = 0; cut < n; cut++)
		ck_assert_int_eq(process_decode(&back, bytes, cut), -EPROTO);
	again = realloc(again, n + 1);
	again[n] = 0;
	ck_assert_int_eq(process_decode(&back, again, n + 1), -EPROTO);
	free(bytes);
	free(again);
}
END_TEST

/* The bytes of the image's with something changed in it are refused. */
static void refuse_bytes(void)
{
	struct process back;
	uint8_t *bytes;
	size_t n;

	ck_assert_int_eq(process_encode(&image, &bytes, &n), 0);
	ck_assert_int_eq(process_decode(&back, bytes, n), -EPROTO);
	free(bytes);
}

START_TEST(numbers_have_bounds)
{
	static struct process_object many[PROCESS_OBJECTS_MAX + 1];
	static char name[PROCESS_NAME_MAX + 2];
	struct process back;
	uint8_t *bytes;
	size_t n;

	objects[0][1].high = objects[0][1].low;
	refuse_bytes();
	setup();
	ck_assert_int_eq(process_encode(&image, &bytes, &n), 0);
	/* of the last object */
	bytes = realloc(bytes, n + PROCESS_ID_MAX);
	memset(bytes + n, 1, PROCESS_ID_MAX);
	bytes[n - 2 - 4] = PROCESS_ID_MAX;
	ck_assert_int_eq(process_decode(&back, bytes, n - 2 + PROCESS_ID_MAX), 0);
	process_free(&back);
	bytes[n - 2 - 4] = PROCESS_ID_MAX + 1;
	ck_assert_int_eq(process_decode(&back, bytes, n - 1 + PROCESS_ID_MAX), -EPROTO);
	free(bytes);
	memset(name, 'x', PROCESS_NAME_MAX + 1);
	objects[0][1].name = name;
	ck_assert_int_eq(process_encode(&image, &bytes, &n), -E2BIG);
	objects[0][1].name = name + 1;
	ck_assert_int_eq(process_encode(&image, &bytes, &n), 0);
	ck_assert_int_eq(process_decode(&back, bytes, n), 0);
	process_free(&back);
	free(bytes);
	for (int i = 0; i <= PROCESS_OBJECTS_MAX; i++)
		many[i] = (struct process_object){1, 2, "", 0, {0}};
	image.object = many;
	image.objects = PROCESS_OBJECTS_MAX;
	ck_assert_int_eq(process_encode(&image, &bytes, &n), 0);
	ck_assert_int_eq(process_decode(&back, bytes, n), 0);
	process_free(&back);
	free(bytes);
	image.objects++;
	ck_assert_int_eq(process_encode(&image, &bytes, &n), -E2BIG);
}
END_TEST

/* One thing is changed in what is here; the sentence names it, both values, and what to do. */
static const struct {
	size_t at, bytes; /* in struct process; bytes 0: of an object, at the number `object` */
	uint64_t to;
	const char *said[4];
} differences[] = {
#define FIELD(name) offsetof(struct process, name), sizeof here.name
	{FIELD(machine), 183, {"machine 62 (x86-64)", "here is 183 (aarch64)", "resume on"}},
	{FIELD(page_bytes), 16384, {"pages of 4096", "here they have 16384", "resume under"}},
	{FIELD(vdso), 0xfed,
		{"kernel 6.1.0-13", "0000000000abcdef, here 0000000000000fed", "vdso",
			"resume under"}},
	{FIELD(hwcap), 3, {"AT_HWCAP 0xb, here 0x3", "Thing 4, here Thing 4", "resume on"}},
	{FIELD(hwcap2), 3, {"AT_HWCAP2 0xc, here 0x3", "resume on"}},
	{FIELD(registers), 231, {"saved registers 0x7, here 0xe7", "resume on"}},
	{FIELD(register_bytes), 2440, {"bytes of saved registers 0x340, here 0x988", "resume on"}},
	{FIELD(word[0]), 77, {"features 0x1, here 0x4d", "resume on"}},
	{FIELD(word[8]), 77, {"features 0x9, here 0x4d", "resume on"}},
	{FIELD(libc[3]), '7', {"glibc 2.36, and here is 2.37", "resume with"}},
	{FIELD(thread_id_at), 724, {"byte 720", "byte 724 here", "resume with"}},
	{FIELD(personality), 8, {"personality 0, and this one 0x8", "setarch"}},
	{FIELD(stack_limit), 256 << 20, {"limit of 8192 KiB", "with 262144 KiB", "ulimit -s"}},
	{FIELD(stack_limit), UINT64_MAX, {"limit of 8192 KiB", "with unlimited", "ulimit -s"}},
	{FIELD(break_start), 0x601000, {"begins at 0x600000, and here at 0x601000", "resume with"}},
};

START_TEST(a_difference_is_told)
{
	memcpy((uint8_t *)&here + differences[_i].at, &differences[_i].to, differences[_i].bytes);
	ck_assert_int_eq(image_fits(&image, &here, why, sizeof why), -EINVAL);
	for (size_t i = 0; i < 4 && differences[_i].said[i]; i++)
		ck_assert_msg(strstr(why, differences[_i].said[i]), "\"%s\" is not in: %s",
			differences[_i].said[i], why);
}
END_TEST

static void expect_told(const char *const *said)
{
	ck_assert_int_eq(image_fits(&image, &here, why, sizeof why), -EINVAL);
	for (; *said; said++)
		ck_assert_msg(strstr(why, *said), "\"%s\" is not in: %s", *said, why);
}

START_TEST(a_library_differs)
{
	objects[1][1].id[1] = 9;
	expect_told((const char *[]){
		"/lib/libc.so.6 is another one", "id 0506, here 0509", "resume", NULL});
	objects[1][1].id_length = 0;
	expect_told((const char *[]){"/lib/libc.so.6 is another one", "id 0506, here none", NULL});
	setup();
	objects[1][0].id_length = 3;
	expect_told(
		(const char *[]){"the program is another one", "id 01020304, here 010203", NULL});
	setup();
	objects[1][1].low -= 0x1000;
	expect_told((const char *[]){"/lib/libc.so.6 lies at 0x7000000 to 0x7100000 in the image",
		"at 0x6fff000 to 0x7100000 here", "start the program", NULL});
	setup();
	objects[1][1].high += 0x1000;
	expect_told((const char *[]){"/lib/libc.so.6 lies at", NULL});
	setup();
	objects[1][1].name = "/lib/strange\n.so";
	expect_told((const char *[]){"/lib/strange .so is loaded here", "LD_PRELOAD", NULL});
}
END_TEST

START_TEST(what_does_not_matter_fits)
{
	ck_assert_int_eq(image_fits(&image, &here, why, sizeof why), 0);
	here.stack_limit = 64 << 20;
	strcpy(here.kernel, "6.1.0-14");
	strcpy(here.processor, "Thing 5");
	here.addresses = PROCESS_RANDOM;
	ck_assert_int_eq(image_fits(&image, &here, why, sizeof why), 0);
	/* one file, loaded twice */
	objects[0][2].name = objects[1][2].name = objects[0][1].name;
	here.objects = 3;
	ck_assert_int_eq(image_fits(&image, &here, why, sizeof why), 0);
	ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(the_same_object_lies_in_both)
{
	ck_assert(process_same_object(&image, &here, 0x400000));
	ck_assert(process_same_object(&image, &here, 0x70fffff));
	ck_assert(!process_same_object(&image, &here, 0x7100000));
	ck_assert(!process_same_object(&image, &here, 0x3fffff));
	/* only the image has loaded it */
	ck_assert(!process_same_object(&image, &here, 0x7200000));
	objects[1][1].id[0]++;
	ck_assert(!process_same_object(&image, &here, 0x7000000));
	objects[0][0].id_length = objects[1][0].id_length = 0;
	ck_assert(!process_same_object(&image, &here, 0x400000));
}
END_TEST

START_TEST(some_have_no_images)
{
	ck_assert_int_eq(process_possible(&here, why, sizeof why), 0);
	here.tiles = true;
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "asked for the registers of AMX"));
	here.tiles = false;
	here.addresses = PROCESS_RANDOM;
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "are random: start the program with ADDR_NO_RANDOMIZE"));
	here.addresses = PROCESS_STAY_RANDOM;
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "the kernel refuses to change that"));
	here.signer = "/lib/libc.so.6";
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "/lib/libc.so.6 signs return addresses"));
	here.signer = "";
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "the program signs return addresses"));
	here.sanitizer = "AddressSanitizer";
	ck_assert_int_eq(process_possible(&here, why, sizeof why), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(why, "built with AddressSanitizer"));
}
END_TEST

/* nop, stp, ret; what signs with either key; what checks. */
START_TEST(code_that_signs_is_known)
{
	uint32_t code[] = {0xd503201f, 0xa9be7bfd, 0xd50323bf, 0xd65f03c0};

	ck_assert(!process_signs(code, 4));
	code[3] = 0xd503233f;
	ck_assert(process_signs(code, 4));
	ck_assert(!process_signs(code, 3));
	code[3] = 0xd503237f;
	ck_assert(process_signs(code, 4));
}
END_TEST

/* ---- notes ---- */

#define WORD(n) n, 0, 0, 0
#define GNU 'G', 'N', 'U', 0
#define ID 0xde, 0xad, 0xbe, 0xef

static const struct {
	size_t align, bytes;
	uint32_t length;
	uint8_t notes[64];
} notes[] = {
	{4, 20, 4, {WORD(4), WORD(4), WORD(3), GNU, ID}},
	{8, 24, 4, {WORD(4), WORD(4), WORD(3), GNU, ID}},
	{4, 20, 0, {WORD(4), WORD(4), WORD(5), GNU, ID}},
	{4, 20, 0, {WORD(4), WORD(4), WORD(3), 'G', 'N', 'V', 0, ID}},
	{4, 19, 0, {WORD(4), WORD(4), WORD(3), GNU, ID}},
	{4, 20, 0, {WORD(4), WORD(5), WORD(3), GNU, ID}},
	{4, 40, 4,
		{WORD(4), WORD(3), WORD(1), GNU, 1, 2, 3, 0, WORD(4), WORD(4), WORD(3), GNU, ID}},
	{4, 39, 0,
		{WORD(4), WORD(3), WORD(1), GNU, 1, 2, 3, 0, WORD(4), WORD(4), WORD(3), GNU, ID}},
	{4, 12, 0, {WORD(0), WORD(0), WORD(3)}},
	{4, 20, 0, {0xff, 0xff, 0xff, 0xff, WORD(4), WORD(3), GNU, ID}},
	{4, 20, 0, {WORD(4), 0xff, 0xff, 0xff, 0xff, WORD(3), GNU, ID}},
	{4, 20, 0, {WORD(4), 0xfc, 0xff, 0xff, 0xff, WORD(1), GNU, ID}},
	{4, 0, 0, {0}},
};

START_TEST(an_id_is_found_among_notes)
{
	uint8_t id[PROCESS_ID_MAX] = {0}, *copy = malloc(notes[_i].bytes + 1);

	memcpy(copy, notes[_i].notes, notes[_i].bytes);
	ck_assert_uint_eq(
		process_build_id(copy, notes[_i].bytes, notes[_i].align, id), notes[_i].length);
	ck_assert_int_eq(memcmp(id, (uint8_t[]){ID}, 4) == 0, notes[_i].length > 0);
	free(copy);
}
END_TEST

START_TEST(an_id_is_not_too_long)
{
	uint8_t id[PROCESS_ID_MAX],
		note[16 + PROCESS_ID_MAX + 4] = {WORD(4), WORD(PROCESS_ID_MAX), WORD(3), GNU};

	ck_assert_uint_eq(process_build_id(note, sizeof note, 4, id), PROCESS_ID_MAX);
	note[4] += 1;
	ck_assert_uint_eq(process_build_id(note, sizeof note, 4, id), 0);
}
END_TEST

/* ---- this process ---- */

static const struct process_object *object_at(const struct process *p, const void *address)
{
	for (size_t i = 0; i < p->objects; i++)
		if (p->object[i].low <= (uintptr_t)address &&
			(uintptr_t)address < p->object[i].high)
			return &p->object[i];
	return NULL;
}

/* As the kernel shows it; 0: it has none. */
static uint64_t hash_of_vdso(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[4096];
	uint64_t hash = 0;

	while (maps && fgets(line, sizeof line, maps))
		if (strstr(line, " [vdso]") && sscanf(line, "%lx-%lx", &low, &high) == 2)
			hash = XXH3_64bits((const void *)low, high - low);
	if (maps)
		fclose(maps);
	return hash;
}

static const char *sanitizer(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__)
	return "ThreadSanitizer";
#else
	return NULL;
#endif
}

START_TEST(this_process_is_told)
{
	struct process p, q, r;
	struct rlimit limit;
	uint8_t *bytes;
	size_t n;

	getrlimit(RLIMIT_STACK, &limit);
	ck_assert_int_eq(thread_id_find(), 0);
	process_here_init();
	/* what was at the begin counts */
	setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, limit.rlim_max});
	ck_assert_int_eq(process_here(&p, why, sizeof why), 0);
	setrlimit(RLIMIT_STACK, &limit);
	ck_assert_uint_eq(p.stack_limit, limit.rlim_cur);
	ck_assert_uint_eq(p.page_bytes, (uint64_t)sysconf(_SC_PAGESIZE));
	ck_assert_uint_eq(p.vdso, hash_of_vdso());
	ck_assert_int_eq(p.thread_id_at, thread_id_offset());
	ck_assert_uint_ne(p.register_bytes | p.hwcap, 0);
	ck_assert(p.kernel[0] && p.processor[0] && p.libc[0] == '2');
	ck_assert_uint_gt(p.break_start, 0);
	ck_assert_uint_le(p.break_start, (uintptr_t)sbrk(0));
	ck_assert_uint_gt(p.break_start, (uintptr_t)sbrk(0) - (64 << 20));
	ck_assert_ptr_eq(object_at(&p, objects), &p.object[0]);
	ck_assert_ptr_eq(object_at(&p, object_at), &p.object[0]);
	ck_assert_str_eq(p.object[0].name, "");
	ck_assert_uint_ge(p.object[0].id_length, 8);
	ck_assert_ptr_nonnull(strstr(object_at(&p, (void *)strtoul)->name, "/libc.so"));
	ck_assert_pstr_eq(p.sanitizer, sanitizer());
	ck_assert_int_eq(process_here(&q, why, sizeof why), 0);
	ck_assert_int_eq(process_encode(&p, &bytes, &n), 0);
	ck_assert_int_eq(process_decode(&r, bytes, n), 0);
	ck_assert_msg(image_fits(&r, &q, why, sizeof why) == 0, "%s", why);
	free(bytes);
	process_free(&p);
	process_free(&q);
	process_free(&r);
}
END_TEST

/* Its addresses, as a number; of a child, so that nothing stays. */
static int addresses_in_child(bool fixed, bool refused)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x80000000u, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	unsigned was = (unsigned)personality(0xffffffff) & ~(unsigned)ADDR_NO_RANDOMIZE;
	pid_t child = fork();
	struct process p;
	int status;

	if (child == 0) {
		if (personality(was | (fixed ? ADDR_NO_RANDOMIZE : 0)) < 0)
			_exit(100);
		if (refused && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
				       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
			_exit(101);
		if (process_here(&p, why, sizeof why) != 0)
			_exit(102);
		/* to ask has changed nothing */
		if (((unsigned)personality(0xffffffff) & ADDR_NO_RANDOMIZE) !=
			(fixed ? (unsigned)ADDR_NO_RANDOMIZE : 0))
			_exit(103);
		_exit((int)p.addresses);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The code that loads is in this program, here; what is written is none of it. */
START_TEST(the_code_that_loads_is_told)
{
	static uint64_t written = 1;
	uint64_t code = (uintptr_t)process_here, data = (uintptr_t)&written;
	struct process p;

	ck_assert_int_eq(process_here(&p, why, sizeof why), 0);
	ck_assert(process_has_code(&p, code, code + 1));
	ck_assert(process_has_code(&p, 0, UINT64_MAX));
	ck_assert(!process_has_code(&p, data, data + 1));
	ck_assert(!process_has_code(&p, 0, 1));
	process_free(&p);
}
END_TEST

START_TEST(a_part_of_all_has_code)
{
	ck_assert(process_part_has_code(PF_R) && process_part_has_code(PF_R | PF_X));
	ck_assert(process_part_has_code(PF_R | PF_W | PF_X));
	ck_assert(!process_part_has_code(PF_R | PF_W));
}
END_TEST

START_TEST(random_addresses_are_seen)
{
	FILE *knob = fopen("/proc/sys/kernel/randomize_va_space", "r");
	int random = PROCESS_RANDOM, stay = PROCESS_STAY_RANDOM;

	/* a kernel that randomises nothing */
	if (knob && fgetc(knob) == '0')
		random = stay = PROCESS_FIXED;
	if (knob)
		fclose(knob);
	ck_assert_int_eq(addresses_in_child(true, false), PROCESS_FIXED);
	ck_assert_int_eq(addresses_in_child(false, false), random);
	ck_assert_int_eq(addresses_in_child(false, true), stay);
}
END_TEST

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_it(void *arg)
{
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return arg;
}

/* A sanitizer begins one of its own with the first one. */
START_TEST(threads_are_counted)
{
	pthread_t thread[2];
	int count;

	if (!sanitizer())
		ck_assert_int_eq(process_threads(why, sizeof why), 1);
	pthread_mutex_lock(&held);
	ck_assert_int_eq(pthread_create(&thread[0], NULL, wait_for_it, NULL), 0);
	count = process_threads(why, sizeof why);
	ck_assert_int_ge(count, 2);
	ck_assert_int_eq(pthread_create(&thread[1], NULL, wait_for_it, NULL), 0);
	ck_assert_int_eq(process_threads(why, sizeof why), count + 1);
	pthread_mutex_unlock(&held);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
}
END_TEST

UNIT_MAIN(
	"image_process", tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, the_bytes_say_all_of_it); tcase_add_test(tc, numbers_have_bounds);
	tcase_add_loop_test(tc, a_difference_is_told, 0, sizeof differences / sizeof *differences);
	tcase_add_test(tc, a_library_differs); tcase_add_test(tc, what_does_not_matter_fits);
	tcase_add_test(tc, the_same_object_lies_in_both); tcase_add_test(tc, some_have_no_images);
	tcase_add_test(tc, code_that_signs_is_known);
	tcase_add_loop_test(tc, an_id_is_found_among_notes, 0, sizeof notes / sizeof *notes);
	tcase_add_test(tc, an_id_is_not_too_long); tcase_add_test(tc, this_process_is_told);
	tcase_add_test(tc, the_code_that_loads_is_told); tcase_add_test(tc, a_part_of_all_has_code);
	tcase_add_test(tc, random_addresses_are_seen); tcase_add_test(tc, threads_are_counted);)
