import * as v from 'valibot';
import { ConfigError, Json, parseVariable } from './variable.ts';

/** The actions that cannot be undone: withdrawals, abandoned issuances, revocations and accepted losses. */
export const SECOND_PERSON_ACTIONS = ['withdraw', 'abandon', 'revocations', 'accept_losses'] as const;
export type SecondPersonAction = (typeof SECOND_PERSON_ACTIONS)[number];

/** The number of items per day of each action above which a second person must confirm. An absent action needs nobody. */
export type SecondPersonLimits = { readonly [action in SecondPersonAction]?: number | undefined };

/**
 * Returns the number of items per day above which a second person must confirm; undefined: nobody must. Rights over existing passes need one
 * as soon as any action does: with them, one person could change the passes as a partner.
 */
export function limitOf(limits: SecondPersonLimits, action: SecondPersonAction | 'give_rights'): number | undefined {
  if (action !== 'give_rights') return limits[action];
  return Object.values(limits).some((limit) => limit !== undefined) ? 0 : undefined;
}

const RULE = `must be JSON like {"revocations": 100}, with whole numbers and these keys: ${SECOND_PERSON_ACTIONS.join(', ')}`;
const Count = v.optional(v.pipe(v.number(RULE), v.safeInteger(RULE), v.minValue(0, RULE)));

/** An object schema also takes a list, which would switch off every limit. */
export const isNoList = (value: unknown) => !Array.isArray(value);

const Limits = v.pipe(
  Json,
  v.check(isNoList, RULE),
  v.strictObject({ withdraw: Count, abandon: Count, revocations: Count, accept_losses: Count }, RULE),
);

export function parseSecondPerson(
  env: Readonly<Record<string, unknown>>,
  { operator }: { readonly operator: object | undefined },
): SecondPersonLimits {
  const limits = parseVariable(env, 'SECOND_PERSON', Limits);
  if (Object.keys(limits).length > 0 && operator === undefined)
    throw new ConfigError('SECOND_PERSON', 'needs CONSOLE_ADMIN_CLIENT_ID, because only persons confirm');
  return limits;
}
