// Functions that only a compiler with CUDA's headers could make. They are in a library of their own beside
// the addon, `mpslab_cuda.so`, so that a machine without CUDA loads the addon alone.
#pragma once

namespace mpslab {

/// The function of that name; nullptr where the library is not there, or was compiled without it.
void* findInCudaLibrary(const char* name);

}  // namespace mpslab
