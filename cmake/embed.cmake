# SPDX-License-Identifier: GPL-2.0-only
#
# asim_embed(<target> <name> <file>...): compiles text files into the target. <name>_files is a table of their
# names without folder and their texts, which ends with a row of NULL. A change of a file makes it again.
#
# Called with -P, this file writes the C source: -DOUT=... -DNAME=... -DFILES=a|b|c.
function(asim_embed target name)
  set(paths "")
  foreach(file ${ARGN})
    list(APPEND paths ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  string(REPLACE ";" "|" joined "${paths}")
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}_files.c)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAME=${name}" "-DFILES=${joined}" -P
            ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${paths} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    VERBATIM
  )
  target_sources(${target} PRIVATE ${out})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE AND OUT)
  string(REPLACE "|" ";" files "${FILES}")
  set(texts "")
  set(rows "")
  set(number 0)
  foreach(file ${files})
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND texts "static const unsigned char text_${number}[] = {${bytes}0};\n")
    get_filename_component(base ${file} NAME)
    string(APPEND rows "    {\"${base}\", (const char *)text_${number}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${OUT}
       "/* Made by cmake/embed.cmake. */\n#include \"base/embedded.h\"\n\n${texts}\nconst struct asim_embedded ${NAME}_files[] = {\n${rows}    {0, 0}};\n"
  )
endif()
