// Stands in for gloo's header of this name: libtorch's ProcessGroupGloo.hpp includes it, and uses nothing of
// it.
#pragma once
