import { describe, expect, it } from 'vitest';
import { type KitRpc, kitReader } from '../../../../packages/react/src/solana.ts';
import { readToken } from '../../../../src/chain/solana/gateway.ts';
import recorded from '../../../vectors/solana-gateway.json' with { type: 'json' };

/** The reader of Solana, with accounts that the real program wrote. */

const { program, clockUnixSeconds } = recorded;
const passes = recorded.steps.flatMap(({ wallet, network, pass }) =>
  pass?.data ? [{ wallet, network, place: pass.address, data: Buffer.from(pass.data, 'hex') }] : [],
);
const FIRST = passes.find(({ data }) => data.length > 100) ?? expect.fail('no recorded account');

/** Answers as a node whose only gateway token is this one. */
function nodeWith(place: string, data: Uint8Array): KitRpc {
  const clock = Buffer.alloc(40);
  clock.writeBigInt64LE(BigInt(clockUnixSeconds), 32);
  const accountAt = (address: string) => {
    if (address === place) return { owner: program, data: [Buffer.from(data).toString('base64'), 'base64'] };
    if (address === program) return { owner: program, data: ['', 'base64'] };
    return address.startsWith('SysvarC1ock') ? { owner: '', data: [clock.toString('base64'), 'base64'] } : null;
  };
  return { getMultipleAccounts: (asked) => ({ send: async () => ({ value: asked.map(accountAt) }) }) };
}
const read = (data: Uint8Array, { wallet, network, place } = FIRST) =>
  kitReader(nodeWith(place, data)).read({ wallet, gatekeeperNetwork: network }, new AbortController().signal);

describe('kitReader', () => {
  it('reads each recorded account as the service does', async () => {
    expect(passes.length).toBeGreaterThan(10);
    for (const pass of passes) {
      const { state, expiry, issuer } = readToken(pass.data) ?? {};
      expect(await read(pass.data, pass)).toMatchObject({
        token: pass.place,
        state,
        issuer,
        ...(expiry && { expiry }),
      });
    }
  });

  // Version, parent, owner, identity, gatekeeper network, issuer, state, expiry: these bytes say whether a value is present.
  it.each([1, 34, 100])(
    'refuses an unknown form of the value at byte %i, instead of taking it as absent',
    async (at) => {
      const changed = Uint8Array.from(FIRST.data);
      expect(changed[at]).toBeLessThanOrEqual(1);
      changed[at] = 2;
      await expect(read(changed)).rejects.toThrow('unknown form');
    },
  );
});
