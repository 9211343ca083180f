import { describe, expect, it } from 'vitest';
import { createGatepass, type Fetch, PassFailed } from '../../../../packages/client/src/gatepass.ts';

const KEY = { chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: '0x1' } as const;
const [GIVEN, OTHER] = [2_000_000_000, 2_100_000_000];

/** Returns a client of a service that answers at once with an active pass until that expiry, and the bodies of its requests. */
function aClient(expiryTimestamp: number | undefined) {
  const bodies: unknown[] = [];
  const fetch: Fetch = async (_, { body }) => {
    bodies.push(JSON.parse(String(body)));
    const pass = { ...KEY, id: 'a', state: 'ACTIVE', onChainState: 'ACTIVE', events: [], expiryTimestamp };
    return Response.json(pass, { status: 202, headers: { 'preference-applied': 'wait=20' } });
  };
  return { gatepass: createGatepass({ baseUrl: 'https://api.example', token: async () => 'any', fetch }), bodies };
}

describe('the expiry of an issuance', () => {
  it('is sent in the body of the request, and only if it is given', async () => {
    const { gatepass, bodies } = aClient(GIVEN);
    await gatepass.issue(KEY, { expiryTimestamp: GIVEN, wait: 5 });
    await gatepass.issueAndWait(KEY, { expiryTimestamp: GIVEN, withinMs: 5_000 });
    await gatepass.issue(KEY, { expiryTimestamp: undefined });
    await gatepass.issueAndWait(KEY);
    const { walletAddress } = KEY;
    const expiring = { walletAddress, expiryTimestamp: GIVEN };
    expect(bodies).toEqual([expiring, expiring, { walletAddress }, { walletAddress }]);
  });

  it.each([OTHER, undefined])('makes issueAndWait throw PassFailed for a pass with the expiry %s', async (expiry) => {
    const { gatepass } = aClient(expiry);
    await expect(gatepass.issueAndWait(KEY, { expiryTimestamp: GIVEN })).rejects.toBeInstanceOf(PassFailed);
    expect(await gatepass.issueAndWait(KEY)).toMatchObject(KEY);
  });
});
