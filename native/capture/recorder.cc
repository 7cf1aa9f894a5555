// Finds the tensors of each operator among those that were seen before. A tensor is known by its address,
// which a weak reference keeps from being used again, or by its place in a storage: autograd makes new
// tensors over known storages without an operator, for example when it unpacks what it saved.
#include "capture/recorder.h"

#include <ATen/autocast_mode.h>
#include <c10/core/TensorOptions.h>

#include "addon/call_site.h"
#include "addon/capture_notes.h"
#include "capture/comparison.h"
#include "capture/refusals.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::capture {
namespace {

thread_local Recorder* recorder = nullptr;

/// The same tensor without its graph, which a program must not keep alive.
at::Tensor withoutGraph(const at::Tensor& tensor) {
  return tensor.is_leaf() ? tensor : tensor.variable_data();
}

const at::Tensor* firstTensor(c10::ArrayRef<const c10::IValue> values) {
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) return &value.toTensor();
    if (!value.isList()) continue;
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor() && element.toTensor().defined()) return &element.toTensor();
    }
  }
  return nullptr;
}

bool requiresGrad(const c10::IValue& value) {
  const at::Tensor* tensor = firstTensor(c10::ArrayRef<const c10::IValue>(&value, 1));
  return tensor != nullptr && tensor->requires_grad();
}

void appendTensors(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
  }
}

bool writes(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// Whether results are the first argument's elements, seen otherwise.
bool areViews(const c10::OperatorHandle& op, const at::Tensor* first,
              const std::vector<at::Tensor>& results) {
  if (first == nullptr || results.empty() || !first->has_storage() || first->layout() != at::kStrided)
    return false;
  const auto& arguments = op.schema().arguments();
  if (std::any_of(arguments.begin(), arguments.end(), writes)) return false;
  return std::all_of(results.begin(), results.end(), [&](const at::Tensor& result) {
    return result.defined() && result.layout() == at::kStrided && result.has_storage() &&
           result.storage().is_alias_of(first->storage()) && result.scalar_type() == first->scalar_type() &&
           result.is_conj() == first->is_conj() && result.is_neg() == first->is_neg();
  });
}

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
    : environment_(environment), expected_(expected), isFirst_(isFirst) {
  environment.pool.forEachLive([&](const Handle& handle) { noteThere(handle.tensor); });
  noteGradientsBefore();
  program_.aliases = aliasesOf(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    program_.inputs.push_back(Geometry::of(inputs[i]));
    program_.inputsRequireGrad.push_back(inputs[i].requires_grad());
    addSlot(inputs[i], {.kind = Source::Kind::Input, .input = i});
  }
  // What was cast outside of the step would be a constant in it.
  at::autocast::clear_cache();
  environment.capture = std::make_unique<CaptureNotes>();
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

std::unique_ptr<at::ObserverContext> Recorder::begin(const at::RecordFunction& function) {
  if (recorder == nullptr || recorder->insideCall_) return nullptr;
  recorder->insideCall_ = true;
  auto call = recorder->beginCall(function);
  recorder->insideCall_ = call != nullptr;
  return call;
}

void Recorder::end(const at::RecordFunction& function, at::ObserverContext* context) {
  auto* call = static_cast<Call*>(context);
  if (recorder == nullptr || call == nullptr) return;
  recorder->endCall(function, *call);
  recorder->insideCall_ = false;
}

/// A composite operator is made of others. Some have a kernel of the device beside, which autograd does not
/// know: where it records, it records what they are made of. Autocast calls an operator again with what it
/// cast.
bool Recorder::isTakenApart(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments) const {
  const at::Tensor* first = firstTensor(arguments);
  const at::Device device = first == nullptr ? program_.device : first->device();
  const auto backend =
      c10::computeDispatchKey(std::nullopt, first == nullptr ? at::kStrided : first->layout(), device);
  const bool isRecorded = at::GradMode::is_enabled() &&
                          !op.hasKernelForDispatchKey(c10::DispatchKey::Autograd) &&
                          std::any_of(arguments.begin(), arguments.end(), requiresGrad);
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
      (isRecorded || !op.hasKernelForDispatchKey(backend)))
    return true;
  if (!at::autocast::is_autocast_enabled(device.type())) return false;
  const auto autocast = at::autocast::get_autocast_dispatch_key_from_device_type(device.type());
  return op.hasKernelForDispatchKey(autocast) && !c10::impl::tls_is_dispatch_key_excluded(autocast);
}

std::unique_ptr<at::ObserverContext> Recorder::beginCall(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name) return nullptr;
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op) return nullptr;
  const auto inputs = function.inputs();
  CaptureNotes& notes = *environment_.capture;
  if (notes.refusal.empty()) notes.refusal = refusalOf(*op, inputs, isFirst_);
  const at::Tensor* first = firstTensor(inputs);
  if (isTakenApart(*op, inputs)) return nullptr;
  Instruction instruction;
  instruction.op = *op;
  for (const c10::IValue& input : inputs) instruction.arguments.push_back(argumentOf(input));
  if (op->hasTag(at::Tag::nondeterministic_seeded)) program_.draws = true;
  if (first != nullptr && !first->is_cpu()) program_.device = first->device();
  return std::make_unique<Call>(*op, std::move(instruction), first);
}

