/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ASIM_API marks every function and table that libasim exports. The library is compiled with
 * hidden visibility, so a symbol without the mark is not part of the interface.
 */
#ifndef ASIM_EXPORT_H
#define ASIM_EXPORT_H

#ifdef __GNUC__
#define ASIM_API __attribute__((visibility("default")))
#else
#define ASIM_API
#endif

#endif
