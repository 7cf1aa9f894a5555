// Marks objects that name arguments that must be given.

/**
 * Part of the type of an object that names needed arguments: `new nn.Linear({ inFeatures: 3, outFeatures: 2 })`. It asks for
 * nothing; a message that contains it is told from one about options, and the kernel says what the call lacks.
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface
export interface ByName {}
