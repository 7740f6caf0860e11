# SPDX-License-Identifier: GPL-2.0-only
#
# `cpack` in a build folder makes a Debian package of what `cmake --install` installs. dpkg-shlibdeps
# finds the packages it depends on. Included by CMakeLists.txt.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME asim)
set(CPACK_PACKAGE_VERSION ${ASIM_VERSION})
set(CPACK_PACKAGE_CONTACT "the asim developers <asim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "packet-level simulator of distributed machine learning")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL asim)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ASIM_PACKAGE_NAME asim)
set(CPACK_DEBIAN_ASIM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
include(CPack)
