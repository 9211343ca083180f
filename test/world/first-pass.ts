import { freshWallet } from './fresh-wallet.ts';
import type { Gatepass } from './gatepass.ts';

/** In Unix seconds. */
const NEW_YEAR_2040 = Date.UTC(2040) / 1000;

/** Lines to paste into a shell: a token, a first pass for a wallet nobody has used, and what else can be done with it. */
export function firstPass({ baseUrl, tokenUrl, partners }: Gatepass['facts']): string {
  const wallet = freshWallet('sepolia');
  const solanaWallet = freshWallet('devnet');
  const { clientId, clientSecret } = partners[0] ?? { clientId: '', clientSecret: '' };
  const token = `curl -s ${tokenUrl} -u ${clientId}:${clientSecret} -d grant_type=client_credentials`;
  const asPartner = `-H "Authorization: Bearer $TOKEN"`;
  const json = (body: unknown) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const pass = `${baseUrl}/pass/ethereum/sepolia`;
  return [
    '# a token (lasts an hour)',
    `TOKEN=$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    '# issue a pass, and a moment later see what became of it',
    `curl -s -w '\\n' ${pass} ${asPartner} ${json({ walletAddress: wallet })}`,
    `sleep 2; curl -s -w '\\n' ${pass}/${wallet} ${asPartner}`,
    '# the same on Solana',
    `curl -s -w '\\n' ${baseUrl}/pass/solana/devnet ${asPartner} ${json({ walletAddress: solanaWallet })}`,
    `sleep 2; curl -s -w '\\n' ${baseUrl}/pass/solana/devnet/${solanaWallet} ${asPartner}`,
    '# search',
    `curl -s -w '\\n' ${baseUrl}/pass ${asPartner} ${json({ limit: 10, filter: { state: 'ACTIVE' } })}`,
    '# freeze it, unfreeze it, have it expire',
    `curl -s -w '\\n' -X PATCH ${pass}/${wallet} ${asPartner} ${json({ state: 'FROZEN' })}`,
    `curl -s -w '\\n' -X PATCH ${pass}/${wallet} ${asPartner} ${json({ state: 'ACTIVE' })}`,
    `curl -s -w '\\n' -X PATCH ${pass}/${wallet} ${asPartner} ${json({ expiryTimestamp: NEW_YEAR_2040 })}`,
    '# take over what somebody else did to it on the chain',
    `curl -s -w '\\n' -X POST ${pass}/${wallet}/sync ${asPartner}`,
    '# revoke it, for good',
    `curl -s -w '\\n' -X DELETE ${pass}/${wallet} ${asPartner}`,
  ].join('\n');
}
