import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { aWallet, SOLANA_WALLET, wrongChecksum, ZERO_ADDRESS } from './wallets.ts';

/** Refused changes, which leave the pass as it is. */

const SEPOLIA = 'ethereum/sepolia';
const gatekeeperNetwork = newGatekeeperNetwork();
const ours = await aPartner({ gatekeeperNetwork });

const now = () => Math.floor(Date.now() / 1000);
const later = now() + 3600;
const LAST_SECOND = 253_402_300_799;

const { wallet } = await aPass({ gatekeeperNetwork, ...UNSENT });
const asItWas = (await ours.fetch(SEPOLIA, wallet)).text;
const row = env.DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet);
const rowAsItWas = await row.first();

async function changesNothing(): Promise<void> {
  expect((await ours.fetch(SEPOLIA, wallet)).text).toBe(asItWas);
  expect(await row.first()).toEqual(rowAsItWas);
}

describe('the body of a change', () => {
  const invalid = async (text: string, pointer: string, says: RegExp = /./) => {
    expectProblem(await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, text), 'invalid_request', {
      pointer,
      fieldDetail: says,
    });
    await changesNothing();
  };

  it.each(['', '{}'])('refuses the body %j, which changes nothing', (text) =>
    invalid(text, '', /state.*expiryTimestamp/),
  );

  it.each(['null', '[]', '[{"state":"FROZEN"}]', '7', '"FROZEN"', 'true'])(
    'refuses the body %s, which is not an object',
    (text) => invalid(text, ''),
  );

  it.each<[string, Record<string, unknown>]>([
    ['/expiry', { expiry: later }],
    ['/State', { State: 'FROZEN' }],
    ['/gatekeeperNetwork', { state: 'FROZEN', gatekeeperNetwork: 'other' }],
    ['/walletAddress', { state: 'FROZEN', walletAddress: aWallet() }],
  ])('refuses the unknown field %s', (pointer, body) => invalid(JSON.stringify(body), pointer));

  it('refuses a state that hides in __proto__', () => invalid('{"__proto__":{"state":"FROZEN"}}', '/__proto__'));

  it.each(['frozen', 'Active', 'REQUESTED', 'REJECTED', 'NONE', '', ' FROZEN', null, 1, true, ['FROZEN'], {}])(
    'refuses the state %j',
    (state) => invalid(JSON.stringify({ state }), '/state'),
  );

  it.each([
    null,
    '1900000000',
    true,
    [later],
    {},
    later + 0.5,
    0,
    -1,
    -later,
    LAST_SECOND + 1,
    1e300,
    now() * 1000_000,
  ])('refuses the expiry %j', (expiryTimestamp) => invalid(JSON.stringify({ expiryTimestamp }), '/expiryTimestamp'));

  it.each([
    ['in the past', -3600],
    ['a second ago', -1],
    ['now', 0],
  ])('refuses an expiry that is %s', (_, seconds) =>
    invalid(JSON.stringify({ expiryTimestamp: now() + seconds }), '/expiryTimestamp', /future/),
  );

  it('refuses a valid field together with an invalid one', async () => {
    await invalid(JSON.stringify({ state: 'FROZEN', expiryTimestamp: 1 }), '/expiryTimestamp');
    await invalid(JSON.stringify({ state: 'thawed', expiryTimestamp: later }), '/state');
  });

  it('refuses an expiry together with the state REVOKED', () =>
    invalid(JSON.stringify({ state: 'REVOKED', expiryTimestamp: later }), '/expiryTimestamp', /REVOKED/));

  it.each(['{', '{"state":"FROZEN"', "{'state':'FROZEN'}", '{"state":FROZEN}', '{"expiryTimestamp":NaN}', ' '])(
    'refuses a body that is not JSON: %s',
    async (text) => {
      expectProblem(await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, text), 'invalid_json');
      await changesNothing();
    },
  );

  it.each([undefined, 'text/plain', 'application/merge-patch+json', 'application/json-patch+json'])(
    'refuses the content type %s',
    async (type) => {
      const body = JSON.stringify({ state: 'FROZEN' });
      const headers = type === undefined ? {} : { 'content-type': type };
      expectProblem(
        await ours.call('PATCH', `/pass/${SEPOLIA}/${wallet}`, { body, headers }),
        'unsupported_media_type',
      );
      await changesNothing();
    },
  );

  it('refuses a body of more than 16 KiB', async () => {
    const body = JSON.stringify({ state: 'FROZEN' }).padEnd(16_385);
    expectProblem(await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, body), 'body_too_large');
    await changesNothing();
  });
});

