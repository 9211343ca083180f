import { env } from 'cloudflare:workers';
import { describe, expect, inject, it } from 'vitest';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { aWallet, SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** Changes of a pass that are refused, and leave it as it was. */

const SEPOLIA = 'ethereum/sepolia';
const gatekeeperNetwork = newGatekeeperNetwork();
const ours = await aPartner({ gatekeeperNetwork });

const now = () => Math.floor(Date.now() / 1000);
const later = now() + 3600;
const LAST_SECOND = 253_402_300_799;

const wallet = await aPassOfWhich({ gatekeeperNetwork }, holding({ state: 'ACTIVE' }));
const asItWas = (await ours.fetch(SEPOLIA, wallet)).text;
const row = env.DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet);
const rowAsItWas = await row.first();

async function changesNothing(): Promise<void> {
  expect((await ours.fetch(SEPOLIA, wallet)).text).toBe(asItWas);
  expect(await row.first()).toEqual(rowAsItWas);
}

describe('a body', () => {
  const invalid = async (text: string, pointer: string, says: RegExp = /./) => {
    const { problem } = await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, text);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.errors).toContainEqual({ pointer, detail: expect.stringMatching(says) });
    await changesNothing();
  };

  it.each(['', '{}'])('that asks for nothing (%j)', (text) => invalid(text, '', /state.*expiryTimestamp/));

  it.each(['null', '[]', '[{"state":"FROZEN"}]', '7', '"FROZEN"', 'true'])('that is no object (%s)', (text) =>
    invalid(text, ''),
  );

  it.each<[string, Record<string, unknown>]>([
    ['/expiry', { expiry: later }],
    ['/State', { State: 'FROZEN' }],
    ['/gatekeeperNetwork', { state: 'FROZEN', gatekeeperNetwork: 'other' }],
    ['/walletAddress', { state: 'FROZEN', walletAddress: aWallet() }],
  ])('with the unknown field %s', (pointer, body) => invalid(JSON.stringify(body), pointer));

  it('with a field that only looks like one of an object', () =>
    invalid('{"__proto__":{"state":"FROZEN"}}', '/__proto__'));

  it.each(['frozen', 'Active', 'REQUESTED', 'REJECTED', 'NONE', '', ' FROZEN', null, 1, true, ['FROZEN'], {}])(
    'with the state %j',
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
  ])('with the expiry %j', (expiryTimestamp) => invalid(JSON.stringify({ expiryTimestamp }), '/expiryTimestamp'));

  it.each([
    ['in the past', -3600],
    ['a second ago', -1],
    ['now', 0],
  ])('with an expiry that is %s', (_, seconds) =>
    invalid(JSON.stringify({ expiryTimestamp: now() + seconds }), '/expiryTimestamp', /future/),
  );

  it('with a good field beside a bad one', async () => {
    await invalid(JSON.stringify({ state: 'FROZEN', expiryTimestamp: 1 }), '/expiryTimestamp');
    await invalid(JSON.stringify({ state: 'thawed', expiryTimestamp: later }), '/state');
  });

  it('that revokes, and lets it expire as well', () =>
    invalid(JSON.stringify({ state: 'REVOKED', expiryTimestamp: later }), '/expiryTimestamp', /REVOKED/));

  it.each(['{', '{"state":"FROZEN"', "{'state':'FROZEN'}", '{"state":FROZEN}', '{"expiryTimestamp":NaN}', ' '])(
    'that is no JSON (%s)',
    async (text) => {
      const { problem } = await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, text);
      expect([problem.status, problem.code]).toEqual([400, 'invalid_json']);
      await changesNothing();
    },
  );

  it.each([undefined, 'text/plain', 'application/merge-patch+json', 'application/json-patch+json'])(
    'of the type %s',
    async (type) => {
      const body = JSON.stringify({ state: 'FROZEN' });
      const headers = type === undefined ? {} : { 'content-type': type };
      const { problem } = await ours.call('PATCH', `/pass/${SEPOLIA}/${wallet}`, { body, headers });
      expect([problem.status, problem.code]).toEqual([415, 'unsupported_media_type']);
      await changesNothing();
    },
  );

  it('of more than 16 KiB', async () => {
    const body = JSON.stringify({ state: 'FROZEN' }).padEnd(16_385);
    const { problem } = await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, body);
    expect([problem.status, problem.code]).toEqual([413, 'body_too_large']);
    await changesNothing();
  });
});

