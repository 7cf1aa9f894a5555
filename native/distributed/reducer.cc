// libtorch's reducer: it puts gradients into buckets, and starts the reduction of a bucket when backward has
// filled it. The order of calls is that of torch/nn/parallel/distributed.py.
#include "distributed/reducer.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "addon/guard.h"
#include "distributed/arguments.h"
#include "distributed/completion.h"
#include "distributed/process_group.h"
#include "distributed/staging.h"

namespace mpslab {
namespace {

using c10d::Reducer;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// How many bytes of parameters and buffers are sent at once, as in PyTorch.
constexpr size_t kBroadcastBytes = 250 * 1024 * 1024;

struct ReducerOptions {
  std::vector<at::Tensor> parameters;
  std::unordered_map<size_t, std::string> names;
  std::vector<bool> sparse;
  int64_t bucketBytes;
  int64_t firstBucketBytes;
  bool findUnused;
  bool gradientAsBucketView;
};

/// The constructor of PyTorch 2.15 also takes a list of bucket sizes, that of 2.11 does not.
template <typename Made>
std::shared_ptr<Made> construct(const ReducerOptions& options, std::vector<std::vector<size_t>> buckets,
                                const Group& group) {
  const auto make = [&](auto... more) {
    return std::make_shared<Made>(options.parameters, std::move(buckets), group, options.sparse,
                                  options.bucketBytes, options.findUnused, options.gradientAsBucketView,
                                  options.names, options.firstBucketBytes, false, false, more...);
  };
  using Caps = std::vector<int64_t>;
  if constexpr (std::is_constructible_v<Made, std::vector<at::Tensor>, std::vector<std::vector<size_t>>,
                                        Group, std::vector<bool>, int64_t, bool, bool,
                                        std::unordered_map<size_t, std::string>, int64_t, bool, bool, Caps>)
    return make(Caps{});
  else
    return make();
}

struct SharedReducer {
  std::shared_ptr<Reducer> reducer;
  /// Whether gradients go through the host.
  bool isStaged;
};

SharedReducer makeShared(const ReducerOptions& options, const Group& group) {
  // If unused parameters need not be found, there is a single bucket at first. After the first backward the
  // buckets are rebuilt in the order in which its gradients came.
  std::vector<size_t> limits{std::numeric_limits<int64_t>::max()};
  if (options.findUnused)
    limits = {static_cast<size_t>(options.firstBucketBytes), static_cast<size_t>(options.bucketBytes)};
  auto [buckets, _] = c10d::compute_bucket_assignment_by_size(options.parameters, limits, options.sparse);
  std::reverse(buckets.begin(), buckets.end());
  const bool isStaged = stages(*group, options.parameters.front().device());
  auto reducer = construct<Reducer>(options, std::move(buckets), isStaged ? stagedGroup(group) : group);
  if (isStaged) reducer->register_comm_hook(stagingHook(group));
  return {std::move(reducer), isStaged};
}

/// All reducers of this process.
std::vector<std::weak_ptr<Reducer>>& reducers() {
  static auto* all = std::make_unique<std::vector<std::weak_ptr<Reducer>>>().release();
  return *all;
}

/// The buckets of all reducers: memory for averaging gradients that is kept from step to step.
std::vector<at::Tensor> buckets() {
  std::erase_if(reducers(), [](const auto& reducer) { return reducer.expired(); });
  std::vector<at::Tensor> found;
  for (const auto& held : reducers()) {
    const auto reducer = held.lock();
    for (const c10d::GradBucket& bucket : reducer->get_grad_buckets(/*return_zero_tensors=*/false))
      found.push_back(bucket.getBuffer());
  }
  return found;
}

SharedReducer& reducerOf(Environment& environment, Napi::Value value) {
  if (!value.IsExternal()) throwTypeError(environment, "Expected a reducer.");
  SharedReducer& shared = *value.As<Napi::External<SharedReducer>>().Data();
  if (!shared.reducer)
    throw Napi::Error::New(environment.env, "The process group of this reducer was destroyed.");
  return shared;
}

/// `makeReducer(group, parameters, names, sparse, bucketBytes, firstBucketBytes, findUnused,
/// gradientAsBucketView)`
Napi::Value makeReducer(Environment& environment, const Napi::CallbackInfo& info) {
  const Group group = groupOf(environment, info[0]);
  ReducerOptions options;
  options.parameters = tensorsArgument(environment, info[1]);
  const auto names = textsArgument(info[2]);
  for (size_t i = 0; i < names.size(); ++i) options.names.emplace(i, names[i]);
  for (const int64_t sparse : integersArgument(info[3])) options.sparse.push_back(sparse != 0);
  options.bucketBytes = info[4].ToNumber().Int64Value();
  options.firstBucketBytes = info[5].ToNumber().Int64Value();
  options.findUnused = info[6].ToBoolean();
  options.gradientAsBucketView = info[7].ToBoolean();
  auto reducer = std::make_unique<SharedReducer>(makeShared(options, group));
  reducers().push_back(reducer->reducer);
  environment.keptTensors = &buckets;
  const auto free = [](node_api_basic_env, void* data, void*) { delete static_cast<SharedReducer*>(data); };
  napi_value object;
  if (napi_create_external(environment.env, reducer.get(), free, nullptr, &object) != napi_ok)
    throw Napi::Error::New(environment.env);
  (void)reducer.release();
  return {environment.env, object};
}

/// `broadcastAll(group, tensors, root, isRecorded)` gives every rank the root's values. With `isRecorded`, it
/// runs on this thread, whose operators are recorded.
Napi::Value broadcastAll(Environment& environment, const Napi::CallbackInfo& info) {
  const Group group = groupOf(environment, info[0]);
  const auto tensors = tensorsArgument(environment, info[1]);
  const int root = info[2].ToNumber().Int32Value();
  const auto hosts = toHost(*group, tensors);
  const auto broadcast = [=] {
    const c10::AutoGradMode off(false);
    c10d::broadcast_coalesced(group, hosts, kBroadcastBytes, root);
  };
  if (info[3].ToBoolean())
    broadcast();
  else
    runOnThread(broadcast)->wait(environment);
  if (group->getRank() != root) fromHost(hosts, tensors);
  return info.Env().Undefined();
}

/// Must be called before each forward that records. Once, after the first backward, it rebuilds the buckets,
/// for which the ranks communicate. If tensors are staged, that happens on this thread, because the device
/// takes one thread; Stop then has to wait.
Napi::Value prepareForForward(Environment& environment, const Napi::CallbackInfo& info) {
  const SharedReducer shared = reducerOf(environment, info[0]);
  shared.reducer->prepare_for_forward();
  if (!shared.reducer->should_rebuild_buckets()) return Napi::Boolean::New(info.Env(), false);
  auto rebuilt = std::make_shared<bool>(false);
  const auto rebuild = [rebuilt, reducer = shared.reducer] { *rebuilt = reducer->rebuild_buckets(); };
  if (shared.isStaged)
    rebuild();
  else
    runOnThread(rebuild)->wait(environment);
  if (*rebuilt && environment.capture) environment.capture->ofNativeCode = buckets();
  return Napi::Boolean::New(info.Env(), *rebuilt);
}

/// `prepareForBackward(reducer, outputs)`. Unused parameters are those that no output depends on.
Napi::Value prepareForBackward(Environment& environment, const Napi::CallbackInfo& info) {
  reducerOf(environment, info[0]).reducer->prepare_for_backward(tensorsArgument(environment, info[1]));
  return info.Env().Undefined();
}

/// Removes the reducer's hooks from the parameters and releases the group at once, not when the collector
/// runs.
Napi::Value releaseReducer(Environment& environment, const Napi::CallbackInfo& info) {
  reducerOf(environment, info[0]).reducer.reset();
  return info.Env().Undefined();
}

}  // namespace

void defineReducers(Environment& environment, Napi::Object distributed) {
  define<makeReducer>(environment, distributed, "makeReducer");
  define<broadcastAll>(environment, distributed, "broadcastAll");
  define<prepareForForward>(environment, distributed, "prepareForForward");
  define<prepareForBackward>(environment, distributed, "prepareForBackward");
  define<releaseReducer>(environment, distributed, "releaseReducer");
}

}  // namespace mpslab
