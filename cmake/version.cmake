# SPDX-License-Identifier: GPL-2.0-only
#
# Reads ASIM_VERSION from core/include/asim/version.h, the one place that states it.
set(asim_version_header ${CMAKE_CURRENT_LIST_DIR}/../core/include/asim/version.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${asim_version_header})
file(STRINGS ${asim_version_header} asim_version_lines
     REGEX "^#define ASIM_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX REPLACE "[^0-9;]" "" asim_version_numbers "${asim_version_lines}")
string(REPLACE ";" "." ASIM_VERSION "${asim_version_numbers}")
