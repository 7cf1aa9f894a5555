// NCCL's watchdog aborts an operation that fails or takes too long, and the GPU goes on with meaningless
// values. So a wait for the GPU also asks the groups for errors, and throws if one has an error.
#include "distributed/nccl_waiting.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "addon/guard.h"
#include "addon/waiting.h"
#include "distributed/process_group.h"

namespace mpslab {
namespace {

using Clock = std::chrono::steady_clock;

/// For the first kBusy the wait polls without a pause, because most work of a GPU is short.
constexpr std::chrono::milliseconds kBusy{1};
constexpr std::chrono::microseconds kPause{100};

/// JavaScript's function `(group, reason) => Error`.
thread_local napi_ref explain = nullptr;

const char* reasonOf(c10d::ErrorType error) {
  return error == c10d::ErrorType::TIMEOUT ? "timeout" : "NCCL lost the connection to another rank";
}

/// Whether the GPU may be running collectives of a graph, which NCCL's watchdog does not see.
std::atomic<bool> replaysCollectives{false};

[[noreturn]] void throwFailure(Environment& environment, const Connections& connections,
                               c10d::ErrorType error) {
  const Napi::Env env = environment.env;
  napi_value function;
  napi_get_reference_value(env, explain, &function);
  const Napi::Value told =
      Napi::Function(env, function)
          .Call({Napi::Number::New(env, connections.number), Napi::String::New(env, reasonOf(error))});
  throw Napi::Error(env, told);
}

void checkGroups(Environment& environment) {
  for (const auto& connections : connectionsWithNccl()) {
    const c10d::ErrorType error = connections->nccl->getError();
    if (error != c10d::ErrorType::SUCCESS) throwFailure(environment, *connections, error);
  }
}

/// Aborts the groups whose timeout this wait exceeds.
void endOverdue(Environment& environment, std::chrono::milliseconds waited) {
  for (const auto& connections : connectionsWithNccl()) {
    if (waited < connections->timeout) continue;
    connections->nccl->abort();
    throwFailure(environment, *connections, c10d::ErrorType::TIMEOUT);
  }
}

void waitPatiently(Environment& environment, at::Device device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  const at::Device here = device.has_index() ? device : guard.getDevice();
  c10::Event done(here.type());
  done.record(guard.getStream(here));
  const auto began = Clock::now();
  while (!done.query()) {
    environment.checkStop();
    if (Clock::now() - began < kBusy) continue;
    checkGroups(environment);
    if (replaysCollectives)
      endOverdue(environment, std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began));
    std::this_thread::sleep_for(kPause);
  }
  // The event covers only the current stream; this waits for all streams.
  at::accelerator::synchronizeDevice(here.index());
  checkGroups(environment);
}

/// `explainGpuFailures((group, reason) => Error)`
Napi::Value explainGpuFailures(Environment& environment, const Napi::CallbackInfo& info) {
  if (explain != nullptr) napi_delete_reference(environment.env, explain);
  napi_create_reference(environment.env, info[0], 1, &explain);
  return info.Env().Undefined();
}

}  // namespace

void noteReplayed() { replaysCollectives = true; }

void watchWaits() { setCudaWait(&waitPatiently); }

void defineNcclWaiting(Environment& environment, Napi::Object distributed) {
  define<explainGpuFailures>(environment, distributed, "explainGpuFailures");
}

}  // namespace mpslab
