// Defines the signatures and sizes of a zip archive's parts, for `zip.ts` and `zip_writer.ts`. APPNOTE.TXT 6.3
// (PKWARE)

export const LOCAL = 0x04034b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;
export const END_64 = 0x06064b50;
export const LOCATOR_64 = 0x07064b50;

export const LOCAL_BYTES = 30;
export const CENTRAL_BYTES = 46;
export const END_BYTES = 22;
export const END_64_BYTES = 56;
export const LOCATOR_64_BYTES = 20;
/** Replaces a number that is stored in 64 bits elsewhere. */
export const STORED_IN_64_BITS = 0xffffffff;
/** The extra field of such numbers. */
export const EXTRA_64 = 1;
