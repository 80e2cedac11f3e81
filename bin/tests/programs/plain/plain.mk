# SPDX-License-Identifier: BSD-3-Clause
# Programs that call MPI alone: those of this folder in C++ and Fortran, by the compiler wrappers as a user has them;
# and programs that make checkpoints, compiled with no_calls/ftmpi.h, which leaves the calls out.

PLAIN := bin/tests/programs/plain
PLAIN_C := gauss laplace neurons disks matmul pi cgs mail
PLAIN_CXX := plain_objects plain_inflight plain_threads plain_depths
# what plain_depths opens
PLAIN_PART := $(B)/lib/plain_part.so
PLAIN_FORTRAN := plain_unit plain_types
# not every compiler has OpenMP
PLAIN_OPENMP := $(if $(findstring /,$(shell $(CC) -print-file-name=libgomp.spec 2>/dev/null)),plain_openmp)
# the same program, linked in other ways
PLAIN_LINKED := plain_laplace_archive plain_laplace_fixed $(if $(IMAGE_STATIC),plain_laplace_static)
# a program that a line finds outside of MPI, linked with libc.a
PLAIN_PLACES := $(if $(IMAGE_STATIC),$(B)/bin/places_static)

PLAIN_CALLED := $(PLAIN_C:%=$(B)/bin/plain_%)
PLAIN_WRAPPED := $(addprefix $(B)/bin/,$(PLAIN_CXX) $(PLAIN_OPENMP))
PLAIN_BIN := $(PLAIN_CALLED) $(PLAIN_WRAPPED) $(PLAIN_LINKED:%=$(B)/bin/%) $(PLAIN_PLACES) $(if $(HAVE_FORTRAN),$(PLAIN_FORTRAN:%=$(B)/bin/%))

# images of processes with a sanitizer there are none
all: $(if $(SANITIZER),,$(PLAIN_BIN) $(PLAIN_PART))

$(PLAIN_PART): $(PLAIN)/plain_part.c $(PLAIN)/plain.mk
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -shared -Wl,--build-id -o $@ $<

$(O)/plain/%.o: %.c Makefile $(PLAIN)/no_calls/ftmpi.h $(PLAIN)/plain.mk
	@mkdir -p $(@D)
	@echo "  CC $< (plain)"
	$(Q)$(CC) -I$(PLAIN)/no_calls -iquote bin/tests/programs $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

plain_o = $(patsubst $(O)/%,$(O)/plain/%,$(if $(filter $(1),$(PAPERS)),$(call papers_o,$(1)),$(call program_o,$(1)) $(O)/bin/tests/programs/steps.o))

define plain_rule
$(B)/bin/plain_$(1): $(sort $(call plain_o,$(1))) $(LIBRARIES)
	@mkdir -p $$(@D)
	@echo "  LD $$@"
	$$(Q)$$(CC) $$(ALL_CFLAGS) -o $$@ $$(filter %.o,$$^) -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi -lm
endef
$(foreach p,$(PLAIN_C),$(eval $(call plain_rule,$(p))))

$(B)/bin/plain_laplace_archive: PLAIN_LINK := $(B)/lib/libftmpi.a $(LIBS)
$(B)/bin/plain_laplace_static: PLAIN_LINK := -static $(B)/lib/libftmpi.a $(LIBS)
$(B)/bin/plain_laplace_fixed: PLAIN_LINK := -no-pie -L$(B)/lib -Wl,-rpath,$(abspath $(B)/lib) -lftmpi

# a static link warns of getaddrinfo
$(PLAIN_LINKED:%=$(B)/bin/%): $(sort $(call plain_o,laplace)) $(LIBRARIES)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(PLAIN_LINK) -lm 2>$(O)/plain/$(@F).said || { cat $(O)/plain/$(@F).said >&2; exit 1; }

$(PLAIN_PLACES): $(call program_o,places) $(LIBRARIES)
	@mkdir -p $(@D) $(O)/plain
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) -static -o $@ $(filter %.o,$^) $(B)/lib/libftmpi.a $(LIBS) -lm 2>$(O)/plain/$(@F).said || { cat $(O)/plain/$(@F).said >&2; exit 1; }

$(B)/bin/plain_openmp: PLAIN_CXXFLAGS := -fopenmp

$(PLAIN_WRAPPED): $(B)/bin/%: $(PLAIN)/%.cc $(PLAIN)/plain.h $(PLAIN)/plain.mk $(LIBRARIES) bin/lib/FTMPI/Compiler.pm
	@mkdir -p $(@D)
	@echo "  CXX $@"
	$(Q)FTMPI_LIBDIR=$(abspath $(B)/lib) bin/ftmpicxx -std=c++17 -O2 -g -Wall -Wextra -Wshadow -Werror -pthread $(PLAIN_CXXFLAGS) -o $@ $<

$(PLAIN_FORTRAN:%=$(B)/bin/%): $(B)/bin/%: $(PLAIN)/%.f90 $(PLAIN)/plain.mk $(FORTRAN_LIBRARIES) $(FORTRAN_INCLUDES) bin/lib/FTMPI/Compiler.pm
	@mkdir -p $(@D) $(O)/$(PLAIN)
	@echo "  FC $@"
	$(Q)$(FTMPIFORT) -O2 -g -fcheck=all -Wall -Werror -J $(O)/$(PLAIN) -o $@ $<

-include $(wildcard $(O)/plain/bench/papers/*.d $(O)/plain/bin/tests/programs/*.d $(O)/plain/bin/tests/programs/*/*.d)
