// Where the user's code is now, as text that JavaScript writes. Knows neither cells nor files.
#pragma once
#include <napi.h>

#include <memory>
#include <string>

#include "addon/environment.h"

namespace mpslab {

/// The lines of the stack that are the user's, the innermost first; empty on a thread of libtorch's own, and
/// where nobody said how to tell. It runs JavaScript, also in the midst of an operator.
std::string callSite();

/// A place in the user's code that becomes text only when it is asked for, for places of which few are ever
/// told. Any thread may drop it.
class CallSite {
 public:
  /// Where the user's code is now; nothing on a thread without JavaScript, and where nobody said how to tell.
  static std::shared_ptr<const CallSite> here();

  CallSite(Environment& environment, napi_value captured);
  ~CallSite();
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;

  /// `Cell [3]:4:12`; empty on a thread other than its own, and where no line is the user's.
  std::string text() const;

 private:
  napi_ref captured_ = nullptr;
  /// Outlives the environment, whose thread alone may let go of the reference.
  std::shared_ptr<DeadReferences> dead_;
};

}  // namespace mpslab
