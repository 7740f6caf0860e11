# SPDX-License-Identifier: GPL-2.0-only
#
# Run at each build: cmake -DSOURCE=<repository> -DOUT=<commit.h> -P commit.cmake. Writes the commit
# of the sources, with "+" where they have changed since, or "" outside a clone of this repository.
# The file keeps its date where nothing is new, so that nothing is compiled again.
get_filename_component(source ${SOURCE} REALPATH)
execute_process(
  COMMAND git -C ${source} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
)
set(commit "")
if(top STREQUAL source)
  execute_process(
    COMMAND git -C ${source} describe --always --dirty=+ --abbrev=10 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  )
endif()
file(WRITE ${OUT}.new "/* Made by cmake/commit.cmake. */\n#define ASIM_COMMIT \"${commit}\"\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
file(REMOVE ${OUT}.new)
