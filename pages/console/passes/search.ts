import type { components } from '../../../packages/client/src/schema.ts';
import { networkOf } from './networks.ts';
import { readWallet } from './wallet-text.ts';

/** A search for passes, between the address of the view and the request to the service. */

type SearchRequest = components['schemas']['SearchRequest'];
type PassFilter = components['schemas']['PassFilter'];

/** The fields of the form, which are the state in the address too. */
export const FIELDS = ['wallet', 'reference', 'subject', 'state', 'network', 'validity', 'order'] as const;
export type Fields = Readonly<Record<(typeof FIELDS)[number], string>>;

export const NO_FIELDS = Object.fromEntries(FIELDS.map((name) => [name, ''])) as unknown as Fields;

export const PAGE_SIZE = 50;
const DAY_SECONDS = 86_400;

/** The choices of the field "validity". A number of days means: valid, and expires within them. */
export const VALIDITIES: Readonly<Record<string, string>> = {
  valid: 'valid',
  expired: 'expired',
  '1d': 'expires within a day',
  '7d': 'expires within 7 days',
  '30d': 'expires within 30 days',
};

export const STATES = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'] as const;

export function fieldsIn(query: URLSearchParams): Fields {
  const texts = FIELDS.map((name) => [name, query.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(texts) as Record<(typeof FIELDS)[number], string>;
}

export type Search =
  | { readonly type: 'search'; readonly body: SearchRequest; readonly order: 'time' | 'wallet' | 'expiry' }
  | { readonly type: 'fault'; readonly text: string; readonly isSecret?: true };

/**
 * Returns the request for the fields, or a fault for people. Pure.
 * @param now Unix seconds.
 */
export function searchFor(fields: Fields, after: string | null, now: number): Search {
  const wallet = readWallet(fields.wallet);
  if (wallet.type === 'fault') return wallet;
  const { reference, subject } = fields;
  const filter: PassFilter = {
    ...(wallet.type === 'wallet' && { walletAddress: wallet.text }),
    ...(wallet.type === 'prefix' && { walletPrefix: wallet.text }),
    ...stateIn(fields),
    ...chainIn(fields),
    ...validityIn(fields, now),
  };
  const hasOthers = Object.keys(filter).length > 0;
  if (reference !== '' && (hasOthers || subject !== ''))
    return { type: 'fault', text: 'A reference is looked up alone. Empty the other fields, or the reference.' };
  if (subject !== '' && hasOthers)
    return { type: 'fault', text: 'A subject is looked up alone. Empty the other fields, or the subject.' };
  const byExpiry = filter.validity !== undefined || filter.expiresBefore !== undefined;
  const order = filter.walletPrefix !== undefined ? 'wallet' : byExpiry ? 'expiry' : 'time';
  const body: SearchRequest = {
    limit: PAGE_SIZE,
    filter: reference !== '' ? { reference } : subject !== '' ? { subject } : filter,
    ...(order === 'time' && fields.order === 'oldest' && { order: 'oldest' }),
    ...(after !== null && { after }),
  };
  return { type: 'search', body, order };
}

function stateIn({ state }: Fields): Pick<PassFilter, 'state'> {
  const known = STATES.find((each) => each === state);
  return known === undefined ? {} : { state: known };
}

function chainIn({ network }: Fields): Pick<PassFilter, 'chain'> {
  const known = networkOf(network);
  return known === undefined ? {} : { chain: { type: known.chain, network } as NonNullable<PassFilter['chain']> };
}

function validityIn({ validity }: Fields, now: number): Pick<PassFilter, 'validity' | 'expiresBefore'> {
  if (validity === 'valid' || validity === 'expired') return { validity };
  const [, days] = /^(\d{1,4})d$/.exec(validity) ?? [];
  return days === undefined ? {} : { expiresBefore: now + Number(days) * DAY_SECONDS };
}
