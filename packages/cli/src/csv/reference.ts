/** The rules of the service for a reference. A test compares both. */
const REFERENCE = /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]{1,128}(?<!\s)$/u;

export const REFERENCE_RULE =
  'must have 1 to 128 characters, without control characters, marks of the writing direction, and spaces at its ends';

export const isReference = (text: string): boolean => REFERENCE.test(text);
