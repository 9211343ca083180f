import { dirname, join } from 'node:path';
import type { LocalnetFacts } from './localnet-facts.ts';

/** Where a shell finds what a partner knows: beside the file that tells of the localnet. */
export const partnerEnvFileFor = (localnetFile: string) => join(dirname(localnetFile), 'partner.env');

/** Lines for a shell that set what `examples/` wants to know, for the first partner; undefined while no Worker runs. */
export function partnerEnvOf({ baseUrl, tokenUrl, partners: [partner] }: LocalnetFacts): string | undefined {
  if (baseUrl === undefined || partner === undefined) return undefined;
  const variables = {
    GATEPASS_URL: baseUrl,
    GATEPASS_TOKEN_URL: tokenUrl,
    GATEPASS_CLIENT_ID: partner.clientId,
    GATEPASS_CLIENT_SECRET: partner.clientSecret,
  };
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}
