// Connects the processes of a group: through gloo, which is inside libtorch_cpu, and through NCCL for tensors
// of CUDA.
#define USE_C10D_GLOO
#include "distributed/process_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupWrapper.hpp>

#include "addon/guard.h"
#include "distributed/arguments.h"
#include "distributed/completion.h"
#include "distributed/nccl.h"
#include "distributed/nccl_waiting.h"
#include "distributed/numbered.h"
#include "distributed/staging.h"
#include "distributed/store.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupGloo;
using Backend = c10::intrusive_ptr<c10d::Backend>;
using Group = c10::intrusive_ptr<ProcessGroup>;
using Store = c10::intrusive_ptr<c10d::Store>;
using Shared = std::shared_ptr<Connections>;

Numbered<Shared>& groups() {
  static auto* all = std::make_unique<Numbered<Shared>>().release();
  return *all;
}

struct GroupOptions {
  /// The store's host. If it is a loopback address, all ranks are on this machine.
  std::string host;
  /// The prefix of this group's keys in the store.
  std::string prefix;
  std::string name;
  int rank;
  int size;
  std::chrono::milliseconds timeout;
  /// Whether every collective is compared with those of the other ranks before it runs.
  bool checks;
  bool gloo;
  bool nccl;
  /// The GPU that NCCL connects at once. If none is given, NCCL connects the GPU of the first collective.
  std::optional<at::Device> device;
};

bool isLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Ranks that meet at a loopback address listen only there. Otherwise gloo resolves this machine's name.
c10::intrusive_ptr<ProcessGroupGloo::Options> glooOptions(const GroupOptions& options) {
  if (!isLoopback(options.host) || std::getenv("GLOO_SOCKET_IFNAME") != nullptr)
    return ProcessGroupGloo::Options::create_default(options.timeout);
  auto local = ProcessGroupGloo::Options::create(options.timeout);
  local->devices.push_back(ProcessGroupGloo::createDeviceForHostname(options.host));
  return local;
}

Backend connectGloo(const Store& store, const GroupOptions& options) {
  return c10::make_intrusive<ProcessGroupGloo>(store, options.rank, options.size, glooOptions(options));
}

Shared connect(const Store& given, const GroupOptions& options) {
  const auto under = [&](const char* prefix) -> Store {
    return c10::make_intrusive<c10d::PrefixStore>(options.prefix + prefix, given);
  };
  const auto checked = [&](const Backend& backend, const char* prefix) -> Backend {
    if (!options.checks) return backend;
    return c10::make_intrusive<c10d::ProcessGroupWrapper>(
        backend, c10::static_intrusive_pointer_cast<ProcessGroupGloo>(connectGloo(under(prefix), options)));
  };
  auto connections = std::make_shared<Connections>();
  connections->timeout = options.timeout;
  connections->group = c10::make_intrusive<ProcessGroup>(under("/gloo"), options.rank, options.size);
  ProcessGroup& group = *connections->group;
  if (options.gloo) {
    group.setBackend(at::kCPU, ProcessGroup::BackendType::GLOO,
                     checked(connectGloo(under("/gloo"), options), "/check"));
    group.setDefaultBackend(ProcessGroup::BackendType::GLOO);
  }
  if (options.nccl) {
    connections->nccl = nccl().makeBackend(under("/nccl"), options.rank, options.size, options.timeout);
    group.setBackend(at::kCUDA, ProcessGroup::BackendType::NCCL, checked(connections->nccl, "/check_nccl"));
    if (!options.gloo) group.setDefaultBackend(ProcessGroup::BackendType::NCCL);
    if (options.device) {
      connections->nccl->setBoundDeviceId(options.device);
      connections->nccl->eagerConnectSingleDevice(*options.device);
      connections->gpusAreConnected = true;
    }
  }
  group.setGroupName(options.name);
  return connections;
}

/// `makeGroup(store, host, prefix, name, rank, size, timeoutMs, checks, gloo, nccl, device)` waits until all
/// ranks are connected. `device`: the GPU that NCCL connects at once; "" for none.
Napi::Value makeGroup(Environment& environment, const Napi::CallbackInfo& info) {
  const Store store = storeOf(environment, info[0]);
  const std::string device = info[10].ToString();
  const GroupOptions options{info[1].ToString(),
                             info[2].ToString(),
                             info[3].ToString(),
                             info[4].ToNumber().Int32Value(),
                             info[5].ToNumber().Int32Value(),
                             millisecondsArgument(info[6]),
                             info[7].ToBoolean(),
                             info[8].ToBoolean(),
                             info[9].ToBoolean(),
                             device.empty() ? std::nullopt : deviceOf(device)};
  auto made = std::make_shared<Shared>();
  runOnThread([=] { *made = connect(store, options); })->wait(environment);
  const Shared connections = *made;
  connections->number = groups().add(connections);
  if (connections->nccl) watchWaits();
  return Napi::Number::New(info.Env(), connections->number);
}

/// NCCL's own shutdown waits for running operations; after a failure they would never end, so NCCL is aborted
/// then.
void end(Connections& connections, bool waits) {
  if (connections.nccl == nullptr) return;
  if (waits && connections.nccl->getError() == c10d::ErrorType::SUCCESS)
    connections.nccl->shutdown();
  else
    connections.nccl->abort();
}

/// `closeGroup(group, waits)`. Gloo's destructor waits for running operations. So it runs on another thread,
/// where Stop ends the wait. Without `waits` nobody waits for it, because the other ranks may never take part
/// in those operations.
Napi::Value closeGroup(Environment& environment, const Napi::CallbackInfo& info) {
  auto group = groups().take(info[0].ToNumber().Uint32Value());
  if (!group) return info.Env().Undefined();
  auto held = std::make_shared<Shared>(std::move(*group));
  group.reset();
  const bool waits = info[1].ToBoolean();
  const auto closed = runOnThread([held = std::move(held), waits] {
    end(**held, waits);
    held->reset();
  });
  if (waits) closed->wait(environment);
  return info.Env().Undefined();
}

/// `stages(group, device)`: whether tensors of the device go through the host.
Napi::Value stagesTensors(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string device = info[1].ToString();
  return Napi::Boolean::New(info.Env(), stages(*groupOf(environment, info[0]), *deviceOf(device)));
}

/// Why this process cannot use NCCL; empty where it can.
Napi::Value tellWhyNoNccl(Environment&, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), whyNoNccl());
}

}  // namespace

Shared connectionsOf(Environment& environment, Napi::Value number) {
  const auto group = groups().find(number.ToNumber().Uint32Value());
  if (!group) throw Napi::Error::New(environment.env, "This process group was destroyed.");
  return *group;
}

Group groupOf(Environment& environment, Napi::Value number) {
  return connectionsOf(environment, number)->group;
}

std::vector<Shared> connectionsWithNccl() {
  std::vector<Shared> found;
  for (Shared& connections : groups().all()) {
    if (connections->nccl) found.push_back(std::move(connections));
  }
  return found;
}

void defineProcessGroups(Environment& environment, Napi::Object distributed) {
  define<makeGroup>(environment, distributed, "makeGroup");
  define<closeGroup>(environment, distributed, "closeGroup");
  define<stagesTensors>(environment, distributed, "stages");
  define<tellWhyNoNccl>(environment, distributed, "whyNoNccl");
}

}  // namespace mpslab
