// `PYTORCH_MPS_LOG_PROFILE_INFO` on the simulated device: a line for each execution, and tables when the
// process ends. The bits, lines and tables are those of ATen/mps/MPSProfiler.{h,mm}; each says that the
// device is simulated.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulated_metal/queue/execution.h"

namespace mpslab::metal {

class ProfileLog {
 public:
  /// Throws c10::ValueError for bits that PyTorch does not have.
  explicit ProfileLog(long bits);

  bool on() const { return bits_ != 0; }
  bool tells(Execution::Kind kind) const;
  /// Whether the log names tensors with the numbers of their buffers.
  bool namesBuffers() const { return (bits_ & kBufferIds) != 0; }
  bool printsTables() const { return (bits_ & kAllTables) != 0; }

  /// Notes that `execution` was launched. Like everything here, not thread-safe.
  void launched(const Execution& execution);
  void ended(const Execution& execution);
  void printTables() const;

 private:
  static constexpr long kOperations = 1, kCopies = 2, kFallbacks = 4, kEveryTable = 8, kOperationTable = 16,
                        kCopyTable = 32, kFallbackTable = 64, kGpuTime = 128, kKernelTime = 256,
                        kBufferIds = 512, kAll = 1023;
  static constexpr long kAllTables = kOperationTable | kCopyTable | kFallbackTable;

  struct Total {
    int64_t number = 0;
    int64_t launched = 0;
    int64_t ended = 0;
    size_t bytes = 0;
    double scheduledMs = 0;
    double ranMs = 0;
    int64_t scalars = 0;
    double scalarsMs = 0;
    int64_t blocking = 0;
    int64_t byHost = 0;
  };
  using Totals = std::map<std::string, Total>;

  Totals& totalsOf(Execution::Kind kind) { return totals_[static_cast<size_t>(kind)]; }
  const Totals& totalsOf(Execution::Kind kind) const { return totals_[static_cast<size_t>(kind)]; }
  bool tellsTimes() const { return (bits_ & (kGpuTime | kKernelTime)) != 0; }
  void print(const Execution& execution, const Total& total, int64_t run) const;
  std::string times(const Execution& execution) const;
  void printOperations() const;
  void printFallbacks() const;
  void printCopies() const;

  long bits_;
  Totals totals_[3];
};

}  // namespace mpslab::metal
