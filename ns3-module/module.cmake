# SPDX-License-Identifier: GPL-2.0-only
#
# The ns-3 module: included by the top CMakeLists.txt when ns-3 (3.37 or newer) reads this
# repository as contrib/asim. The core stays a static C library of its own, since ns-3's
# precompiled header is C++; the module and the program AstraSimNetwork link it and include its public
# headers only.
file(GLOB module_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ns3-module/model/*.cc ns3-module/helper/*.cc)
file(GLOB module_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ns3-module/model/*.h ns3-module/helper/*.h)
list(FILTER module_headers EXCLUDE REGEX "/asim-(bells|key|strict-values)\\.h$") # private to the module
file(GLOB module_tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     ns3-module/test/*.cc)

# ns-3 compiles a module's objects without looking at the libraries it links. BUILD_INTERFACE keeps
# these folders out of what ns-3 exports.
include_directories($<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/core/include>
                    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)

# Without MPI (a user's tree may be configured so) the module is the same, on one process. With it,
# the line in the top CMakeLists.txt has made ns-3 enable its module mpi.
set(module_mpi "")
# Older releases define and include these for every module, newer ones leave it to the module.
if(ENABLE_MPI)
  set(module_mpi ${libmpi} ${MPI_CXX_LIBRARIES})
  add_definitions(-DNS3_MPI)
  include_directories(${MPI_CXX_INCLUDE_DIRS})
endif()

# The core holds the hot path: optimized in every profile of ns-3 but debug.
foreach(objects asim-objects asim-base-objects)
  target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:debug>>:-O3>)
endforeach()

build_lib(
  LIBNAME asim
  SOURCE_FILES ${module_sources}
  HEADER_FILES ${module_headers}
  LIBRARIES_TO_LINK ${libcore} ${libnetwork} ${module_mpi} asim-core ${ASIM_LIBRARIES}
  TEST_SOURCES ${module_tests}
)
install(TARGETS asim-core EXPORT ns3ExportTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/)
# The module's headers include those of the core.
install(DIRECTORY core/include/asim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/core/asim/chakra.pb-c.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/asim)

# Not built by what a run needs, only when they are asked for by name or with everything. Not in
# examples/ at the top, which ns-3 would take by itself: that folder holds the workloads of asim.
add_subdirectory(ns3-module/examples)

# The part of the asim tool that is a run as a program: options, result lines, exit codes.
add_library(
  asim-app OBJECT cli/alone.c cli/app.c cli/args.c cli/child.c cli/compare.c cli/csv.c cli/eta.c
                  cli/file_set.c cli/files.c cli/hugepages.c cli/idle.c cli/interrupt.c cli/limits.c cli/quiet.c
                  cli/side_by_side.c cli/status.c
                  cli/temporary.c cli/verify.c cli/verify_sample.c cli/what_if.c
                  tools/report/cause.c tools/report/changes.c tools/report/identity.c tools/report/load.c
                  tools/report/load_json.c tools/report/load_origin.c tools/report/load_series.c tools/report/load_traffic.c
                  tools/report/network.c tools/report/ops.c tools/report/run.c tools/report/show.c
                  tools/report/table.c tools/report/text.c tools/report/verdict.c
                  tools/scenario/traces.c
)
set_target_properties(
  asim-app PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
)
target_compile_definitions(asim-app PRIVATE _POSIX_C_SOURCE=200809L)
target_include_directories(asim-app PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(asim-app PRIVATE asim-core)

# A static ns-3 links the core itself, whole and once; and some releases link nothing else then.
set(program_core asim-core)
if(NS3_STATIC)
  set(program_core "")
endif()

# The prefix makes ns-3's own `./ns3 run AstraSimNetwork` find it.
build_exec(
  EXECNAME AstraSimNetwork
  EXECNAME_PREFIX scratch_
  SOURCE_FILES scratch/AstraSimNetwork.cc $<TARGET_OBJECTS:asim-app>
  LIBRARIES_TO_LINK ${libasim} ${libcore} ${libnetwork} ${module_mpi} ${program_core}
  EXECUTABLE_DIRECTORY_PATH ${CMAKE_OUTPUT_DIRECTORY}/scratch/
)
