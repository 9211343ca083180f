import { expect, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { runGatepass } from './run-gatepass.ts';

/** Waiting without polling, by `Prefer: wait`, `ETag` and `If-None-Match`. The service runs under a base path. */

const { facts, acme } = runGatepass({ BASE_PATH: '/partner' });
const chainOf = (network: string) => (network === 'devnet' ? 'solana' : 'ethereum');

interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Resolves to the answer, its record and its duration. */
async function ask(method: string, path: string, { body, headers, signal }: Asked = {}) {
  const since = Date.now();
  const response = await fetch(facts().baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${await acme().token()}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const record = (text === '' ? undefined : JSON.parse(text)) as PassRecord;
  return { status: response.status, headers: response.headers, record, ms: Date.now() - since };
}

const WAIT = { prefer: 'wait=20' };
const issue = (network: string, walletAddress: string, asked: Asked = { headers: WAIT }) =>
  ask('POST', `/pass/${chainOf(network)}/${network}`, { ...asked, body: { walletAddress } });

it('the service answers under its base path and nowhere else', async () => {
  expect(new URL(facts().baseUrl).pathname).toBe('/partner');
  expect((await fetch(`${facts().baseUrl}/docs`)).status).toBe(200);
  expect((await fetch(new URL('/docs', facts().baseUrl))).status).toBe(404);
});

it.concurrent.each(['sepolia', 'devnet'])(
  'on %s a waiting request returns the settled pass, and a conditional request for the same record gets 304',
  async (network) => {
    const wallet = freshWallet(network);
    const path = `/pass/${chainOf(network)}/${network}/${wallet}`;
    const issued = await issue(network, wallet);
    expect([issued.status, issued.headers.get('preference-applied')]).toEqual([202, 'wait=20']);
    expect(issued.record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });

    const fetched = await ask('GET', path);
    expect(fetched.record).toEqual(issued.record);
    const headers = { 'if-none-match': fetched.headers.get('etag') ?? '' };
    for (const more of [{}, WAIT]) {
      const again = await ask('GET', path, { headers: { ...headers, ...more } });
      expect([again.status, again.record, again.headers.get('etag')]).toEqual([
        304,
        undefined,
        headers['if-none-match'],
      ]);
    }

    const frozen = await ask('PATCH', path, { body: { state: 'FROZEN' }, headers: WAIT });
    expect(frozen.record).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect((await ask('GET', path, { headers })).record).toMatchObject({ state: 'FROZEN' });
    const revoked = await ask('DELETE', path, { headers: WAIT });
    expect(revoked.record).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  },
);

it('a hundred waiting requests get the settled pass, although some clients disconnect', async () => {
  const wallet = freshWallet('baseSepolia');
  const path = `/pass/ethereum/baseSepolia/${wallet}`;
  await issue('baseSepolia', wallet, {});
  const gone = AbortSignal.timeout(50);
  const waiting = Array.from({ length: 100 }, (_, index) =>
    ask('GET', path, { headers: WAIT, ...(index % 10 === 0 && { signal: gone }) }).catch(() => undefined),
  );
  const answers = (await Promise.all(waiting)).filter((answer) => answer !== undefined);
  expect(answers.length).toBeGreaterThanOrEqual(90);
  expect(new Set(answers.map(({ record }) => record.state))).toEqual(new Set(['ACTIVE']));
  // A request that is not woken takes the twenty seconds that it may wait.
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(20_000);
});
