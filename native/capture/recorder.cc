// Takes each operator's call down as an instruction: its arguments before it runs, its results after.
#include "capture/recorder.h"

#include <ATen/autocast_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>

#include "addon/capture_notes.h"
#include "capture/operators.h"
#include "capture/refusals.h"
#include "distributed/nccl_waiting.h"
#include "vocabulary/first_line.h"

namespace mpslab::capture {
namespace {

thread_local Recorder* recorder = nullptr;

}  // namespace

struct Recorder::Call : at::ObserverContext {
  Call(c10::OperatorHandle op, Instruction instruction, const at::Tensor* first)
      : op(std::move(op)), instruction(std::move(instruction)) {
    if (first != nullptr) this->first = *first;
  }
  c10::OperatorHandle op;
  Instruction instruction;
  /// Undefined where the operator takes no tensor.
  at::Tensor first;
};

Recorder::Recorder(Environment& environment, const std::vector<at::Tensor>& inputs, const Program* expected,
                   bool isFirst)
    : environment_(environment),
      isFirst_(isFirst),
      known_(environment, program_),
      gradients_(environment, known_),
      comparison_(expected) {
  program_.aliases = aliasesOf(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    program_.inputs.push_back(Geometry::of(inputs[i]));
    program_.inputFlags.push_back(GradientFlags::of(inputs[i]));
    known_.add(inputs[i], {.kind = Source::Kind::Input, .input = i});
  }
  // What was cast outside of the step would be a constant in it.
  at::autocast::clear_cache();
  environment.capture = std::make_unique<CaptureNotes>();
  if (environment.keptTensors != nullptr) environment.capture->ofNativeCode = environment.keptTensors();
  recorder = this;
  callback_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&Recorder::begin, &Recorder::end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

Recorder::~Recorder() {
  at::removeCallback(callback_);
  recorder = nullptr;
  environment_.capture.reset();
  at::autocast::clear_cache();
}

/// libtorch turns an observer's exception into a warning; then the program would lack the operator.
template <typename Part>
void Recorder::orRefuse(Part&& record) {
  try {
    record();
  } catch (const std::exception& error) {
    refuse("an operator of the step could not be recorded: " + firstLine(error.what()));
  }
}

std::unique_ptr<at::ObserverContext> Recorder::begin(const at::RecordFunction& function) {
  if (recorder == nullptr) return nullptr;
  std::unique_ptr<Call> call;
  if (recorder->insideCall_) {
    recorder->orRefuse([&] {
      if (recorder->keepsOverwritten(function)) call = recorder->beginCall(function);
    });
    return call;
  }
  recorder->insideCall_ = true;
  recorder->orRefuse([&] { call = recorder->beginCall(function); });
  recorder->insideCall_ = call != nullptr;
  recorder->outermost_ = call.get();
  return call;
}

void Recorder::end(const at::RecordFunction& function, at::ObserverContext* context) {
  auto* call = static_cast<Call*>(context);
  if (recorder == nullptr || call == nullptr) return;
  recorder->orRefuse([&] { recorder->endCall(function, *call); });
  if (call != recorder->outermost_) return;
  recorder->insideCall_ = false;
  recorder->outermost_ = nullptr;
}

/// `x.mul_(gate)` overwrites what its derivative needs, so autograd clones `x` within the call, and backward
/// reads the clone. A replay runs below autograd: the clone is an instruction of its own, before the call's.
bool Recorder::keepsOverwritten(const at::RecordFunction& function) const {
  if (outermost_ == nullptr || c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::AutogradCPU))
    return false;
  const auto name = function.operator_name();
  if (!name || name->name != "aten::clone") return false;
  const at::Tensor* cloned = firstTensor(function.inputs());
  const Slot slot = cloned == nullptr ? kNothing : known_.find(cloned->unsafeGetTensorImpl());
  if (slot == kNothing) return false;
  const std::vector<Argument>& arguments = outermost_->instruction.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& slots = arguments[i].slots;
    if (writes(outermost_->op, i) && std::find(slots.begin(), slots.end(), slot) != slots.end()) return true;
  }
  return false;
}

void Recorder::refuse(const std::string& reason) {
  std::string& refusal = environment_.capture->refusal;
  if (refusal.empty()) refusal = reason;
}

std::unique_ptr<Recorder::Call> Recorder::beginCall(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name) return nullptr;
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op) return nullptr;
  const auto inputs = function.inputs();
  refuse(refusalOf(*op, inputs));
  if (isTakenApart(*op, inputs, program_.device)) return nullptr;
  const at::Tensor* first = firstTensor(inputs);
  Instruction instruction;
  instruction.op = *op;
  for (const c10::IValue& input : inputs) instruction.arguments.push_back(argumentOf(input));
  comparison_.goOn(program_);
  if (op->hasTag(at::Tag::nondeterministic_seeded)) program_.draws = true;
  if (isCollective(*op)) noteReplayed();
  if (first != nullptr && !first->is_cpu()) program_.device = first->device();
  return std::make_unique<Call>(*op, std::move(instruction), first);
}

