import type { ProblemCode } from '../../../src/http/protocol/problem.ts';
import type { Chain } from './records.ts';

/** The problem of an answer, as far as the console reads it. */
export interface Problem {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string | undefined;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  /** The first event that the feed still has. */
  readonly oldest?: number;
  /** The rule that allows no further pass of a person, and passes that count for it. */
  readonly rule?: { readonly passes: readonly { readonly chain: Chain; readonly walletAddress: string }[] };
}

/** A sentence with one of these words tells a program what to send. */
const FOR_PROGRAMS =
  /"(?:errors|oldest|Authorization|Content-Type)|\b(?:GET|POST|PATCH|DELETE|Retry-After|KiB|header|base URL|expiryTimestamp|maxAge|cursor|Fetch a new|Request a token)\b/;

/** The advice for people that replaces those sentences. A problem that only a program causes needs none. */
const ADVICE: Readonly<Partial<Record<ProblemCode, string>>> = {
  token_missing: 'Sign in again.',
  token_invalid: 'Sign in again.',
  insufficient_scope: 'Your account lacks the right for it. Ask your administrator.',
  pass_not_found: 'Issue one.',
  webhook_not_found: 'Reload the page.',
  partner_not_found: 'Reload the page.',
  gatekeeper_network_not_found: 'Reload the page.',
  pass_frozen: 'Unfreeze it.',
  pass_rejected: 'Issue it again.',
  pass_expired: 'Renew it.',
  expiry_differs: 'Renew it with the new expiry.',
  reference_differs: 'Change it, or leave the field empty.',
  subject_not_found: 'Name it when you issue a pass, or change the subject of a pass.',
  subject_differs: 'Remove the old one first, or leave the field empty.',
  subject_frozen: 'Unfreeze the person.',
  webhook_limit_reached: 'Delete one.',
  partner_exists: 'Choose another id.',
  approval_not_valid: 'Reload the page.',
  cursor_expired: 'The feed no longer has these events. Reload the page.',
  body_too_large: 'That is too much at once. Send less.',
  not_fresh_enough: 'The service has not followed the chain far enough. Try again in a moment.',
  replay_quota_reached: 'Replay fewer, or try again after midnight UTC.',
};

/** The fields of requests in the words of the forms. */
const FIELDS: Readonly<Record<string, string>> = {
  walletAddress: 'The wallet',
  wallet: 'The wallet',
  expiryTimestamp: 'The expiry',
  reference: 'The reference',
  subject: 'The subject',
  reason: 'The reason',
  url: 'The URL',
  description: 'The description',
  types: 'The list of events',
  chain: 'The network',
  'chain/network': 'The network',
  network: 'The network',
};

/** Returns the detail of a problem for people: without the sentences for programs, and without places in a request. */
export function describeProblem({
  code,
  detail = '',
  errors = [],
  rule,
}: Pick<Problem, 'code' | 'detail' | 'errors' | 'rule'>): string {
  const fields = errors.map(({ pointer, detail: fault }) => {
    const field = pointer.replace(/^\/(items\/\d+\/?|filter\/|pass\/)?/, '');
    return `${FIELDS[field] ?? (field || 'The input')} ${fault}.`;
  });
  const sentences = detail.match(/(?:[^.]|\.(?! |$))+\.? ?/g) ?? [];
  const general = sentences.filter((sentence) => !FOR_PROGRAMS.test(sentence));
  const advice = general.length < sentences.length ? (ADVICE[code as ProblemCode] ?? '') : '';
  const passes = rule?.passes.map(({ walletAddress, chain }) => `${walletAddress} on ${chain.network}`) ?? [];
  const counted = passes.length === 0 ? '' : `These count: ${passes.join(', ')}.`;
  return [general.join('').trim(), advice, counted, ...fields].filter((text) => text !== '').join(' ');
}
