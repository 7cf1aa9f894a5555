// Rewords libtorch's error messages for users of this library.
#pragma once
#include <string>
#include <string_view>

namespace mpslab {

/// Classes of errors, by what the user got wrong.
enum class Meaning { OutOfMemory, Unsupported, DeviceMismatch, Type, Range, Internal, Other };

struct Wording {
  Meaning meaning;
  std::string text;
  /// The advice what to do instead. Empty if libtorch gives it, or if none is known.
  std::string_view wayOut;
  /// Whether the text is one that the table knows: it says more than the class of libtorch's exception.
  bool isKnown = false;
};

/// `arguments` as the message will show them: `self int64 [3], dim 0`.
Wording wordingOf(std::string_view libtorchText, std::string_view arguments);

}  // namespace mpslab
