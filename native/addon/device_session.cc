// Records which environment holds the devices. A child process that Node starts has its own devices. Node
// never forks without starting a program, so no environment survives a fork.
#include "addon/device_session.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "addon/errors.h"
#include "addon/exports.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

/// An environment variable with the id of the process that holds the devices. Child processes inherit it;
/// `lib/torch/engine/device_holder.ts` reads it.
constexpr const char* kVariable = "MPSLAB_DEVICE_PROCESS";

std::atomic<Environment*> holder{nullptr};
/// Why no environment of this process may hold the devices; empty if one may. JavaScript sets it before the
/// first claim.
std::string refusal;

Napi::Value refuseDevices(Environment&, const Napi::CallbackInfo& info) {
  refusal = info[0].ToString();
  return info.Env().Undefined();
}

}  // namespace

void claimDevices(Environment& environment) {
  if (!refusal.empty()) throwTypeError(environment, refusal);
  Environment* nobody = nullptr;
  if (holder.compare_exchange_strong(nobody, &environment)) {
    setenv(kVariable, std::to_string(getpid()).c_str(), 1);
  } else if (nobody != &environment) {
    throwTypeError(environment,
                   "Tensors of a device belong to the thread of this process that used one first: Metal "
                   "takes one thread. "
                   "Work on the CPU here, as the workers of a DataLoader do, and move results there.");
  }
}

void giveDevicesBack(Environment& environment) {
  Environment* own = &environment;
  if (holder.compare_exchange_strong(own, nullptr)) unsetenv(kVariable);
}

void defineDeviceSession(Environment& environment, Napi::Object exports) {
  define<refuseDevices>(environment, exports, "refuseDevices");
}

}  // namespace mpslab
