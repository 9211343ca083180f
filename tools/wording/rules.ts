/** A wording that readers had to decode, and the better wording. */
export interface WordingRule {
  readonly pattern: RegExp;
  readonly better: string;
}

/** The start of a text, a sentence, a list item or a clause after a colon or semicolon. */
const START = String.raw`(?<=^|[.!?:;]\s|[–—]\s)`;
/** The rest of the sentence is no question. */
const NO_QUESTION = String.raw`(?![^.!?]*\?)`;

/** A short list on purpose: each pattern stood in this project, and none is right in any sentence of it. */
export const WORDING_RULES: readonly WordingRule[] = [
  {
    pattern: new RegExp(
      String.raw`${START}(?:what|who|whoever|whatever|so many|that of|those of)\s(?!if\b)${NO_QUESTION}`,
      'gi',
    ),
    better: 'start with a noun: "the value that …", "a partner that …"',
  },
  {
    pattern: new RegExp(String.raw`${START}of (?:it|this|these|those|them|what|who|whom|which)\b`, 'gi'),
    better: 'start with the subject',
  },
  {
    pattern: /\b(?:of|for|to|by|with|from) (?:whoever|who|what)\b(?! (?:is|are|was|were) (?:this|that)\b)/gi,
    better: 'name the thing or the person',
  },
  {
    pattern: /\b(?:what|whatever) (?:is|was) (?:no|not|there)\b/gi,
    better: 'name the thing: "an invalid …", "an existing …"',
  },
  { pattern: /\bat the (most|least)\b/gi, better: 'at most, at least' },
  { pattern: /\bat the latest\b/gi, better: 'no later than' },
  { pattern: /\bas a rule\b/gi, better: 'usually' },
  { pattern: /\bfor ever\b/gi, better: 'forever' },
  { pattern: /\bany more\b(?! than)/gi, better: 'no longer' },
  { pattern: /\bbut for\b/gi, better: 'except' },
  { pattern: /\banew\b/gi, better: 'again' },
  { pattern: /\b(?:brings?|brought|bringing) (?:\w+ )?(?:about|along)\b/gi, better: 'cause, include, contain' },
  { pattern: /\b(?:is|are|was|were|be|been) (?:told|heard)\b/gi, better: 'is notified, receives' },
  { pattern: /\b(?:go|goes|went|going|gone) on\b(?! (?:the )?chain)/gi, better: 'continue' },
  {
    pattern: /\bstands? (?:in|at|for|there|here|behind|before|above|below|beside)\b/gi,
    better: 'is, describes, means',
  },
  { pattern: /\bcomes? (?:to|behind|along)\b/gi, better: 'reaches, follows, amounts to' },
  { pattern: /\bso (?:many|much|long|large|often|few)\b(?! (?:as|that)\b)/gi, better: 'state the number or the limit' },
  { pattern: /\bis there\b(?![^.!?]*\?)/gi, better: 'exists' },
  { pattern: /\bwish(?:es)?\b/gi, better: 'request, wanted state' },
  { pattern: /\b(?:its|their|the) aims?\b/gi, better: 'effect, task' },
  { pattern: /\b(?:thereby|whereby|therein|thereof|whereof|hereby|whereupon|hitherto)\b/gi, better: 'a plain clause' },
  {
    pattern:
      /\b(?:colour|behaviour|neighbour|favour|honour|catalogue|licence|cancelled|labelled|modelled|(?:recogn|organ|author|serial|initial|optim|normal|minim|maxim|summar|synchron)is(?:e|es|ed|ing|ation))\b/gi,
    better: 'American spelling',
  },
];

/** Words of identifiers that the glossary replaces. A pattern reads the words of a name in lower case: `askedExpiry` as "asked expiry". */
export const IDENTIFIER_RULES: readonly WordingRule[] = [
  { pattern: /\b(?:wish(?:es)?|aims?|orders|(?:issue|bulk) order)\b/, better: 'request, requested' },
  { pattern: /\basked expiry\b/, better: 'requested expiry' },
  { pattern: /\bparked\b/, better: 'held' },
  { pattern: /\bunheld\b/, better: 'submitted' },
  { pattern: /\b(?:settled nonces?|nonces? settled)\b/, better: 'final nonce' },
];
