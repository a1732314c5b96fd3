# SPDX-License-Identifier: BSD-3-Clause
# orrery_room(NAME [HOT] SOURCES files... KNOWS rooms... TESTS files...)
#
# A room is a static library orrery_NAME in namespace orrery::NAME. It links only what it KNOWS, and sees only the headers
# of those rooms: each room's headers are reached as "NAME/header.hpp" through a folder of its own that holds nothing else,
# so that a room that reaches upwards does not build.
#
# HOT: each simulated message passes through it. The Python module, which is linked with ORRERY_HOT_LINK_OPTIONS, has all
# of them inlined in each other (a tenth of the time of a replay); all else, the tests above all, links them as usual.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ORRERY_SANITIZE)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT ORRERY_OPTIMIZES_AT_LINK LANGUAGES CXX)
  if(ORRERY_OPTIMIZES_AT_LINK)
    set(ORRERY_HOT_OPTIONS -flto=auto -ffat-lto-objects)
    set(ORRERY_HOT_LINK_OPTIONS -flto=auto)
    # Said, as the linker's plugin otherwise optimises whatever it is given that could be.
    set(ORRERY_PLAIN_LINK_OPTIONS -fno-lto)
  endif()
endif()

# orrery_units(TARGET): with ORRERY_UNITS the sources of TARGET are compiled twelve at a time, in the order of their list.
option(ORRERY_UNITS "Compile source files in groups: all of them in half the time, one that has changed in more" OFF)
function(orrery_units target)
  if(NOT ORRERY_UNITS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  # The frame of a coroutine may hold what is in an unnamed namespace: in a file that another includes, that looks odd.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

function(orrery_room name)
  cmake_parse_arguments(ROOM "HOT" "" "SOURCES;KNOWS;TESTS" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  if(ROOM_SOURCES)
    add_library(orrery_${name} STATIC ${ROOM_SOURCES})
    orrery_units(orrery_${name})
    if(ROOM_HOT)
      target_compile_options(orrery_${name} PRIVATE ${ORRERY_HOT_OPTIONS})
    endif()
    set(scope PUBLIC)
  else()
    add_library(orrery_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(orrery_${name} ${scope} ${view})
  foreach(known IN LISTS ROOM_KNOWS)
    target_link_libraries(orrery_${name} ${scope} orrery_${known})
  endforeach()
  if(ROOM_TESTS AND ORRERY_TESTS_FOUND)
    orrery_tests(${name} ${ROOM_TESTS})
  endif()
endfunction()
