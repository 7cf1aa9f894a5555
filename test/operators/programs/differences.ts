// Where a program differs from PyTorch on purpose, and why. Each stands here until it no longer differs.

/** By subject and program: `in_place.someProgram`. */
export const differences: Readonly<Record<string, string>> = {
  "indices.maskOfBytes":
    "PyTorch warns that bytes mask, where other whole numbers choose; here the user says which is meant",
  "losses.mseOfAColumnBroadcasts":
    "PyTorch warns that this is likely wrong, and computes it; here a loss of two shapes is an error",
  "numerics.sparsePlaceOutside":
    "PyTorch leaves places outside of the shape unchecked, and reads memory that is not the tensor's; here they are refused",
  "states.listOfLayersIsNotRegistered":
    "arrays of layers belong to the module here, so that a plain list does not lose their parameters",
  "states.optimizerMadeBeforeTheStateWasAssigned":
    "an assigned parameter stays the same object here, so the optimizer that has it trains it on",
  "states.parameterReplacedByATensor":
    "the types refuse it before it runs; fields are plain ones and have no setter that could throw",
  "trainings.weightsThatAreTooFew":
    "PyTorch draws an index whose weight is 0 where no other is left; here that is an error",
  "optimizers.theSameParameterTwice":
    "PyTorch warns and steps twice; it says itself that this will be an error, and here it is one",
};

/**
 * Programs with Bernoulli's or exponential numbers, which PyTorch draws with Intel's MKL on x64 and in another way
 * elsewhere: only there are their values the recorded ones.
 */
export const drawnByMkl: readonly string[] = [
  "in_place.dropoutInPlaceThenLinear",
  "generators.multinomialWithoutReplacement",
  "generators.bernoulliInPlace",
  "generators.otherDistributionsInPlace",
  "generators.dropoutDrawsAnew",
  "captured.dropout",
  "captured.dropoutChanged",
  "captured.modeChanged",
  "trainings.samplers",
  "trainings.classifierOfImages",
  "trainings.attentionBlock",
];
