// Implements staging.
#include "distributed/staging.h"

#include <c10/core/GradMode.h>

#include <unordered_map>

namespace mpslab {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using SharedWork = c10::intrusive_ptr<c10d::Work>;
using Tensors = std::vector<at::Tensor>;

/// A collective on the host. Waiting for it also copies the results back to the device.
class StagedWork : public c10d::Work {
 public:
  StagedWork(SharedWork work, Tensors hosts, Tensors tensors)
      : work_(std::move(work)), hosts_(std::move(hosts)), tensors_(std::move(tensors)) {}

  bool isCompleted() override { return work_->isCompleted(); }

  bool wait(std::chrono::milliseconds timeout) override {
    work_->wait(timeout);
    fromHost(hosts_, tensors_);
    return true;
  }

 private:
  SharedWork work_;
  Tensors hosts_;
  Tensors tensors_;
};

class StagedGroup : public c10d::ProcessGroup {
 public:
  explicit StagedGroup(Group group)
      : ProcessGroup(group->getRank(), group->getSize()), group_(std::move(group)) {}

  SharedWork broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    auto hosts = toHost(*group_, tensors);
    auto work = group_->broadcast(hosts, options);
    return c10::make_intrusive<StagedWork>(std::move(work), std::move(hosts), tensors);
  }

  SharedWork allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    auto hosts = toHost(*group_, tensors);
    auto work = group_->allreduce(hosts, options);
    return c10::make_intrusive<StagedWork>(std::move(work), std::move(hosts), tensors);
  }

 private:
  Group group_;
};

class StagingHook : public c10d::CommHookInterface {
 public:
  explicit StagingHook(Group group) : group_(std::move(group)) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const c10::AutoGradMode off(false);
    const at::Tensor& buffer = bucket.getBuffer();
    at::Tensor host = buffer.to(at::kCPU);
    // With a hook the reducer does not divide. Without one it multiplies by the inverse, as here, so the
    // averages are the same as on the CPU.
    host.mul_(1.0 / group_->getSize());
    Tensors hosts{host};
    auto future = group_->allreduce(hosts)->getFuture();
    underWay_[bucket.getIndex()] = {.host = std::move(host), .buffer = buffer};
    return future;
  }

  at::Tensor parseHookResult(const c10::IValue& result) override {
    const c10::AutoGradMode off(false);
    const at::Tensor host = c10d::detail::parseCppCommHookResult(result);
    for (auto at = underWay_.begin(); at != underWay_.end(); ++at) {
      if (!at->second.host.is_same(host)) continue;
      const at::Tensor buffer = std::move(at->second.buffer);
      underWay_.erase(at);
      if (host.is_sparse()) return host.to(buffer.device());
      return buffer.copy_(host);
    }
    TORCH_INTERNAL_ASSERT(false, "a bucket ended that was not begun");
  }

 private:
  struct Staged {
    at::Tensor host;
    at::Tensor buffer;
  };
  Group group_;
  /// By the bucket's index. A failed backward leaves entries, which the next backward replaces.
  std::unordered_map<size_t, Staged> underWay_;
};

}  // namespace

bool stages(const c10d::ProcessGroup& group, at::Device device) {
  for (const at::Device carried : group.getDeviceTypes()) {
    if (carried.type() == device.type()) return false;
  }
  return true;
}

Tensors toHost(const c10d::ProcessGroup& group, const Tensors& tensors) {
  const c10::AutoGradMode off(false);
  Tensors hosts;
  hosts.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors)
    hosts.push_back(stages(group, tensor.device()) ? tensor.detach().to(at::kCPU) : tensor);
  return hosts;
}

void fromHost(const Tensors& hosts, const Tensors& tensors) {
  const c10::AutoGradMode off(false);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!hosts[i].is_same(tensors[i])) tensors[i].detach().copy_(hosts[i]);
  }
}

Group stagedGroup(Group group) { return c10::make_intrusive<StagedGroup>(std::move(group)); }

std::unique_ptr<c10d::CommHookInterface> stagingHook(Group group) {
  return std::make_unique<StagingHook>(std::move(group));
}

}  // namespace mpslab
