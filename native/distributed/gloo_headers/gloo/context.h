// Stands in for gloo's header: the members that libtorch's ProcessGroupGloo.hpp calls inline. Gloo itself is
// inside libtorch_cpu, whose package has no headers of it.
#pragma once
#include <chrono>
#include <memory>

namespace gloo {

class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};

namespace transport {
class UnboundBuffer {
 public:
  virtual ~UnboundBuffer();
};
}  // namespace transport

}  // namespace gloo
