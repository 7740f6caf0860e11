# SPDX-License-Identifier: GPL-2.0-only
#
# asim_family(<target> <family> <folder> [PUBLIC]): compiles every .c file of the folder into the target and
# writes the table of its rows. File ring.c must define `const struct … asim_<family>_ring` whose
# first field is a struct asim_member; a misnamed symbol fails at link. PUBLIC: libasim.so
# exports the table, which a public header declares.
function(asim_family target family folder)
  file(GLOB members CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c")
  list(SORT members)
  set(externs "")
  set(rows "")
  foreach(member ${members})
    get_filename_component(name ${member} NAME_WE)
    string(APPEND externs "extern const struct asim_member asim_${family}_${name};\n")
    string(APPEND rows "    &asim_${family}_${name},\n")
  endforeach()
  set(api "")
  if("PUBLIC" IN_LIST ARGN)
    set(api "ASIM_API ")
  endif()
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${family}_table.c")
  file(
    GENERATE
    OUTPUT ${table}
    CONTENT
      "/* Made by cmake/family.cmake from ${folder}/. */\n#include \"asim/ext/family.h\"\n\n${externs}\nextern ${api}const struct asim_member *const asim_${family}_table[];\nconst struct asim_member *const asim_${family}_table[] = {\n${rows}    0};\n"
  )
  target_sources(${target} PRIVATE ${members} ${table})
endfunction()
