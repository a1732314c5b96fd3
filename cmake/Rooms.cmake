# SPDX-License-Identifier: BSD-3-Clause
# orrery_room(NAME SOURCES files... KNOWS rooms... TESTS files...)
#
# A room is a static library orrery_NAME in namespace orrery::NAME. It links only what it KNOWS, and sees only the headers
# of those rooms: each room's headers are reached as "NAME/header.hpp" through a folder of its own that holds nothing else,
# so that a room that reaches upwards does not build.
function(orrery_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;KNOWS;TESTS" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${view}/${name} SYMBOLIC)
  if(ROOM_SOURCES)
    add_library(orrery_${name} STATIC ${ROOM_SOURCES})
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
