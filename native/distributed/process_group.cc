// Connects the processes of a group through gloo, which is inside libtorch_cpu.
#define USE_C10D_GLOO
#include "distributed/process_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupWrapper.hpp>

#include "addon/guard.h"
#include "distributed/arguments.h"
#include "distributed/completion.h"
#include "distributed/numbered.h"
#include "distributed/store.h"

namespace mpslab {
namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupGloo;
using Group = c10::intrusive_ptr<ProcessGroup>;
using Store = c10::intrusive_ptr<c10d::Store>;

Numbered<Group>& groups() {
  static auto* all = std::make_unique<Numbered<Group>>().release();
  return *all;
}

struct GroupOptions {
  /// Stands before the keys of this group in the store.
  std::string prefix;
  std::string name;
  int rank;
  int size;
  std::chrono::milliseconds timeout;
  /// Whether every collective is compared with those of the other ranks before it runs.
  bool checks;
};

c10::intrusive_ptr<c10d::Backend> connectGloo(const Store& store, const GroupOptions& options) {
  return c10::make_intrusive<ProcessGroupGloo>(store, options.rank, options.size,
                                               ProcessGroupGloo::Options::create_default(options.timeout));
}

Group connect(const Store& given, const GroupOptions& options) {
  const auto under = [&](const char* prefix) -> Store {
    return c10::make_intrusive<c10d::PrefixStore>(options.prefix + prefix, given);
  };
  const Store store = under("/gloo");
  auto backend = connectGloo(store, options);
  if (options.checks) {
    backend = c10::make_intrusive<c10d::ProcessGroupWrapper>(
        backend, c10::static_intrusive_pointer_cast<ProcessGroupGloo>(connectGloo(under("/check"), options)));
  }
  auto group = c10::make_intrusive<ProcessGroup>(store, options.rank, options.size);
  group->setBackend(at::kCPU, ProcessGroup::BackendType::GLOO, backend);
  group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
  group->setGroupName(options.name);
  return group;
}

/// `makeGroup(store, prefix, name, rank, size, timeoutMs, checks)` waits until all ranks are connected.
Napi::Value makeGroup(Environment& environment, const Napi::CallbackInfo& info) {
  const Store store = storeOf(environment, info[0]);
  const GroupOptions options{info[1].ToString(),
                             info[2].ToString(),
                             info[3].ToNumber().Int32Value(),
                             info[4].ToNumber().Int32Value(),
                             millisecondsArgument(info[5]),
                             info[6].ToBoolean()};
  auto group = std::make_shared<Group>();
  runOnThread([=] { *group = connect(store, options); })->wait(environment);
  return Napi::Number::New(info.Env(), groups().add(*group));
}

/// `closeGroup(group, waits)`. Gloo's destructor waits for what is under way: on another thread, so that Stop ends
/// the wait. Without `waits` nobody does: the other ranks may never take part in what is under way.
Napi::Value closeGroup(Environment& environment, const Napi::CallbackInfo& info) {
  auto group = groups().take(info[0].ToNumber().Uint32Value());
  if (!group) return info.Env().Undefined();
  auto held = std::make_shared<Group>(std::move(*group));
  group.reset();
  const auto closed = runOnThread([held = std::move(held)] { held->reset(); });
  if (info[1].ToBoolean()) closed->wait(environment);
  return info.Env().Undefined();
}

}  // namespace

Group groupOf(Environment& environment, Napi::Value number) {
  const auto group = groups().find(number.ToNumber().Uint32Value());
  if (!group) throw Napi::Error::New(environment.env, "This process group was destroyed.");
  return *group;
}

void defineProcessGroups(Environment& environment, Napi::Object distributed) {
  define<makeGroup>(environment, distributed, "makeGroup");
  define<closeGroup>(environment, distributed, "closeGroup");
}

}  // namespace mpslab
