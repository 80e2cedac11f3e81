# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Version;

use strict;
use warnings;

use constant NUMBER => '0.1.0';

1;
