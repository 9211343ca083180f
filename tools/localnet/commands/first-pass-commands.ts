import { PROJECT } from '../../../terminal/wrangler.ts';
import { SANDBOX_PARTNER } from '../oauth/partners.ts';
import { freshWallet } from '../partner/fresh-wallet.ts';

/** In Unix seconds. */
const NEW_YEAR_2040_UNIX_SECONDS = Date.UTC(2040) / 1000;

/**
 * Lines to paste into a shell: they fetch a token, issue a first pass on each chain for new wallets, change it, and run
 * the examples. The first line loads the URLs and credentials from `.dev/partner.env`.
 */
export function firstPassCommands(): string {
  const wallet = freshWallet('sepolia');
  const solanaWallet = freshWallet('devnet');
  const asPartner = `-H "Authorization: Bearer $TOKEN"`;
  const waiting = `${asPartner} -H 'Prefer: wait=20'`;
  const json = (body: unknown) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const token = 'curl -s $GATEPASS_TOKEN_URL -u $GATEPASS_CLIENT_ID:$GATEPASS_CLIENT_SECRET';
  const ask = "curl -s -w '\\n'";
  const pass = `$GATEPASS_URL/pass/ethereum/sepolia/${wallet}`;
  return [
    '# In another terminal: load the credentials of a partner and fetch a token (valid for an hour)',
    `cd '${PROJECT.replaceAll("'", "'\\''")}' && . .dev/partner.env`,
    `TOKEN=$(${token} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    '# Issue a pass on each chain; the response arrives when the pass is on chain',
    `${ask} $GATEPASS_URL/pass/ethereum/sepolia ${waiting} ${json({ walletAddress: wallet })}`,
    `${ask} $GATEPASS_URL/pass/solana/devnet ${waiting} ${json({ walletAddress: solanaWallet })}`,
    '# Fetch a pass, then search',
    `${ask} ${pass} ${asPartner}`,
    `${ask} $GATEPASS_URL/pass ${asPartner} ${json({ limit: 10, filter: { state: 'ACTIVE' } })}`,
    '# Freeze it, unfreeze it, change its expiry',
    `${ask} -X PATCH ${pass} ${waiting} ${json({ state: 'FROZEN' })}`,
    `${ask} -X PATCH ${pass} ${waiting} ${json({ state: 'ACTIVE' })}`,
    `${ask} -X PATCH ${pass} ${waiting} ${json({ expiryTimestamp: NEW_YEAR_2040_UNIX_SECONDS })}`,
    '# Adopt changes that somebody else made on chain',
    `${ask} -X POST ${pass}/sync ${asPartner}`,
    '# Revoke it for good',
    `${ask} -X DELETE ${pass} ${waiting}`,
    '# Issue, wait and search in one program, to copy from',
    `examples/curl.sh ethereum sepolia ${freshWallet('sepolia')}`,
    `node examples/node.mjs solana devnet ${freshWallet('devnet')}`,
    `python3 examples/gatepass.py ethereum baseSepolia ${freshWallet('baseSepolia')}`,
  ].join('\n');
}

/** Lines to paste after those of the first pass: the sandbox beside the chains of the localnet, on a network that has no node here. */
export function sandboxCommands(): string {
  const { clientId, clientSecret } = SANDBOX_PARTNER;
  const json = JSON.stringify({ walletAddress: freshWallet('sepolia') });
  return [
    '# The sandbox: a partner whose networks are all simulated',
    `SANDBOX_TOKEN=$(curl -s $GATEPASS_TOKEN_URL -u ${clientId}:${clientSecret} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s -w '\\n' $GATEPASS_URL/pass/ethereum/polygonAmoy -H "Authorization: Bearer $SANDBOX_TOKEN" -H 'Prefer: wait=20' -H 'Content-Type: application/json' -d '${json}'`,
  ].join('\n');
}
