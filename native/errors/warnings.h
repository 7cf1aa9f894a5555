// Prints libtorch's warnings on stderr in this library's wording.
#pragma once

namespace mpslab {

/// Makes libtorch's warnings of this thread go through this library's handler. libtorch asks the thread's own
/// handler first.
void installWarnings();

}  // namespace mpslab
