// What libtorch says, in the words of this library. Knows texts only.
#pragma once
#include <string>
#include <string_view>

namespace mpslab {

/// Classes of errors, by what the user got wrong.
enum class Meaning { OutOfMemory, Unsupported, DeviceMismatch, Type, Range, Internal, Other };

struct Wording {
  Meaning meaning;
  std::string text;
  /// What to do instead; empty where libtorch says it, or nobody knows.
  std::string_view wayOut;
};

Wording wordingOf(std::string_view libtorchText);

}  // namespace mpslab
