import type { Clone } from './clone.ts';
import { TOKEN_PATH } from './issuer.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Returns lines to paste into a shell: they fetch a token, issue a pass in the sandbox, and fetch it. */
export function firstPassLines({ client, port }: Pick<Clone, 'client' | 'port'>): string {
  const url = `http://localhost:${port}`;
  const asPartner = `-H "Authorization: Bearer $TOKEN"`;
  return [
    'Gatepass runs with a sandbox: all its chains are simulated. Paste these lines into another terminal.',
    '# Fetch a token (valid for an hour)',
    `TOKEN=$(curl -s ${url}${TOKEN_PATH} -u ${client.id}:${client.secret} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    '# Issue a pass; the response arrives when the pass is on the simulated chain',
    `curl -s -w '\\n' ${url}/pass/ethereum/sepolia ${asPartner} -H 'Prefer: wait=20' -H 'Content-Type: application/json' -d '{"walletAddress":"${WALLET}"}'`,
    '# Fetch the pass',
    `curl -s -w '\\n' ${url}/pass/ethereum/sepolia/${WALLET} ${asPartner}`,
    '# Or set the variables of the command `gatepass`',
    `export GATEPASS_URL=${url} GATEPASS_TOKEN_URL=${url}${TOKEN_PATH} GATEPASS_CLIENT_ID=${client.id} GATEPASS_CLIENT_SECRET=${client.secret}`,
    `# API reference to read and try in a browser: ${url}/docs/reference`,
    '',
  ].join('\n');
}
