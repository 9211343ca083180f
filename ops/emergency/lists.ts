import { InvalidArgumentError } from 'commander';
import { CLIENT_ID } from '../../src/config/token-rules.ts';
import { chainAddress } from '../../terminal/option-values.ts';
import type { EmergencySecret } from '../deploy/secret-names.ts';

/** A list that the Worker takes from a secret, so that it needs no database. Without the secret, the list is empty. */
export interface EmergencyList {
  readonly secret: EmergencySecret;
  /** Its field in the answer of `GET /admin/signers`. */
  readonly field: keyof EffectiveLists;
  /** A single entry, for people. */
  readonly entry: string;
  readonly parse: (text: string) => string;
}

/** The lists of the running service. */
export interface EffectiveLists {
  readonly compromisedGatekeepers: readonly string[];
  readonly suspendedClients: readonly string[];
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
