import { openService } from '../admin-api.ts';
import type { EffectiveLists } from '../emergency/unconfirmed.ts';
import type { Deployment } from '../nodes/deployment.ts';
import { hasCredentials, ONCE } from './reports.ts';

/**
 * Returns the deployment with the compromised keys of the running service: their list is a secret that no file has. Without the service,
 * or the operator's token, the doctor checks such a key as any other.
 */
export async function withCompromisedKeys(deployment: Deployment): Promise<Deployment> {
  if (deployment.url === undefined || !hasCredentials(deployment)) return deployment;
  // If it fails, the checks of the reports say why.
  const read = openService(deployment, ONCE)<EffectiveLists>('GET', '/admin/signers').catch(() => undefined);
  const { compromisedGatekeepers = [] } = (await read) ?? {};
  const { COMPROMISED_GATEKEEPERS: known = '' } = deployment.variables;
  const list = [known, ...compromisedGatekeepers].join(' ');
  return { ...deployment, variables: { ...deployment.variables, COMPROMISED_GATEKEEPERS: list } };
}
