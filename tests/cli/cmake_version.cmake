# SPDX-License-Identifier: Apache-2.0
# Whether a ConfigVersion file accepts a version:
# cmake -DPACKAGE_FIND_VERSION=1.2 -P cmake_version.cmake FILE yes|no
string(REPLACE "." ";" parts "${PACKAGE_FIND_VERSION}")
list(LENGTH parts PACKAGE_FIND_VERSION_COUNT)
list(GET parts 0 PACKAGE_FIND_VERSION_MAJOR)
list(GET parts 1 PACKAGE_FIND_VERSION_MINOR)
math(EXPR file "${CMAKE_ARGC} - 2")
math(EXPR answer "${CMAKE_ARGC} - 1")
include("${CMAKE_ARGV${file}}")
set(expected TRUE)
if("${CMAKE_ARGV${answer}}" STREQUAL "no")
    set(expected FALSE)
endif()
if(NOT "${PACKAGE_VERSION_COMPATIBLE}" STREQUAL "${expected}"
        AND (PACKAGE_VERSION_COMPATIBLE OR expected))
    message(FATAL_ERROR "version ${PACKAGE_FIND_VERSION} of ${PACKAGE_VERSION}: not '${CMAKE_ARGV${answer}}'")
endif()
