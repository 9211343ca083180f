import { InvalidArgumentError } from 'commander';
import { CLIENT_ID } from '../../src/config/token-rules.ts';
import { chainAddress } from '../../terminal/option-values.ts';
import type { EmergencySecret } from '../deploy/secret-names.ts';
import type { EffectiveLists } from './unconfirmed.ts';

/** A list that the Worker takes from a secret, so that it needs no database. Without the secret, the list is empty. */
export interface EmergencyList {
  readonly secret: EmergencySecret;
  /** Its field in the answer of `GET /admin/signers`. */
  readonly field: 'compromisedGatekeepers' | 'suspendedClients';
  /** A single entry, for people. */
  readonly entry: string;
  readonly parse: (text: string) => string;
}

export const COMPROMISED: EmergencyList = {
  secret: 'COMPROMISED_GATEKEEPERS',
  field: 'compromisedGatekeepers',
  entry: 'address',
  parse: chainAddress,
};

export const SUSPENDED: EmergencyList = {
  secret: 'SUSPENDED_CLIENTS',
  field: 'suspendedClients',
  entry: 'client',
  parse: clientId,
};

/** Spaces separate the clients of the secret. */
function clientId(text: string): string {
  if (CLIENT_ID.test(text) && !text.includes(' ')) return text;
  throw new InvalidArgumentError('It must be the id of an OAuth client without a space.');
}

/** Returns the parser of entries that spaces separate. `none` is an empty list. */
export function entries(list: EmergencyList): (text: string) => readonly string[] {
  return (text) =>
    text.trim() === 'none'
      ? []
      : text
          .split(/\s+/)
          .filter(Boolean)
          .map((each) => list.parse(each));
}

/** Returns the list after the change: each entry once, the known ones first. */
export function changeList(known: readonly string[], given: readonly string[], isUndo: boolean): string[] {
  return isUndo ? known.filter((each) => !given.includes(each)) : [...new Set([...known, ...given])];
}

/** Returns the number of the next emergency: higher than all that the service and its signers have, also if their clocks are ahead. */
export function nextNumber(
  known: Pick<EffectiveLists, 'emergencyNumber' | 'signers'> | undefined,
  now: number,
): number {
  const obeyed = known?.signers.map(({ emergency }) => emergency?.number ?? 0) ?? [];
  return Math.max(now, 1 + Math.max(known?.emergencyNumber ?? 0, ...obeyed));
}

/** Returns a list as a line for people. */
export function lineOf({ secret }: EmergencyList, list: readonly string[]): string {
  return `${secret}: ${list.join(' ') || 'none'}`;
}