const CALLS = [
  ['PATCH', (on: string, whose: string, by = ours) => by.update(on, whose, { state: 'FROZEN' })],
  ['DELETE', (on: string, whose: string, by = ours) => by.revoke(on, whose)],
  ['sync', (on: string, whose: string, by = ours) => by.sync(on, whose)],
] as const;

describe.each(CALLS)('%s of a pass', (_, call) => {
  it.each([
    [SEPOLIA, wrongChecksum(wallet)],
    [SEPOLIA, wallet.slice(0, -1)],
    [SEPOLIA, SOLANA_WALLET],
    [SEPOLIA, '%00'],
    [SEPOLIA, ZERO_ADDRESS],
    ['solana/devnet', wallet],
  ])('refuses a malformed wallet on %s: %s', async (on, malformed) => {
    expectProblem(await call(on, malformed), 'invalid_wallet', { pointers: ['/wallet'] });
  });

  it.each(['ethereum/devnet', 'solana/sepolia', 'ethereum/SEPOLIA', 'bitcoin/mainnet'])(
    'refuses the unknown network %s',
    async (on) => {
      expectProblem(await call(on, wallet), 'unknown_network');
    },
  );

  it('returns 404 for a pass that does not exist', async () => {
    expectProblem(await call(SEPOLIA, aWallet()), 'pass_not_found');
    expectProblem(await call('ethereum/baseSepolia', wallet), 'pass_not_found');
  });
});

describe('a change of a pass that has ended', () => {
  it.each`
    state         | code
    ${'REVOKED'}  | ${'pass_revoked'}
    ${'REJECTED'} | ${'pass_rejected'}
  `('refuses to change a $state pass', async ({ state, code }) => {
    const { wallet: over } = await aPass({ gatekeeperNetwork, state, ...UNSENT });
    const before = (await ours.fetch(SEPOLIA, over)).record;
    expect(before.state).toBe(state);
    for (const request of [{ state: 'FROZEN' }, { state: 'ACTIVE' }, { expiryTimestamp: later }]) {
      expectProblem(await ours.update(SEPOLIA, over, request), code);
    }
    expect((await ours.fetch(SEPOLIA, over)).record).toEqual(before);
  });
});

describe('accepted changes', () => {
  it('accepts changes on a network that is not enabled, and refuses to issue and to sync there', async () => {
    const on = 'solana/mainnet-beta';
    const mainnet = { chain: 'solana', network: 'mainnet-beta' } as const;
    const { wallet: waiting } = await aPass({ gatekeeperNetwork, ...mainnet, place: 'object' });
    expectProblem(await ours.issue(on, waiting), 'network_not_enabled');
    const { status, updated } = await ours.update(on, waiting, { state: 'FROZEN' });
    expect([status, updated]).toMatchObject([200, { state: 'FROZEN', onChainState: 'ACTIVE' }]);
    expect((await ours.revoke(on, waiting)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    expectProblem(await ours.sync(on, waiting), 'network_not_enabled');
  });

  it('accepts changes on a network where the partner may no longer issue', async () => {
    const restricted = await aPartner({ gatekeeperNetwork, networks: ['baseSepolia'] });
    const { wallet: old } = await aPass({ gatekeeperNetwork, ...UNSENT });
    expectProblem(await restricted.issue(SEPOLIA, old), 'network_not_allowed');
    expect((await restricted.update(SEPOLIA, old, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
    expect((await restricted.revoke(SEPOLIA, old)).record.state).toBe('REVOKED');
  });

  it.each([LAST_SECOND, later])('accepts the expiry %i', async (expiryTimestamp) => {
    const { wallet: pass } = await aPass({ gatekeeperNetwork, ...UNSENT });
    const { status, updated } = await ours.update(SEPOLIA, pass, { expiryTimestamp });
    expect([status, updated.expiryTimestamp]).toEqual([200, expiryTimestamp]);
  });
});
