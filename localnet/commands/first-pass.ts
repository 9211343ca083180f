import { PROJECT } from '../../scripts/wrangler.ts';
import { freshWallet } from '../partner/fresh-wallet.ts';

/** In Unix seconds. */
const NEW_YEAR_2040 = Date.UTC(2040) / 1000;

/**
 * Lines to paste into a shell, for wallets nobody has used: a token, a first pass on each chain, what else can be done with
 * it, and the examples. The URLs and credentials are those of the file they begin with.
 */
export function firstPass(): string {
  const wallet = freshWallet('sepolia');
  const solanaWallet = freshWallet('devnet');
  const asPartner = `-H "Authorization: Bearer $TOKEN"`;
  const waiting = `${asPartner} -H 'Prefer: wait=20'`;
  const json = (body: unknown) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const token = 'curl -s $GATEPASS_TOKEN_URL -u $GATEPASS_CLIENT_ID:$GATEPASS_CLIENT_SECRET';
  const ask = "curl -s -w '\\n'";
  const pass = `$GATEPASS_URL/pass/ethereum/sepolia/${wallet}`;
  return [
    '# in another terminal: what a partner knows, and a token (lasts an hour)',
    `cd '${PROJECT.replaceAll("'", "'\\''")}' && . .dev/partner.env`,
    `TOKEN=$(${token} -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    '# issue a pass on each chain: the answer comes when it is there',
    `${ask} $GATEPASS_URL/pass/ethereum/sepolia ${waiting} ${json({ walletAddress: wallet })}`,
    `${ask} $GATEPASS_URL/pass/solana/devnet ${waiting} ${json({ walletAddress: solanaWallet })}`,
    '# look it up, and search',
    `${ask} ${pass} ${asPartner}`,
    `${ask} $GATEPASS_URL/pass ${asPartner} ${json({ limit: 10, filter: { state: 'ACTIVE' } })}`,
    '# freeze it, unfreeze it, have it expire',
    `${ask} -X PATCH ${pass} ${waiting} ${json({ state: 'FROZEN' })}`,
    `${ask} -X PATCH ${pass} ${waiting} ${json({ state: 'ACTIVE' })}`,
    `${ask} -X PATCH ${pass} ${waiting} ${json({ expiryTimestamp: NEW_YEAR_2040 })}`,
    '# take over what somebody else did to it on the chain',
    `${ask} -X POST ${pass}/sync ${asPartner}`,
    '# revoke it, for good',
    `${ask} -X DELETE ${pass} ${waiting}`,
    '# issue, wait and search in one go: programs to copy from',
    `examples/curl.sh ethereum sepolia ${freshWallet('sepolia')}`,
    `node examples/node.mjs solana devnet ${freshWallet('devnet')}`,
    `python3 examples/python.py ethereum baseSepolia ${freshWallet('baseSepolia')}`,
  ].join('\n');
}