void Recorder::endCall(const at::RecordFunction& function, Call& call) {
  std::vector<at::Tensor> results;
  for (const c10::IValue& output : function.outputs()) appendTensors(output, results);
  const auto& returns = call.op.schema().returns();
  // The operator threw.
  if (function.outputs().size() < returns.size()) return;
  if (areViews(call.op, call.first.defined() ? &call.first : nullptr, results)) {
    const Slot base = slotOf(call.first);
    for (const at::Tensor& result : results) {
      if (!known_.contains(result.unsafeGetTensorImpl())) addView(base, result);
    }
    return;
  }
  noteWrites(call);
  if (copiesBetweenKinds(call, results) && environment_.capture->refusal.empty()) {
    environment_.capture->refusal =
        "a copy between the host and the device waits for the device, which no graph does: pass tensors that "
        "are on "
        "the device.";
  }
  for (const at::Tensor& result : results) {
    const bool isNew = result.defined() && !known_.contains(result.unsafeGetTensorImpl());
    call.instruction.results.push_back(isNew ? addSlot(result, {}) : kNothing);
    if (!isNew) continue;
    if (result.layout() != at::kStrided && environment_.capture->refusal.empty())
      environment_.capture->refusal = nameOf(call.op) +
                                      " gives a sparse tensor, whose size depends on the elements: do this "
                                      "outside of the step.";
  }
  addInstruction(std::move(call.instruction));
}

/// CUDA alone has graphs, which no copy of the host's memory is part of.
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

void Recorder::noteWrites(const Call& call) {
  const auto& parameters = call.op.schema().arguments();
  for (size_t i = 0; i < parameters.size() && i < call.instruction.arguments.size(); ++i) {
    if (!writes(parameters[i])) continue;
    for (const Slot slot : call.instruction.arguments[i].slots) {
      if (slot != kNothing) writtenSlots_.insert(slot);
    }
  }
}

Argument Recorder::argumentOf(const c10::IValue& value) {
  Argument argument;
  if (value.isTensor()) {
    argument.kind = Argument::Kind::Tensor;
    argument.slots.push_back(slotOf(value.toTensor()));
  } else if (value.isTensorList()) {
    argument.kind = Argument::Kind::Tensors;
    for (const at::Tensor& tensor : value.toTensorVector()) argument.slots.push_back(slotOf(tensor));
  } else if (value.isOptionalTensorList()) {
    argument.kind = Argument::Kind::OptionalTensors;
    for (const c10::IValue& element : value.toListRef())
      argument.slots.push_back(element.isTensor() ? slotOf(element.toTensor()) : kNothing);
  } else {
    argument.value = value;
  }
  return argument;
}

