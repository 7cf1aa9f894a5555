// How an operator that cannot run is refused: its argument gets a type that is a sentence. Pure types; the sentences
// are written beside the rules that need them.
//
// In a function over any `T extends Tensor` a problem is not decided. The compiler then goes by what holds for the
// constraint, plain `Tensor`, but only through conditional types that ask about a parameter of theirs: problems are
// built of such (`S extends string ? ...`), and of none that asks about something else. What is asked may be a
// parameter's default (`May = MayEqual<A, B>`): the sentence is then written only where it is needed.
//
// A function's problem is the default of a type parameter of its own (`Problem = AddProblem<A, B>`, `B & Unless<Problem>`):
// nothing is inferred to it, so it is decided once, for the tensors of the call.

/** What a rule says where nothing is wrong, or nothing can be told. */
export type Fine = "";

/**
 * Joined to the type of an argument: `other: B & Unless<Problem>`. `""` -> `unknown`, which changes nothing; a sentence
 * -> itself, which no tensor is, so the compiler says "Argument of type 'Tensor<[5, 4]>' is not assignable to ...
 * matmul: [2, 3] and [5, 4] do not fit". A look-up, not a conditional type: see above.
 */
export type Unless<Problem> = { fine: unknown; refused: Problem }[Problem extends Fine ? "fine" : "refused"];

/** The same for a number, to which a sentence cannot be joined: `Dim & UnlessAt<Problem>`. */
export type UnlessAt<Problem> = {
  fine: unknown;
  refused: { readonly refused: Problem };
}[Problem extends Fine ? "fine" : "refused"];

/** The first that is a problem. */
export type FirstOf<Problem, Otherwise> = Problem extends Fine ? Otherwise : Problem;
