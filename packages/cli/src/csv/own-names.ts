/** The partner's own names: for a pass, and for the person who has its wallet. */
export const OWN_NAMES = ['reference', 'subject'] as const;
export type OwnName = (typeof OWN_NAMES)[number];

const REFERENCE = /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]{1,128}(?<!\s)$/u;
/** A URL cannot name the others. */
const SUBJECT = /^(?!\.{1,2}$)[!-~]{1,64}$/;

/** The rules of the service for the names. A test compares both. */
export const NAME_RULES: Readonly<Record<OwnName, { readonly rule: string; accepts(text: string): boolean }>> = {
  reference: {
    rule: 'must have 1 to 128 characters, without control characters, marks of the writing direction, and spaces at its ends',
    accepts: (text) => REFERENCE.test(text),
  },
  subject: {
    rule: 'must have 1 to 64 visible ASCII characters without spaces, and must not be . or ..',
    accepts: (text) => SUBJECT.test(text),
  },
};
