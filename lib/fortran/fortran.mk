# SPDX-License-Identifier: BSD-3-Clause
# The Fortran interface, made when there is a gfortran: all but what stands in C is generated.

FORTRAN ?= gfortran
FFLAGS ?= -O2
HAVE_FORTRAN := $(if $(shell command -v $(FORTRAN) 2>/dev/null),yes)

FORTRAN_INCLUDES := $(B)/include/mpif.h $(B)/include/ftmpif.h
FORTRAN_MODULES := ftmpi_types mpi mpi_f08 ftmpi ftmpi_f08
FORTRAN_MADE := $(O)/lib/fortran/wrappers.o $(O)/lib/fortran/trampolines.o
FORTRAN_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard lib/fortran/*.c)) $(FORTRAN_MADE) $(FORTRAN_MODULES:%=$(O)/lib/fortran/%.o)
FSO := $(B)/lib/libftmpifort.so.0
FORTRAN_LIBRARIES := $(FSO) $(B)/lib/libftmpifort.so $(B)/lib/libftmpifort.a
FORTRAN_GEN := $(wildcard lib/fortran/gen.pl lib/fortran/gen/*.pm) include/mpi.h include/ftmpi.h

ifdef HAVE_FORTRAN
product: $(FORTRAN_LIBRARIES) $(FORTRAN_INCLUDES)
else
product: no-fortran
no-fortran:
	@echo "  there is no $(FORTRAN), so there will be no Fortran library"
.PHONY: no-fortran
endif

# gen.pl WHAT TEMPLATE
define generate
	@mkdir -p $(@D)
	@echo "  GEN $@"
	$(Q)perl lib/fortran/gen.pl $(1) $(2) include/mpi.h include/ftmpi.h $(wildcard lib/mpi/*/*.c) >$@.new && mv $@.new $@
endef

$(O)/lib/fortran/by_hand.h: $(FORTRAN_GEN)
	$(call generate,by_hand,none)

$(O)/lib/fortran/wrappers.c $(O)/lib/fortran/trampolines.c: $(O)/lib/fortran/%.c: $(FORTRAN_GEN) $(wildcard lib/mpi/*/*.c)
	$(call generate,$*,none)

$(O)/lib/fortran/%.f90: lib/fortran/%.f90.in $(FORTRAN_GEN)
	$(call generate,$*,$<)

$(B)/include/%.h: lib/fortran/%.h.in $(FORTRAN_GEN)
	$(call generate,$*,$<)

FORTRAN_CFLAGS = -iquote lib/fortran -iquote $(O)/lib/fortran -idirafter $(shell $(FORTRAN) -print-file-name=include)

$(O)/lib/fortran/%.o: lib/fortran/%.c $(O)/lib/fortran/by_hand.h lib/fortran/fortran.mk
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) $(FORTRAN_CFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(FORTRAN_MADE): $(O)/%.o: $(O)/%.c $(O)/lib/fortran/by_hand.h lib/fortran/fortran.mk
	@echo "  CC $<"
	$(Q)$(CC) $(CPPFLAGS) $(FORTRAN_CFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# the .mod file is the other thing that this makes
$(FORTRAN_MODULES:%=$(O)/lib/fortran/%.o): %.o: %.f90
	@mkdir -p $(B)/include
	@echo "  FC $<"
	$(Q)$(FORTRAN) -fPIC -Wall -Wno-c-binding-type -Werror $(FFLAGS) $(SAN) -J $(B)/include -c $< -o $@

$(O)/lib/fortran/mpi.o $(O)/lib/fortran/mpi_f08.o: $(O)/lib/fortran/ftmpi_types.o
$(O)/lib/fortran/ftmpi.o: $(O)/lib/fortran/mpi.o
$(O)/lib/fortran/ftmpi_f08.o: $(O)/lib/fortran/mpi_f08.o

# the folder of both libraries; a package for the system's folder needs none
FORTRAN_RPATH = -Wl,-rpath,'$$ORIGIN'

$(FSO): $(FORTRAN_OBJ) lib/fortran/fortran.map $(SO)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libftmpifort.so.0 -Wl,--version-script=lib/fortran/fortran.map \
		$(FORTRAN_RPATH) -o $@ $(FORTRAN_OBJ) $(SO)

$(B)/lib/libftmpifort.so: $(FSO)
	$(Q)ln -sf libftmpifort.so.0 $@

$(B)/lib/libftmpifort.a: $(FORTRAN_OBJ)
	@mkdir -p $(@D)
	@echo "  AR $@"
	$(Q)ld -r -o $(O)/ftmpifort-all.o $(FORTRAN_OBJ)
	$(Q)objcopy --wildcard --keep-global-symbol='mpi_*' --keep-global-symbol='pmpi_*' \
		--keep-global-symbol='ftmpi_*' --keep-global-symbol='__ftmpi_types_*' $(O)/ftmpifort-all.o
	$(Q)rm -f $@ && ar rcs $@ $(O)/ftmpifort-all.o

-include $(patsubst %.c,$(O)/%.d,$(wildcard lib/fortran/*.c)) $(FORTRAN_MADE:.o=.d)
