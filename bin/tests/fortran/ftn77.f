C SPDX-License-Identifier: BSD-3-Clause
C ftn77: Fortran 77 with mpif.h. A ring of ranks relaxes a field: messages
C without waiting, a vector type, reductions. "ftn77 -ckpt M -hold N" makes
C a line every M rounds and waits after round N in its first run.
      PROGRAM FTN77
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INCLUDE 'ftmpif.h'
      INTEGER CELLS, ROUNDS
      PARAMETER (CELLS=64, ROUNDS=40)
      DOUBLE PRECISION U(0:CELLS+1,2), SUM, ALL(8), WANT
      INTEGER STEP, RANK, RANKS, HOLD, EVERY, RUN, IERR, RESULT, I, EDGE
      COMMON /STATE/ U, STEP
      SAVE /STATE/
      CHARACTER*16 WORD

      HOLD = -1
      EVERY = 0
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      DO 10 I = 1, IARGC() - 1
         CALL GETARG(I, WORD)
         IF (WORD .EQ. '-hold') THEN
            CALL GETARG(I + 1, WORD)
            READ (WORD, *) HOLD
         ELSE IF (WORD .EQ. '-ckpt') THEN
            CALL GETARG(I + 1, WORD)
            READ (WORD, *) EVERY
         END IF
 10   CONTINUE
      CALL FTMPI_GET_RESTART_COUNT(RUN, IERR)
      IF (IERR .NE. MPI_SUCCESS) CALL WRONG('RESTART COUNT')

      DO 20 I = 0, CELLS + 1
         U(I,1) = MOD(I * 7 + RANK * 11, 23)
         U(I,2) = -U(I,1)
 20   CONTINUE
      STEP = 0
      CALL FTMPI_CKPT_PROTECT(0, STEP, 1, MPI_INTEGER, IERR)
      IF (IERR .NE. MPI_SUCCESS) CALL WRONG('PROTECT STEP')
      CALL PROTCT(1, U, 2 * (CELLS + 2))
      CALL FTMPI_RESTORE(RESULT)
      IF (RESULT .EQ. FTMPI_RESTORED) THEN
         IF (RANK .EQ. 0) PRINT '(A,I0)', 'restored after round ', STEP
      ELSE IF (RESULT .NE. FTMPI_NOTHING) THEN
         CALL WRONG('RESTORE')
      END IF

C     both columns' edges are one element of a vector type
      CALL MPI_TYPE_VECTOR(2, 1, CELLS + 2, MPI_DOUBLE_PRECISION, EDGE,
     &     IERR)
      CALL MPI_TYPE_COMMIT(EDGE, IERR)
 30   IF (STEP .LT. ROUNDS) THEN
         CALL RELAX(U, CELLS, RANK, RANKS, EDGE)
         STEP = STEP + 1
         IF (EVERY .GT. 0 .AND. MOD(STEP, MAX(EVERY, 1)) .EQ. 0) THEN
            CALL FTMPI_PERFORM_CHECKPOINT(RESULT)
            IF (RESULT .NE. FTMPI_CHECKPOINTED) CALL WRONG('LINE')
         END IF
         IF (STEP .EQ. HOLD .AND. RUN .EQ. 0) THEN
            PRINT '(A,I0,A,I0)', 'rank ', RANK, ' waits after round ',
     &           STEP
            CALL FLUSH(6)
            CALL MPI_RECV(SUM, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE,
     &           32000, MPI_COMM_WORLD, MPI_STATUS_IGNORE, IERR)
         END IF
         GOTO 30
      END IF
      CALL MPI_TYPE_FREE(EDGE, IERR)
      IF (EDGE .NE. MPI_DATATYPE_NULL) CALL WRONG('TYPE NOT NULL')

C     what each rank has, gathered and reduced, is the same
      SUM = 0
      DO 40 I = 1, CELLS
         SUM = SUM + I * U(I,1) + U(I,2)
 40   CONTINUE
      CALL MPI_GATHER(SUM, 1, MPI_DOUBLE_PRECISION, ALL, 1,
     &     MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, IERR)
      CALL MPI_ALLREDUCE(MPI_IN_PLACE, SUM, 1, MPI_DOUBLE_PRECISION,
     &     MPI_SUM, MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0) THEN
         WANT = 0
         DO 50 I = 1, RANKS
            WANT = WANT + ALL(I)
 50      CONTINUE
         IF (ABS(WANT - SUM) .GT. 1D-9 * ABS(WANT)) CALL WRONG('SUM')
         PRINT '(A,I0,A,ES24.16)', 'ftn77: right, ', STEP,
     &        ' rounds, sum ', WANT
      END IF
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE WRONG(WHAT)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      CHARACTER*(*) WHAT
      INTEGER IERR
      WRITE (0, *) 'ftn77: WRONG: ', WHAT
      CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
      END
