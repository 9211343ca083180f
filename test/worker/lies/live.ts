import { inject } from 'vitest';
import { findDifference, type Life, passTime, request, stuckReasonOf, type Wanted } from './life.ts';
import { nowMs } from './simulated-time.ts';
import type { TestedChain } from './tested-chain.ts';

/** The partner's requests during a life, and the wanted state after each. */
interface Change {
  readonly name: string;
  readonly request: 'issue' | Partial<Wanted>;
  readonly wanted: Wanted;
}

const LIFETIME_SECONDS = 300 * 86_400;

const nowSeconds = () => Math.floor(nowMs() / 1000);

/** @param expiry The later one of its two expiries, in Unix seconds. */
function changesOf(expiry: number): readonly Change[] {
  const unfreeze: Change = { name: 'unfreeze', request: { state: 'ACTIVE' }, wanted: { state: 'ACTIVE', expiry } };
  return [
    { name: 'issue', request: 'issue', wanted: { state: 'ACTIVE', expiry: nowSeconds() + LIFETIME_SECONDS } },
    { name: 'set-expiry', request: { expiry }, wanted: { state: 'ACTIVE', expiry } },
    { name: 'freeze', request: { state: 'FROZEN' }, wanted: { state: 'FROZEN', expiry } },
    // Unfreezing uses the same code as freezing.
    ...(inject('form') === 'long' ? [unfreeze] : []),
    { name: 'revoke', request: { state: 'REVOKED' }, wanted: { state: 'REVOKED', expiry } },
  ];
}

/** The number of requests in a life. */
export const LIFE_REQUESTS = changesOf(0).length;

/** Turns for which a lie lasts after each request: enough to sign and finalize. */
const LYING_TURNS = 2;
/** Enough to sign an issuance once more as well. Other steps do no harm when they are repeated. */
const LYING_TURNS_OF_ISSUANCE = 3;
/** Turns after the lie within which a pass must have the wanted state. */
const SETTLING_TURNS = 16;
/** Transactions that a life may need in addition to one per change: for a raised price, and for nonce gaps. */
const SPARE_TRANSACTIONS = 3n;

/** Takes passes through all changes, all at once: after each request the liars lie for a while, then all tell the truth. */
export async function live(chain: TestedChain, lives: readonly Life[], expiry: number): Promise<void> {
  for (const [index, change] of changesOf(expiry).entries()) {
    const alive = lives.filter(({ faults }) => faults.length === 0);
    await Promise.all(
      alive.map((life) => {
        life.lies = life.row.lies[index % life.row.lies.length] ?? [];
        return request(life, change.request, LIFETIME_SECONDS);
      }),
    );
    const lying = change.request === 'issue' ? LYING_TURNS_OF_ISSUANCE : LYING_TURNS;
    let turn = 0;
    while (turn < lying) await passTime(chain, alive, turn++);
    for (const life of alive) life.lies = [];
    let waiting = await findWaiting(chain, alive, change.wanted);
    while (turn < lying + SETTLING_TURNS && waiting.size > 0) {
      await passTime(chain, [...waiting.keys()], turn++);
      waiting = await findWaiting(chain, [...waiting.keys()], change.wanted);
    }
    for (const [life, difference] of waiting) life.faults.push(`${change.name}: ${difference}`);
  }
  await Promise.all(lives.map(async (life) => life.faults.push(...(await findHarm(chain, life)))));
}

/** Requests a pass while its endpoints lie all the time. Resolves to the tokens of the wallet after each turn. */
export async function issueUnderLies(chain: TestedChain, life: Life, turns: number) {
  life.lies = life.row.lies[0] ?? [];
  await request(life, 'issue', LIFETIME_SECONDS);
  const tokens: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await passTime(chain, [life], turn);
    tokens.push((await chain.tokensOf(life.key)).length);
  }
  return { tokens, stuckReason: (await stuckReasonOf(life))?.text };
}

async function findWaiting(chain: TestedChain, lives: readonly Life[], wanted: Wanted): Promise<Map<Life, string>> {
  const found = await Promise.all(
    lives.map(async (life) => [life, await findDifference(chain, life, wanted)] as const),
  );
  return new Map(
    found.flatMap(([life, difference]) => (difference === undefined ? [] : [[life, difference] as const])),
  );
}

/** Returns forbidden effects of a lie, read from the node. */
async function findHarm(chain: TestedChain, { key, gatekeeper, balance }: Life): Promise<string[]> {
  const [tokens, harm, left] = await Promise.all([
    chain.tokensOf(key),
    chain.findHarm(key),
    chain.balanceOf(gatekeeper),
  ]);
  const most = (BigInt(LIFE_REQUESTS) + SPARE_TRANSACTIONS) * chain.transactionMaxCost;
  return [
    // The service never burns a token, so each mint is visible.
    ...(tokens.length > 1 ? [`minted ${tokens.length} times`] : []),
    ...(harm === undefined ? [] : [harm]),
    ...(balance - left > most ? [`spent ${balance - left}`] : []),
  ];
}
