// Installs libtorch's autograd engine with this addon's saved-tensor hooks and anomaly metadata.
#pragma once

namespace mpslab {

/// Makes it the engine of the process. Before the first backward.
void installEngine();

}  // namespace mpslab