Slot Recorder::slotOf(const at::Tensor& tensor) {
  if (!tensor.defined()) return kNothing;
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (const auto found = known_.find(impl); found != known_.end()) return found->second.slot;
  if (const auto leaf = leavesByGradient_.find(impl); leaf != leavesByGradient_.end())
    return addSlot(tensor, {.kind = Source::Kind::Gradient, .tensor = leaf->second});
  if (const Slot alias = aliasOf(tensor); alias != kNothing) {
    known_.emplace(impl, Known{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), alias});
    return alias;
  }
  if (!there_.contains(impl)) {
    CaptureNotes& notes = *environment_.capture;
    if (tensor.dim() != 0 && !notes.fromNumbers.contains(impl) && notes.refusal.empty()) {
      notes.refusal =
          "the step uses a " + mpslab::describe(tensor) +
          " that it computed where no operator was seen, or in an earlier call: compute it in the step.";
    }
    return addSlot(tensor, {.kind = Source::Kind::Constant, .tensor = withoutGraph(tensor)});
  }
  return addSlot(tensor, {.kind = Source::Kind::Kept, .tensor = withoutGraph(tensor), .original = impl});
}

/// The slot of another tensor over the same storage that a replay can have this one from.
Slot Recorder::aliasOf(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return kNothing;
  const auto found = storages_.find(tensor.storage().unsafeGetStorageImpl());
  if (found == storages_.end()) return kNothing;
  const std::vector<Slot> slots = found->second.slots;
  const Geometry geometry = Geometry::of(tensor);
  for (const Slot slot : slots) {
    if (program_.sources[static_cast<size_t>(slot)].geometry == geometry) return slot;
  }
  if (isKept(slots.front())) return kNothing;
  addView(slots.front(), tensor);
  return known_.at(tensor.unsafeGetTensorImpl()).slot;
}

bool Recorder::isKept(Slot slot) const {
  const Source::Kind kind = program_.sources[static_cast<size_t>(slot)].kind;
  return kind == Source::Kind::Kept || kind == Source::Kind::Constant;
}

Slot Recorder::addSlot(const at::Tensor& tensor, Source source) {
  const auto slot = static_cast<Slot>(program_.sources.size());
  source.geometry = Geometry::of(tensor);
  source.device = tensor.device();
  program_.sources.push_back(std::move(source));
  known_.emplace(tensor.unsafeGetTensorImpl(),
                 Known{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), slot});
  if (tensor.has_storage()) {
    const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    auto [place, isNew] = storages_.try_emplace(
        storage,
        KnownStorage{c10::weak_intrusive_ptr<c10::StorageImpl>(tensor.storage().getWeakStorageImpl()), {}});
    place->second.slots.push_back(slot);
  }
  compareSource(slot);
  return slot;
}

void Recorder::addView(Slot base, const at::Tensor& view) {
  if (isKept(base)) {
    // It stays what it is for as long as its base does, so no replay makes it again.
    addSlot(view, {.kind = program_.sources[static_cast<size_t>(base)].kind, .tensor = view.variable_data()});
    return;
  }
  Instruction instruction;
  instruction.arguments.push_back({Argument::Kind::Tensor, {}, {base}});
  instruction.results.push_back(addSlot(view, {}));
  addInstruction(std::move(instruction));
}

void Recorder::addInstruction(Instruction instruction) {
  program_.instructions.push_back(std::move(instruction));
  compareInstruction();
}

void Recorder::noteThere(const at::Tensor& tensor) {
  there_.try_emplace(tensor.unsafeGetTensorImpl(), tensor.getIntrusivePtr());
}

void Recorder::noteGradientsBefore() {
  environment_.pool.forEachLive([&](const Handle& handle) {
    const at::Tensor& tensor = handle.tensor;
    if (!tensor.requires_grad() || !tensor.is_leaf()) return;
    const at::Tensor& gradient = tensor.grad();
    if (gradient.defined()) {
      leavesByGradient_.emplace(gradient.unsafeGetTensorImpl(), tensor);
      noteThere(gradient);
    }
    gradientsBefore_.emplace(tensor.unsafeGetTensorImpl(),
                             gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr);
  });
}

