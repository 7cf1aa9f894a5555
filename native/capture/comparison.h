// Compares what a step does now with the program that was captured of it, and words the first difference.
#pragma once
#include <optional>
#include <string>

#include "capture/program.h"

namespace mpslab::capture {

/// The first point in which a step differs from the program that it was compared with.
struct Difference {
  /// Ends a sentence that begins with "the step": `calls mul with other = 1, and called it with other = 0.1`.
  std::string text;
  /// The user's line, empty where none is known.
  std::string place;
};

class Comparison {
 public:
  /// If `captured` is nullptr, nothing is compared.
  explicit Comparison(const Program* captured) : captured_(captured) {}

  /// Compares what was added to the running step's program since the last call.
  void goOn(const Program& now);
  /// Must be called when the step has ended.
  void end(const Program& now);

  const std::optional<Difference>& difference() const { return difference_; }

 private:
  void note(const std::string& text);

  const Program* captured_;
  size_t sources_ = 0;
  size_t instructions_ = 0;
  std::optional<Difference> difference_;
};

}  // namespace mpslab::capture