const CALLS = [
  ['PATCH', (on: string, whose: string, by = ours) => by.update(on, whose, { state: 'FROZEN' })],
  ['DELETE', (on: string, whose: string, by = ours) => by.revoke(on, whose)],
  ['sync', (on: string, whose: string, by = ours) => by.sync(on, whose)],
] as const;

describe.each(CALLS)('%s', (_, call) => {
  it.each([
    [SEPOLIA, wrongChecksum(wallet)],
    [SEPOLIA, wallet.slice(0, -1)],
    [SEPOLIA, SOLANA_WALLET],
    [SEPOLIA, '%00'],
    ['solana/devnet', wallet],
  ])('on %s of no wallet: %s', async (on, malformed) => {
    const { problem } = await call(on, malformed);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_wallet']);
    expect(problem.errors).toEqual([{ pointer: '/wallet', detail: expect.any(String) }]);
  });

  it.each(['ethereum/devnet', 'solana/sepolia', 'ethereum/SEPOLIA', 'bitcoin/mainnet'])(
    'on no network: %s',
    async (on) => {
      const { problem } = await call(on, wallet);
      expect([problem.status, problem.code]).toEqual([400, 'unknown_network']);
    },
  );

  it('of a pass that is not there', async () => {
    const { problem } = await call(SEPOLIA, aWallet());
    expect([problem.status, problem.code]).toEqual([404, 'pass_not_found']);
    expect((await call('ethereum/baseSepolia', wallet)).problem.code).toBe('pass_not_found');
  });
});

describe('a pass that is over', () => {
  it.each`
    state         | status                                             | code
    ${'REVOKED'}  | ${holding({ state: 'REVOKED' })}                   | ${'pass_revoked'}
    ${'REJECTED'} | ${{ type: 'failed', reason: 'the chain said no' }} | ${'pass_rejected'}
  `('$state is not changed any more', async ({ state, status, code }) => {
    const over = await aPassOfWhich({ gatekeeperNetwork }, status);
    const before = (await ours.fetch(SEPOLIA, over)).record;
    expect(before.state).toBe(state);
    for (const wish of [{ state: 'FROZEN' }, { state: 'ACTIVE' }, { expiryTimestamp: later }]) {
      const { problem } = await ours.update(SEPOLIA, over, wish);
      expect([problem.status, problem.code]).toEqual([409, code]);
    }
    expect((await ours.fetch(SEPOLIA, over)).record).toEqual(before);
  });
});

describe('no reason to refuse', () => {
  it('is a network that is not enabled: the wish waits', async () => {
    const on = 'solana/mainnet-beta';
    const waiting = await aPassOfWhich(
      { gatekeeperNetwork, chain: 'solana', network: 'mainnet-beta' },
      holding({ state: 'ACTIVE' }),
      `${on}/${inject('localnet').gatekeeper.solana}`,
    );
    expect((await ours.issue(on, waiting)).problem.code).toBe('network_not_enabled');
    const { status, updated } = await ours.update(on, waiting, { state: 'FROZEN' });
    expect([status, updated]).toMatchObject([200, { state: 'FROZEN', onChainState: 'ACTIVE' }]);
    expect((await ours.revoke(on, waiting)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    const { problem } = await ours.sync(on, waiting);
    expect([problem.status, problem.code]).toEqual([400, 'network_not_enabled']);
  });

  it('is a network on which the partner issues no more: its passes are still its own', async () => {
    const restricted = await aPartner({ gatekeeperNetwork, networks: ['baseSepolia'] });
    const old = await aPassOfWhich({ gatekeeperNetwork }, holding({ state: 'ACTIVE' }));
    expect((await restricted.issue(SEPOLIA, old)).problem.code).toBe('network_not_allowed');
    expect((await restricted.update(SEPOLIA, old, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
    expect((await restricted.revoke(SEPOLIA, old)).record.state).toBe('REVOKED');
  });

  it.each([LAST_SECOND, later])('is an expiry of %i', async (expiryTimestamp) => {
    const pass = await aPassOfWhich({ gatekeeperNetwork }, holding({ state: 'ACTIVE' }));
    const { status, updated } = await ours.update(SEPOLIA, pass, { expiryTimestamp });
    expect([status, updated.expiryTimestamp]).toEqual([200, expiryTimestamp]);
  });
});
