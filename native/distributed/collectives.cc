// Starts collectives and messages between the ranks of a group, by name. `lib/torch/distributed` has checked
// the arguments.
#include "distributed/collectives.h"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/DeviceGuard.h>

#include <atomic>
#include <string_view>
#include <unordered_map>

#include "addon/guard.h"
#include "distributed/arguments.h"
#include "distributed/operation.h"
#include "distributed/process_group.h"

namespace mpslab {
namespace {

using c10d::ProcessGroup;
using Work = c10::intrusive_ptr<c10d::Work>;
using Tensors = std::vector<at::Tensor>;

struct Started {
  std::shared_ptr<Connections> connections;
  c10::intrusive_ptr<ProcessGroup> group;
  Tensors outputs;
  Tensors inputs;
  /// The root of a collective, or the other end of a message.
  int peer;
  c10d::ReduceOp op;
  int tag;
  std::vector<int64_t> outputSplits;
  std::vector<int64_t> inputSplits;
};

/// Options with the collective's root.
template <typename Options>
Options rooted(const Started& started) {
  Options options;
  options.rootRank = started.peer;
  return options;
}

/// Options with the collective's reduction.
template <typename Options>
Options reducing(const Started& started) {
  Options options;
  options.reduceOp = started.op;
  return options;
}

/// Returns the device on which the collective runs.
at::Device placeOf(const Started& started) {
  for (const Tensors* tensors : {&started.inputs, &started.outputs}) {
    if (!tensors->empty()) return tensors->front().device();
  }
  const bool isOnGpu = started.group->getBackendType() == ProcessGroup::BackendType::NCCL;
  return isOnGpu ? at::Device(at::kCUDA, at::accelerator::getDeviceIndex()) : at::Device(at::kCPU);
}

// PyTorch 2.15 has new names for the next three functions, and warns of the old ones. Gloo splits a whole
// along its first dimension, NCCL in the order of its elements; for flat tensors both are the same.

template <typename Group>
Work gatherSingle(Group& group, const at::Tensor& whole, const at::Tensor& part) {
  at::Tensor output = whole.view(-1), input = part.view(-1);
  if constexpr (requires { group.all_gather_single(output, input); })
    return group.all_gather_single(output, input);
  else
    return group._allgather_base(output, input);
}

template <typename Group>
Work scatterSingle(Group& group, const at::Tensor& part, const at::Tensor& whole,
                   const c10d::ReduceScatterOptions& options) {
  at::Tensor output = part.view(-1), input = whole.view(-1);
  if constexpr (requires { group.reduce_scatter_single(output, input, options); })
    return group.reduce_scatter_single(output, input, options);
  else
    return group._reduce_scatter_base(output, input, options);
}

template <typename Group>
Work exchangeSingle(Group& group, Started& it) {
  if constexpr (requires {
                  group.all_to_all_single(it.outputs[0], it.inputs[0], it.outputSplits, it.inputSplits);
                })
    return group.all_to_all_single(it.outputs[0], it.inputs[0], it.outputSplits, it.inputSplits);
  else
    return group.alltoall_base(it.outputs[0], it.inputs[0], it.outputSplits, it.inputSplits);
}

/// The root's list of tensors; an empty list on other ranks.
std::vector<Tensors> ofRoot(const Started& started, const Tensors& tensors) {
  if (started.group->getRank() != started.peer) return {};
  return {tensors};
}

const std::unordered_map<std::string_view, Work (*)(Started&)>& starters() {
  static const std::unordered_map<std::string_view, Work (*)(Started&)> table{
      {"allReduce",
       [](Started& it) { return it.group->allreduce(it.outputs, reducing<c10d::AllreduceOptions>(it)); }},
      {"broadcast",
       [](Started& it) { return it.group->broadcast(it.outputs, rooted<c10d::BroadcastOptions>(it)); }},
      {"reduce",
       [](Started& it) {
         auto options = rooted<c10d::ReduceOptions>(it);
         options.reduceOp = it.op;
         return it.group->reduce(it.outputs, options);
       }},
      {"allGather",
       [](Started& it) {
         std::vector<Tensors> outputs{it.outputs};
         return it.group->allgather(outputs, it.inputs);
       }},
      {"allGatherIntoTensor",
       [](Started& it) { return gatherSingle(*it.group, it.outputs[0], it.inputs[0]); }},
      {"gather",
       [](Started& it) {
         auto outputs = ofRoot(it, it.outputs);
         return it.group->gather(outputs, it.inputs, rooted<c10d::GatherOptions>(it));
       }},
      {"scatter",
       [](Started& it) {
         auto inputs = ofRoot(it, it.inputs);
         return it.group->scatter(it.outputs, inputs, rooted<c10d::ScatterOptions>(it));
       }},
      {"reduceScatter",
       [](Started& it) {
         std::vector<Tensors> inputs{it.inputs};
         return it.group->reduce_scatter(it.outputs, inputs, reducing<c10d::ReduceScatterOptions>(it));
       }},
      {"reduceScatterTensor",
       [](Started& it) {
         return scatterSingle(*it.group, it.outputs[0], it.inputs[0],
                              reducing<c10d::ReduceScatterOptions>(it));
       }},
      {"allToAll", [](Started& it) { return it.group->alltoall(it.outputs, it.inputs); }},
      {"allToAllSingle", [](Started& it) { return exchangeSingle(*it.group, it); }},
      {"barrier",
       [](Started& it) {
         c10d::BarrierOptions options;
         if (const auto place = placeOf(it); place.is_cuda()) options.device_ids = {place.index()};
         return it.group->barrier(options);
       }},
      {"send", [](Started& it) { return it.group->send(it.inputs, it.peer, it.tag); }},
      {"recv", [](Started& it) { return it.group->recv(it.outputs, it.peer, it.tag); }},
      {"recvAny", [](Started& it) { return it.group->recvAnysource(it.outputs, it.tag); }},
  };
  return table;
}

bool isMessage(std::string_view name) { return name == "send" || name.starts_with("recv"); }

/// Whether the work has a future. Gloo's messages have none, nor have two of its collectives.
bool hasFuture(std::string_view name) { return !isMessage(name) && !name.starts_with("reduceScatter"); }

/// Starts work through NCCL that may first connect GPUs, which waits for the other ranks. It runs on a thread
/// of its own, so that Stop ends the wait.
Work startPatiently(Environment& environment, const Started& started, std::string_view name) {
  auto work = std::make_shared<Work>();
  const auto device = placeOf(started);
  runOnThread([work, started = Started(started), device, starter = starters().at(name)]() mutable {
    const c10::DeviceGuard guard(device);
    *work = starter(started);
  })->wait(environment);
  if (!isMessage(name)) started.connections->gpusAreConnected = true;
  return *work;
}

/// Starts work through NCCL. The GPU's next operators wait for it. Only for a barrier the host waits too.
Operation startOnGpu(Environment& environment, Started& started, std::string_view name) {
  const Connections& connections = *started.connections;
  // If the group has no bound device, each pair of ranks connects at its first message.
  const bool mayConnect =
      !connections.gpusAreConnected || (isMessage(name) && !connections.nccl->getBoundDeviceId());
  Work work = mayConnect ? startPatiently(environment, started, name) : starters().at(name)(started);
  if (name == "barrier") return {completionOf(std::move(work)), nullptr};
  return Operation(std::move(work));
}

/// The operation ends when the work's future does. If the work has no future, a thread waits for it.
Operation toOperation(std::string_view name, const Work& work) {
  auto source = std::make_shared<std::atomic<int>>(-1);
  if (!hasFuture(name)) {
    return {runOnThread([work, source, isReceived = name.starts_with("recv")] {
              work->wait();
              if (isReceived) *source = work->sourceRank();
            }),
            source};
  }
  auto completion = std::make_shared<Completion>();
  work->getFuture()->addCallback(
      [completion](c10::ivalue::Future& future) { completion->finish(future.exception_ptr()); });
  return {completion, source};
}

/// Raises the versions of what is received, which c10d does not: backward must not use values that it saved
/// before. The root of a broadcast keeps its own.
void countAsWritten(const Started& started, std::string_view name) {
  if (name == "broadcast" && started.group->getRank() == started.peer) return;
  for (const at::Tensor& output : started.outputs) {
    at::TensorImpl* impl = output.unsafeGetTensorImpl();
    if (impl->version_counter().enabled()) impl->bump_version();
  }
}

/// `start(group, name, outputs, inputs, peer, op, tag, outputSplits, inputSplits)`
Napi::Value start(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string name = info[1].ToString();
  auto connections = connectionsOf(environment, info[0]);
  Started started{
      connections,
      connections->group,
      tensorsArgument(environment, info[2]),
      tensorsArgument(environment, info[3]),
      info[4].ToNumber().Int32Value(),
      c10d::ReduceOp(static_cast<c10d::ReduceOp::RedOpType>(info[5].ToNumber().Int32Value())),
      info[6].ToNumber().Int32Value(),
      integersArgument(info[7]),
      integersArgument(info[8]),
  };
  countAsWritten(started, name);
  if (connections->nccl && placeOf(started).is_cuda())
    return wrapOperation(environment, startOnGpu(environment, started, name));
  return wrapOperation(environment, toOperation(name, starters().at(name)(started)));
}

}  // namespace

void defineCollectives(Environment& environment, Napi::Object distributed) {
  define<start>(environment, distributed, "start");
}

}  // namespace mpslab
