// What `lab.shadow`'s observer (`shadow/`) leaves for the calls of operators: an observer cannot throw, a
// call can. Nothing here knows how results are compared.
#pragma once
#include <exception>

namespace mpslab {

struct ShadowNotes {
  /// Whether a result was found to be wrong and no call has thrown the finding yet.
  bool found = false;
  /// An error that the device reported during a comparison; it belongs to an operator that was queued before.
  std::exception_ptr failure;
};

}  // namespace mpslab
