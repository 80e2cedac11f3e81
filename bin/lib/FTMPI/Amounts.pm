# SPDX-License-Identifier: BSD-3-Clause
#
# Numbers of seconds and bytes as people read them. Pure.
package FTMPI::Amounts;

use strict;
use warnings;

my @SIZES = qw(B KiB MiB GiB TiB PiB);

# 3 digits: "48.2 MiB".
sub bytes
{
	my ($n) = @_;
	my $i = 0;
	while ($n >= 999.5 && $i < $#SIZES) {
		$n /= 1024;
		$i++;
	}
	return ($n < 9.995 && $i ? sprintf('%.2f', $n) : $n < 99.95 && $i ? sprintf('%.1f', $n) : sprintf('%.0f', $n)) . " $SIZES[$i]";
}

# 2 digits: "0.81 %", "37 %"; what is hardly anything is 0.
sub percent
{
	my ($n) = @_;
	return sprintf($n < 9.95 && $n >= 0.001 ? '%.2g' : '%.0f', $n) . ' %';
}

# "0.021 s", "37 s", "3 min 20 s", "1 h 3 min", "2 d 4 h".
sub duration
{
	my ($s) = @_;
	return sprintf('%.3f s', $s) if $s < 0.1;
	return sprintf('%.2g s', $s) if $s < 9.95;
	my $n = int $s + 0.5;
	return "$n s" if $n < 60;
	return _two($n, 60, 'min', 's')    if $n < 3600;
	return _two($n / 60, 60, 'h', 'min') if $n < 86400;
	return _two($n / 3600, 24, 'd', 'h');
}

sub _two
{
	my ($n, $of, $large, $small) = @_;
	my ($many, $rest) = (int $n / $of, int $n % $of);
	return "$many $large" . ($rest ? " $rest $small" : '');
}

1;
