// What libtorch warns of, in the words of this library, on stderr.
#pragma once

namespace mpslab {

/// Warnings of this thread go through us from now on. libtorch asks a thread's own handler.
void installWarnings();

}  // namespace mpslab
