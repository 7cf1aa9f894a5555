// Passes executions on the simulated device to signposts and the profile log. A launch asks here first, and
// describes nothing while neither is on.
#pragma once
#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <vector>

#include "simulated_metal/profile/signposts.h"
#include "simulated_metal/queue/execution.h"

namespace mpslab::metal {

using Arguments = c10::ArrayRef<c10::IValue>;

/// Describes an operation that is launched now; null if neither signposts nor the log are on.
std::unique_ptr<Execution> watchOperation(const std::string& name, Arguments arguments, bool queued = true);
std::unique_ptr<Execution> watchCopy(const at::Tensor& from, const at::Tensor& to, bool blocking);
std::unique_ptr<Execution> watchFallback(const std::string& name, Arguments arguments, size_t bytes);

/// The functions of `torch.mps.profiler`. See signposts.h.
void startTrace(const std::string& mode, bool waitUntilCompleted);
void stopTrace();
std::vector<Signpost> keptSignposts();

/// `PYTORCH_MPS_TRACE_SIGNPOSTS` and `PYTORCH_MPS_LOG_PROFILE_INFO`. Throws c10::ValueError for bits that
/// PyTorch does not have.
void readProfilerEnvironment();

}  // namespace mpslab::metal
