# SPDX-License-Identifier: GPL-2.0-only
#
# The shared library, and `cmake --install`: both libraries, the public headers, asim.pc for
# pkg-config and the CMake package asim (find_package(asim)). All of it finds its prefix from where
# it lies, so an installed tree can be moved. Included by core/CMakeLists.txt.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
option(ASIM_BUILD_SHARED "Build libasim.so beside libasim.a" ON)
option(ASIM_INSTALL "Make the install target" ON)

set_target_properties(asim-core PROPERTIES OUTPUT_NAME asim EXPORT_NAME asim-static)
set(asim_libraries asim-core)
# While the major version is 0 a new minor version may change the interface.
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" asim_soversion ${ASIM_VERSION})

if(ASIM_BUILD_SHARED AND NOT ASIM_SANITIZE)
  add_library(
    asim-shared SHARED $<TARGET_OBJECTS:asim-objects> $<TARGET_OBJECTS:asim-base-objects>
  )
  set_target_properties(
    asim-shared PROPERTIES OUTPUT_NAME asim EXPORT_NAME asim VERSION ${ASIM_VERSION}
                           SOVERSION ${asim_soversion} C_VISIBILITY_PRESET hidden
  )
  target_include_directories(
    asim-shared PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  )
  target_link_libraries(
    asim-shared PRIVATE PkgConfig::JANSSON PkgConfig::YAML PkgConfig::PROTOBUF_C ZLIB::ZLIB m pthread
  )
  target_link_options(asim-shared PRIVATE -Wl,--no-undefined)
  if(ASIM_PROFILE STREQUAL make)
    target_link_options(asim-shared PRIVATE -fprofile-generate)
  endif()
  list(APPEND asim_libraries asim-shared)
endif()

if(NOT ASIM_INSTALL)
  return()
endif()

# A static library brings along what it links.
target_link_libraries(asim-core PUBLIC $<INSTALL_INTERFACE:jansson> $<INSTALL_INTERFACE:yaml>
                                       $<INSTALL_INTERFACE:protobuf-c> $<INSTALL_INTERFACE:z>
                                       $<INSTALL_INTERFACE:m> $<INSTALL_INTERFACE:pthread>)
install(
  TARGETS ${asim_libraries}
  EXPORT asimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT asim
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT asim
)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/asim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT asim FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/asim/chakra.pb-c.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/asim COMPONENT asim)

set(asim_package ${CMAKE_INSTALL_LIBDIR}/cmake/asim)
install(EXPORT asimTargets NAMESPACE asim:: DESTINATION ${asim_package} COMPONENT asim)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/asimConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/asimConfig.cmake
  INSTALL_DESTINATION ${asim_package}
)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/asimConfigVersion.cmake VERSION ${ASIM_VERSION}
  COMPATIBILITY SameMinorVersion
)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/asimConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/asimConfigVersion.cmake
        DESTINATION ${asim_package} COMPONENT asim)

# asim.pc lies in LIBDIR/pkgconfig: the way from there back to the prefix.
file(RELATIVE_PATH asim_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" asim_to_prefix ${asim_to_prefix})
configure_file(${CMAKE_CURRENT_LIST_DIR}/asim.pc.in ${CMAKE_CURRENT_BINARY_DIR}/asim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/asim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT asim)