void Recorder::endCall(const at::RecordFunction& function, Call& call) {
  // The operator threw.
  if (function.outputs().size() < call.op.schema().returns().size()) return;
  const std::vector<at::Tensor> results = tensorsOf(function.outputs());
  // The first call may do this to make state that later calls use.
  if (!isFirst_ && call.op.operator_name().name == "aten::set_") {
    if (!known_.takeMemory(call.first)) refuse(otherMemoryRefusal(call.op));
    return;
  }
  if (areViews(call.op, call.first, results)) {
    const Slot base = known_.slotOf(call.first);
    for (const at::Tensor& result : results) {
      if (known_.find(result.unsafeGetTensorImpl()) == kNothing) known_.addView(base, result);
    }
    comparison_.goOn(program_);
    return;
  }
  noteWrites(call);
  if (copiesBetweenKinds(call, results)) {
    refuse(
        "a copy between the host and the device waits for the device, which no graph does: make the tensor "
        "with { device: \"cuda\" }, or pass it as an argument.");
  }
  for (const at::Tensor& result : results) {
    const bool isNew = result.defined() && known_.find(result.unsafeGetTensorImpl()) == kNothing;
    call.instruction.results.push_back(isNew ? known_.add(result, {}) : kNothing);
    if (isNew && result.layout() != at::kStrided) {
      refuse(nameOf(call.op) +
             " gives a sparse tensor, whose size depends on the elements: do this outside of the step.");
    }
  }
  program_.instructions.push_back(std::move(call.instruction));
  comparison_.goOn(program_);
}

/// Copies between host and device matter only for CUDA: its graphs cannot contain a copy of the host's
/// memory.
bool Recorder::copiesBetweenKinds(const Call& call, const std::vector<at::Tensor>& results) {
  if (results.empty() || !results[0].defined()) return false;
  for (const Argument& argument : call.instruction.arguments) {
    for (const Slot slot : argument.slots) {
      if (slot == kNothing) continue;
      const at::Device from = program_.sources[static_cast<size_t>(slot)].device;
      const at::Device to = results[0].device();
      const bool isNumber = program_.sources[static_cast<size_t>(slot)].geometry.sizes.empty();
      if (from.type() != to.type() && (from.is_cuda() || (to.is_cuda() && !isNumber))) return true;
    }
  }
  return false;
}

/// Who writes a tensor writes all that share its memory.
void Recorder::noteWrites(const Call& call) {
  for (size_t i = 0; i < call.instruction.arguments.size(); ++i) {
    if (!writes(call.op, i)) continue;
    for (const Slot slot : call.instruction.arguments[i].slots) {
      if (slot == kNothing) continue;
      for (const Slot sharing : known_.sharingStorage(slot)) writtenSlots_.insert(sharing);
      // The first call may do this to make state that later calls use.
      if (!isFirst_ && program_.sources[static_cast<size_t>(slot)].kind == Source::Kind::Constant) {
        refuse(nameOf(call.op) +
               " changes a tensor that the step made of numbers, and a replay would go on with what the last "
               "one left: make it with torch.zeros() or torch.full(), or clone() it in the step.");
      }
    }
  }
}

Argument Recorder::argumentOf(const c10::IValue& value) {
  Argument argument;
  if (value.isTensor()) {
    argument.kind = Argument::Kind::Tensor;
    argument.slots.push_back(known_.slotOf(value.toTensor()));
  } else if (value.isTensorList()) {
    argument.kind = Argument::Kind::Tensors;
    for (const at::Tensor& tensor : value.toTensorVector()) argument.slots.push_back(known_.slotOf(tensor));
  } else if (value.isOptionalTensorList()) {
    argument.kind = Argument::Kind::OptionalTensors;
    for (const c10::IValue& element : value.toListRef())
      argument.slots.push_back(element.isTensor() ? known_.slotOf(element.toTensor()) : kNothing);
  } else {
    argument.value = value;
  }
  return argument;
}

void Recorder::refuseDisposals() {
  for (const at::TensorImpl* disposed : environment_.capture->disposed) {
    const Slot slot = known_.find(disposed);
    if (slot == kNothing) continue;
    const Source& source = program_.sources[static_cast<size_t>(slot)];
    // Views of such a tensor that the step made are its own, and it may dispose of them.
    if (source.kind != Source::Kind::Input && source.original != disposed) continue;
    refuse("the step disposes of a " + describe(source.geometry) +
           " that was there before it, and a replay would find it again: dispose of it outside of the step.");
  }
}

Program Recorder::finish(const std::vector<at::Tensor>& results) {
  pause(true);
  refuseDisposals();
  for (const at::Tensor& result : results) program_.results.push_back(known_.slotOf(result));
  gradients_.finish(program_, writtenSlots_);
  for (const Slot slot : writtenSlots_) {
    if (program_.sources[static_cast<size_t>(slot)].kind != Source::Kind::Made)
      program_.written.push_back(slot);
  }
  noteLastUses(program_);
  program_.mode = Mode::here(program_.device.type());
  for (Leaf& leaf : program_.leaves) leaf.flags = GradientFlags::of(leaf.tensor);
  refuse(hostWorkOf(program_));
  comparison_.end(program_);
  return std::move(program_);
}

}  // namespace mpslab::capture
