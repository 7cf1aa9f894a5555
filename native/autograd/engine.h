// libtorch's autograd engine, but for what it asks a language about. Knows no node.
#pragma once

namespace mpslab {

/// Makes it the engine of the process. Before the first backward.
void installEngine();

}  // namespace mpslab
