# SPDX-License-Identifier: BSD-3-Clause
# Fortran programs of the tests, by the compiler wrapper.

FORTRAN_PROGRAMS := ftn77 ftn77f ftn90 ftn08 ftncalls ftnplain ftnsess

# each call with each argument, and functions in the place of the library's
FORTRAN_MOCKS := mock_f08 mock_mpi
FORTRAN_MOCK := perl bin/tests/fortran/mock.pl

ifdef HAVE_FORTRAN
all: $(FORTRAN_PROGRAMS:%=$(B)/bin/%) $(FORTRAN_MOCKS:%=$(B)/bin/%)
endif

FTMPIFORT = FTMPI_FC=$(FORTRAN) FTMPI_LIBDIR=$(abspath $(B)/lib) bin/ftmpifort
FORTRAN_FLAGS = -g -fcheck=all -Wall -Werror -J $(O)/bin/tests/fortran $(SAN)

$(FORTRAN_PROGRAMS:%=$(B)/bin/%): $(B)/bin/%: $(FORTRAN_LIBRARIES) $(FORTRAN_INCLUDES) bin/lib/FTMPI/Compiler.pm
	@mkdir -p $(@D) $(O)/bin/tests/fortran
	@echo "  FC $@"
	$(Q)$(FTMPIFORT) $(FORTRAN_FLAGS) -o $@ $(filter %.f %.f90 %.o,$^)

$(B)/bin/ftn77: bin/tests/fortran/ftn77.f bin/tests/fortran/ftn77_more.f
$(B)/bin/ftn77f: bin/tests/fortran/ftn77f.f
$(B)/bin/ftn90: bin/tests/fortran/ftn90.f90
$(B)/bin/ftn08: bin/tests/fortran/ftn08.f90
$(B)/bin/ftnplain: bin/tests/fortran/ftnplain.f90
$(B)/bin/ftnsess: bin/tests/fortran/ftnsess.f90
$(B)/bin/ftncalls: bin/tests/fortran/ftncalls.f90 $(O)/bin/tests/fortran/ftnc.o

$(O)/bin/tests/fortran/mock.c: bin/tests/fortran/mock.pl $(FORTRAN_GEN)
	@mkdir -p $(@D)
	@echo "  GEN $@"
	$(Q)$(FORTRAN_MOCK) c include/mpi.h >$@.new && mv $@.new $@

$(O)/bin/tests/fortran/mock_%.f90: bin/tests/fortran/mock.pl $(FORTRAN_GEN)
	@mkdir -p $(@D)
	@echo "  GEN $@"
	$(Q)$(FORTRAN_MOCK) $* include/mpi.h >$@.new && mv $@.new $@

$(O)/bin/tests/fortran/mock.o: $(O)/bin/tests/fortran/mock.c
	$(Q)$(CC) $(CPPFLAGS) -std=gnu11 -Wall $(SAN) -c $< -o $@

$(FORTRAN_MOCKS:%=$(B)/bin/%): $(B)/bin/%: $(O)/bin/tests/fortran/%.f90 $(O)/bin/tests/fortran/mock.o $(FORTRAN_LIBRARIES)
	@mkdir -p $(@D)
	@echo "  FC $@"
	$(Q)$(FTMPIFORT) -O0 -fcheck=all -J $(O)/bin/tests/fortran $(SAN) -o $@ $(filter %.f90 %.o,$^)
