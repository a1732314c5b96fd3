# SPDX-License-Identifier: BSD-3-Clause
"""routine_names.hpp: the routines by their number in profiles and in operations (op::RoutineId)."""

from generator.table import RoutineTable


def names(table: RoutineTable) -> str:
    """The text of the header, without its first line."""
    forms = table.forms()
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstddef>",
        "#include <cstdint>",
        "#include <string_view>",
        "",
        "namespace orrery {",
        "",
        "/// Names by routine number (op::RoutineId); number 0 is the application itself.",
        f"inline constexpr std::array<std::string_view, {len(forms) + 1}> routine_names{{",
        '    "Application",',
        *(f'    "{form.name}",' for form in forms),
        "};",
        "",
        "/// Number of a routine by its name, as MPI_Send; 0 when there is none of that name.",
        "constexpr std::uint16_t routine_number(std::string_view name) {",
        "  for (std::size_t i = 1; i < routine_names.size(); ++i) {",
        "    if (routine_names[i] == name) return static_cast<std::uint16_t>(i);",
        "  }",
        "  return 0;",
        "}",
        "",
        "}  // namespace orrery",
    ]
    return "\n".join(lines) + "\n"
