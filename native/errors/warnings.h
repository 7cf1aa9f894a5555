// Prints libtorch's warnings on stderr in this library's wording.
#pragma once

namespace mpslab {

/// Warnings of this thread go through us from now on. libtorch asks a thread's own handler.
void installWarnings();

}  // namespace mpslab
