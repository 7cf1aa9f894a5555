// Finds the line of user code that is running, as text that JavaScript formats.
#pragma once
#include <napi.h>

#include <memory>
#include <string>

#include "addon/environment.h"

namespace mpslab {

/// Returns the user's lines of the stack, the innermost first. Empty on libtorch's own threads, and before
/// `setCallSite` was called. Runs JavaScript, even in the middle of an operator.
std::string callSite();

/// A place in the user's code. It becomes text only when it is asked for, because few places are ever
/// printed. Any thread may drop it.
class CallSite {
 public:
  /// Returns the line of the user's code that runs now. Null on a thread without JavaScript, and before
  /// `setCallSite`.
  static std::shared_ptr<const CallSite> here();

  CallSite(Environment& environment, napi_value captured);
  ~CallSite();
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;

  /// `Cell [3]:4:12`. Empty on any thread but the one that captured the place, and where no line of the stack
  /// is the user's.
  std::string text() const;

 private:
  napi_ref captured_ = nullptr;
  /// Outlives the environment: only the environment's own thread may delete the reference.
  std::shared_ptr<DeadReferences> dead_;
};

}  // namespace mpslab
