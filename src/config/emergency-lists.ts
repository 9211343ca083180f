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

/** Returns the lists in these variables; empty ones if the configuration is broken, with which nothing can be signed. */
export function emergencyListsIn(env: object): EmergencyLists {
  try {
    const config = configOf(env);
    const { emergencyNumber: number, suspendedClients } = config;
    return { number, compromisedGatekeepers: compromisedIn(config), suspendedClients };
  } catch {
    return { number: 0, compromisedGatekeepers: [], suspendedClients: [] };
  }
}
