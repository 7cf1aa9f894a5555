// Refuses an operator's argument by giving its parameter a type that is a sentence. The sentences are in the files of
// the rules that need them.
//
// In a function over any `T extends Tensor` a problem is not decided. The compiler then uses what holds for the
// constraint, plain `Tensor`, but only through conditional types that test one of their own parameters. So problems
// consist of such types (`S extends string ? ...`) only. A parameter's default may compute what is tested (`May =
// MayEqual<A, B>`); the sentence is then written only where it is needed.
//
// A function's problem is the default of one of its type parameters (`Problem = AddProblem<A, B>`, `B &
// Unless<Problem>`). The compiler infers nothing for that parameter, so it decides the problem once, for the tensors
// of the call.

/** The result of a rule if nothing is wrong, or if too little is known. */
export type NoProblem = "";

/**
 * Joined to the type of an argument: `other: B & Unless<Problem>`. `""` -> `unknown`, which changes nothing; a sentence
 * -> itself, to which no tensor is assignable, so the compiler prints "Argument of type 'Tensor<[5, 4]>' is not assignable to ...
 * matmul: [2, 3] and [5, 4] do not fit". A look-up, not a conditional type: see above.
 */
export type Unless<Problem> = { fine: unknown; refused: Problem }[Problem extends NoProblem
  ? "fine"
  : "refused"];

/** The same for a number, because an intersection with a sentence would be `never`: `Dim & UnlessAt<Problem>`. */
export type UnlessAt<Problem> = {
  fine: unknown;
  refused: { readonly refused: Problem };
}[Problem extends NoProblem ? "fine" : "refused"];

/** The first of several that is a problem. */
export type FirstOf<Problem, Otherwise> = Problem extends NoProblem ? Otherwise : Problem;