void Recorder::noteGradientsAfter() {
  const auto& replaced = environment_.capture->replacedGradients;
  std::unordered_map<const at::TensorImpl*, at::Tensor> leaves;
  environment_.pool.forEachLive([&](const Handle& handle) {
    if (handle.tensor.requires_grad() && handle.tensor.is_leaf())
      leaves.try_emplace(handle.tensor.unsafeGetTensorImpl(), handle.tensor);
  });
  for (const auto& [impl, leaf] : leaves) {
    const auto before = gradientsBefore_.find(impl);
    // The step made this leaf.
    if (before == gradientsBefore_.end()) continue;
    const at::TensorImpl* was = before->second;
    const at::Tensor& gradient = leaf.grad();
    const bool changed = (gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr) != was;
    const auto replacement = replaced.find(impl);
    // What it was is of no importance if the step replaced it before it added to it.
    const bool replacedFirst = replacement != replaced.end() && replacement->second == was;
    const auto known = was == nullptr ? known_.end() : known_.find(was);
    const bool added = known != known_.end() && writtenSlots_.contains(known->second.slot);
    if (!changed && !added && replacement == replaced.end()) continue;
    const auto slot = known_.find(impl);
    if (slot != known_.end() &&
        program_.sources[static_cast<size_t>(slot->second.slot)].kind == Source::Kind::Input) {
      environment_.capture->refusal =
          "the step leaves a gradient on its argument, and the next call may have another: take it with "
          "autograd.grad() and return it.";
    }
    program_.gradients.push_back(
        {leaf, !replacedFirst, was != nullptr, gradient.defined() ? slotOf(gradient) : kNothing});
  }
}

void Recorder::noteLastUses() {
  std::unordered_set<Slot> used(program_.results.begin(), program_.results.end());
  for (const LeafGradient& gradient : program_.gradients) used.insert(gradient.result);
  for (auto instruction = program_.instructions.rbegin(); instruction != program_.instructions.rend();
       ++instruction) {
    const auto noteUse = [&](Slot slot) {
      if (slot == kNothing || program_.sources[static_cast<size_t>(slot)].kind != Source::Kind::Made) return;
      if (used.insert(slot).second) instruction->lastUses.push_back(slot);
    };
    for (const Argument& argument : instruction->arguments)
      std::for_each(argument.slots.begin(), argument.slots.end(), noteUse);
    std::for_each(instruction->results.begin(), instruction->results.end(), noteUse);
  }
}

Program Recorder::finish(const std::vector<at::Tensor>& results) {
  for (const at::Tensor& result : results) program_.results.push_back(slotOf(result));
  noteGradientsAfter();
  for (const Slot slot : writtenSlots_) {
    if (program_.sources[static_cast<size_t>(slot)].kind != Source::Kind::Made)
      program_.written.push_back(slot);
  }
  noteLastUses();
  program_.mode = Mode::here(program_.device.type());
  if (expected_ != nullptr && expected_->instructions.size() > program_.instructions.size())
    differ("ends before it calls " + describe(expected_->instructions[program_.instructions.size()]));
  return std::move(program_);
}

void Recorder::compareSource(Slot slot) {
  if (expected_ == nullptr || difference_) return;
  const std::string text = sourceDifference(*expected_, program_, slot);
  if (!text.empty()) differ(text);
}

void Recorder::compareInstruction() {
  if (expected_ == nullptr || difference_) return;
  const std::string text = instructionDifference(*expected_, program_, program_.instructions.size() - 1);
  if (!text.empty()) differ(text);
}

void Recorder::differ(const std::string& text) {
  if (difference_) return;
  const std::string lines = callSite();
  difference_ = Difference{text, lines.substr(0, lines.find('\n'))};
}

}  // namespace mpslab::capture
