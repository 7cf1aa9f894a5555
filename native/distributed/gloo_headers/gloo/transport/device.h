// Stands in for gloo's header: libtorch's ProcessGroupGloo.hpp holds pointers to devices, and calls none.
#pragma once

namespace gloo::transport {
class Device;
}
