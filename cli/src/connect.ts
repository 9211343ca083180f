import { createGatepass, type Gatepass, type Retries } from '@gatepass/client';
import type { Settings } from './settings.ts';

/** Opens the client of the service. */
export function connect(
  { url, tokenUrl, clientId, clientSecret, audience, scope }: Settings,
  retries?: Retries,
): Gatepass {
  const wishes = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) };
  const credentials = { tokenUrl, clientId, clientSecret, ...wishes };
  return createGatepass({ baseUrl: url, credentials, ...(retries && { retries }) });
}
