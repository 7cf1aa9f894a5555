// What `lab.shadow`'s observer (`shadow/`) tells the calls of operators, which alone can throw. Nothing here
// knows how results are compared.
#pragma once
#include <exception>

namespace mpslab {

struct ShadowNotes {
  /// A result is wrong, and no call has thrown since.
  bool found = false;
  /// What a comparison made the device say: an error of an operator that was queued before.
  std::exception_ptr failure;
};

}  // namespace mpslab
