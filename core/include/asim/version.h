/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The version of asim (semver.org). This header is the only place that states it: CMake reads the
 * three numbers for the soname, asim.pc and the CMake package.
 *
 * While ASIM_VERSION_MAJOR is 0 a new MINOR may change the interface, and a new PATCH may not.
 * The macros tell the headers a program was compiled with, the function the library it runs with.
 */
#ifndef ASIM_VERSION_H
#define ASIM_VERSION_H

#include "asim/export.h"

#define ASIM_VERSION_MAJOR 0
#define ASIM_VERSION_MINOR 1
#define ASIM_VERSION_PATCH 0

/* Grows with each release: for comparisons in #if. */
#define ASIM_VERSION_NUMBER                                                                        \
    (ASIM_VERSION_MAJOR * 1000000 + ASIM_VERSION_MINOR * 1000 + ASIM_VERSION_PATCH)

#define ASIM_VERSION_TEXT_(number) #number
#define ASIM_VERSION_TEXT(number)  ASIM_VERSION_TEXT_(number)
/* "MAJOR.MINOR.PATCH" */
#define ASIM_VERSION                                                                               \
    ASIM_VERSION_TEXT(ASIM_VERSION_MAJOR)                                                          \
    "." ASIM_VERSION_TEXT(ASIM_VERSION_MINOR) "." ASIM_VERSION_TEXT(ASIM_VERSION_PATCH)

ASIM_C_BEGIN

/* ASIM_VERSION of the library; the text is static. */
ASIM_API const char *asim_version(void);
/* The commit the library was built from, "f504601a2b", with "+" where sources had changed since; ""
 * where it was not built in a clone. */
ASIM_API const char *asim_commit(void);

ASIM_C_END
#endif
