# SPDX-License-Identifier: BSD-3-Clause
# A program whose image is taken and loaded without the rest of the library: position independent, not so,
# and linked statically.

IMAGE_SRC := $(wildcard lib/image/*.c)
IMAGE_OBJ := $(IMAGE_SRC:%.c=$(O)/%.o)
IMAGE_BASE := $(addprefix $(O)/lib/base/,cursor.o shown.o)
# not every system has a libc.a
IMAGE_STATIC := $(if $(findstring /,$(shell $(CC) -print-file-name=libc.a 2>/dev/null)),_static)
IMAGE_ALONE := $(addprefix $(B)/bin/image_alone,_pie _fixed $(IMAGE_STATIC))

# what runs while libc's memory is exchanged, or its locks may be held by nobody, calls nothing of its own accord
$(IMAGE_OBJ): CFLAGS += -fno-stack-protector -fno-tree-loop-distribute-patterns -ffreestanding

$(B)/bin/image_alone_pie: IMAGE_LINK := -pie
$(B)/bin/image_alone_fixed: IMAGE_LINK := -no-pie
$(B)/bin/image_alone_static: IMAGE_LINK := -static

# as one that was built with a sanitizer; one whose library begins a thread before main
$(B)/bin/image_alone_sanitized: $(O)/bin/tests/image/fake_sanitizer.o
$(B)/bin/image_alone_threaded: $(O)/bin/tests/image/early_thread.o

IMAGE_ALONE += $(addprefix $(B)/bin/image_alone_,sanitized threaded)

$(IMAGE_ALONE): $(O)/bin/tests/image/image_alone.o $(O)/bin/tests/image/image_file.o $(IMAGE_OBJ) $(IMAGE_BASE)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(IMAGE_LINK) -o $@ $^

$(addprefix $(B)/bin/image_,state files threads parking waits openmp): $(B)/bin/%: $(addprefix $(O)/bin/tests/image/,%.o image_file.o) $(IMAGE_OBJ) $(IMAGE_BASE)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(IMAGE_LINK) -o $@ $^ -lm

# a library, and the same one built anew
$(B)/lib/image_word_1.so $(B)/lib/image_word_2.so: $(B)/lib/image_word_%.so: bin/tests/image/image_word.c
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -DWORD=$* -shared -Wl,--build-id -o $@ $<

# it loads the MPI library itself
$(B)/bin/image_dlopen: $(O)/bin/tests/image/image_dlopen.o
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ -ldl

IMAGE_ALONE += $(B)/bin/image_dlopen

# the same program, whose image is a recovery line
IMAGE_LINE_SRC := $(addprefix bin/tests/image/,image_alone.c image_line.c) $(wildcard lib/ckpt/*.c lib/base/*.c)
$(B)/bin/image_line: $(IMAGE_LINE_SRC:%.c=$(O)/%.o) $(IMAGE_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(LIBS)

# not every compiler has OpenMP
$(O)/bin/tests/image/image_openmp.o: CFLAGS += -fopenmp
$(B)/bin/image_openmp: IMAGE_LINK := -fopenmp
IMAGE_OPENMP := $(if $(findstring /,$(shell $(CC) -print-file-name=libgomp.spec 2>/dev/null)),$(B)/bin/image_openmp)

IMAGE_ALONE += $(addprefix $(B)/bin/image_,state files threads parking waits line) $(IMAGE_OPENMP) $(B)/lib/image_word_1.so $(B)/lib/image_word_2.so

all: $(if $(SANITIZER),,$(IMAGE_ALONE))

# lib/image is in no library yet
-include $(IMAGE_OBJ:.o=.d)
