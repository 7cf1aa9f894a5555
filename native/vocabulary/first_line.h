// The first line of a text: of a libtorch error, below which C++ frames stand, or of a stack of cell lines.
#pragma once
#include <string>
#include <string_view>

namespace mpslab {

/// Searches a view: std::string's own find is a symbol that the libc++ of the oldest macOS need not export.
inline std::string firstLine(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace mpslab
