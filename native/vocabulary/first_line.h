// The first line of a text: the message of a libtorch error without its C++ frames, or the innermost line of
// a stack.
#pragma once
#include <string>
#include <string_view>

namespace mpslab {

/// Searches in a view, because std::string::find is a symbol that the libc++ of the oldest macOS may not
/// export.
inline std::string firstLine(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace mpslab
