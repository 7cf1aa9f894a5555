// Starts collectives and messages between the ranks of a group, by name. `lib/torch/distributed` has checked
// the arguments.
#include "distributed/collectives.h"

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

/// Options that have a root.
template <typename Options>
Options rooted(const Started& started) {
  Options options;
  options.rootRank = started.peer;
  return options;
}

/// Options that have a reduction.
template <typename Options>
Options reducing(const Started& started) {
  Options options;
  options.reduceOp = started.op;
  return options;
}

// PyTorch 2.15 has new names for the three functions of one tensor each, and warns of the old ones.

template <typename Group>
Work gatherSingle(Group& group, at::Tensor& output, at::Tensor& input) {
  if constexpr (requires { group.all_gather_single(output, input); })
    return group.all_gather_single(output, input);
  else
    return group._allgather_base(output, input);
}

template <typename Group>
Work scatterSingle(Group& group, at::Tensor& output, at::Tensor& input,
                   const c10d::ReduceScatterOptions& options) {
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

/// The lists of the root; none on other ranks.
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
      {"barrier", [](Started& it) { return it.group->barrier(); }},
      {"send", [](Started& it) { return it.group->send(it.inputs, it.peer, it.tag); }},
      {"recv", [](Started& it) { return it.group->recv(it.outputs, it.peer, it.tag); }},
      {"recvAny", [](Started& it) { return it.group->recvAnysource(it.outputs, it.tag); }},
  };
  return table;
}

/// Messages, and two collectives, have no future.
bool hasFuture(std::string_view name) {
  return name != "send" && !name.starts_with("recv") && !name.starts_with("reduceScatter");
}

/// The end of a collective comes by its future; without one, a thread waits.
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

/// `start(group, name, outputs, inputs, peer, op, tag, outputSplits, inputSplits)`
Napi::Value start(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string name = info[1].ToString();
  Started started{
      groupOf(environment, info[0]),
      tensorsArgument(environment, info[2]),
      tensorsArgument(environment, info[3]),
      info[4].ToNumber().Int32Value(),
      c10d::ReduceOp(static_cast<c10d::ReduceOp::RedOpType>(info[5].ToNumber().Int32Value())),
      info[6].ToNumber().Int32Value(),
      integersArgument(info[7]),
      integersArgument(info[8]),
  };
  return wrapOperation(environment, toOperation(name, starters().at(name)(started)));
}

}  // namespace

void defineCollectives(Environment& environment, Napi::Object distributed) {
  define<start>(environment, distributed, "start");
}

}  // namespace mpslab
