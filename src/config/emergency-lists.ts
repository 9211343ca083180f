import type { Config } from './config.ts';
import { configOf } from './parse-config.ts';
import { compromisedIn } from './signers.ts';

/**
 * The lists that stop keys and clients, as `npm run emergency` set them. A running object keeps the variables with which it started, so
 * callers bring it newer lists. Of two, the one with the higher number counts.
 */
export interface EmergencyLists {
  /** Unix milliseconds of the command that set them; 0: no command did. */
  readonly number: number;
  readonly compromisedGatekeepers: readonly string[];
  readonly suspendedClients: readonly string[];
}

export const emergencyListsOf = (config: Config): EmergencyLists => ({
  number: config.emergencyNumber,
  compromisedGatekeepers: compromisedIn(config),
  suspendedClients: config.suspendedClients,
});

/** Returns the variables of a running object with the lists of its caller, if those are newer. */
export function withNewerLists<E extends object>(env: E, lists: EmergencyLists | undefined): E {
  if (lists === undefined || lists.number <= configOf(env).emergencyNumber) return env;
  const { number, compromisedGatekeepers, suspendedClients } = lists;
  return {
    ...env,
    EMERGENCY_NUMBER: String(number),
    COMPROMISED_GATEKEEPERS: compromisedGatekeepers.join(' '),
    SUSPENDED_CLIENTS: suspendedClients.join(' '),
  };
}

/** Returns the lists in these variables; empty ones if the configuration is broken, with which nothing can be signed. */
export function emergencyListsIn(env: object): EmergencyLists {
  try {
    return emergencyListsOf(configOf(env));
  } catch {
    return { number: 0, compromisedGatekeepers: [], suspendedClients: [] };
  }
}
