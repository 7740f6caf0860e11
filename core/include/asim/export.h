/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ASIM_API marks every function and table that libasim exports. The library is compiled with
 * hidden visibility, so a symbol without the mark is not part of the interface. ASIM_C_BEGIN and
 * ASIM_C_END enclose declarations, which have the names of C in C++, too.
 */
#ifndef ASIM_EXPORT_H
#define ASIM_EXPORT_H

#ifdef __GNUC__
#define ASIM_API __attribute__((visibility("default")))
#else
#define ASIM_API
#endif

#ifdef __cplusplus
#define ASIM_C_BEGIN extern "C" {
#define ASIM_C_END   }
#else
#define ASIM_C_BEGIN
#define ASIM_C_END
#endif

#endif
