/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The version this library was compiled as (asim/version.h).
 */
#include "asim/version.h"

#include "asim/commit.h"

const char *asim_version(void)
{
    return ASIM_VERSION;
}

const char *asim_commit(void)
{
    return ASIM_COMMIT;
}
