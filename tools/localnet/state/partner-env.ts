import { dirname, join } from 'node:path';
import type { LocalnetFacts } from './localnet-facts.ts';

/** Returns the path of the shell file with a partner's variables, in the folder of the localnet file. */
export const partnerEnvFileFor = (localnetFile: string) => join(dirname(localnetFile), 'partner.env');

/** Returns shell lines with the variables of `examples/` for the first partner; undefined while no Worker runs. */
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
