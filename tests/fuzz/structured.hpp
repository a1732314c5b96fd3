// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::fuzz {

/// Changes content as readers fear it: pieces and numbers of the file again in another place, numbers that are extreme
/// or very long, pieces repeated. What is drawn depends on the seed alone. @return the new size, at most `most`
std::size_t restructure(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace orrery::fuzz
