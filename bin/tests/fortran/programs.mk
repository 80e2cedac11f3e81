# SPDX-License-Identifier: BSD-3-Clause
# Fortran programs of the tests, by the compiler wrapper.

FORTRAN_PROGRAMS := ftn77 ftn90 ftn08 ftncalls

ifdef HAVE_FORTRAN
all: $(FORTRAN_PROGRAMS:%=$(B)/bin/%)
endif

FTMPIFORT = FTMPI_FC=$(FORTRAN) FTMPI_LIBDIR=$(abspath $(B)/lib) bin/ftmpifort
FORTRAN_FLAGS = -g -fcheck=all -Wall -Werror -J $(O)/bin/tests/fortran $(SAN)

$(FORTRAN_PROGRAMS:%=$(B)/bin/%): $(B)/bin/%: $(FORTRAN_LIBRARIES) $(FORTRAN_INCLUDES) bin/lib/FTMPI/Compiler.pm
	@mkdir -p $(@D) $(O)/bin/tests/fortran
	@echo "  FC $@"
	$(Q)$(FTMPIFORT) $(FORTRAN_FLAGS) -o $@ $(filter %.f %.f90 %.o,$^)

$(B)/bin/ftn77: bin/tests/fortran/ftn77.f bin/tests/fortran/ftn77_more.f
$(B)/bin/ftn90: bin/tests/fortran/ftn90.f90
$(B)/bin/ftn08: bin/tests/fortran/ftn08.f90
$(B)/bin/ftncalls: bin/tests/fortran/ftncalls.f90 $(O)/bin/tests/fortran/ftnc.o
