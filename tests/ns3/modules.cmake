# SPDX-License-Identifier: GPL-2.0-only
#
# Read behind ns-3's call of project() (CMAKE_PROJECT_NS3_INCLUDE) where tests/ns3/run configures the tree of
# this repository: modules that only asim-applications needs are compiled with less optimization, which takes
# two thirds of the time. What a run of AstraSimNetwork needs is compiled as users have it.
function(asim_optimize_less)
  foreach(module bridge traffic-control internet internet-apps applications flow-monitor)
    target_compile_options(lib${module}-obj PRIVATE -O1)
  endforeach()
endfunction()
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.19)
  cmake_language(DEFER CALL asim_optimize_less) # once the modules are there
endif()
