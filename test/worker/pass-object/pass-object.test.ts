import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { formatSignerName } from '../../../src/network/network.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { reassignSigner } from '../../../src/pass-object/pass-signer.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { defaultContract } from '../../default-contract.ts';
import { anActivePass, aPass, type Overrides } from '../../unit/pass/a-pass.ts';
import { configurePassObject } from '../configure-object.ts';
import { issueWithSigner, NOBODY } from '../issue-with-signer.ts';
import { aPassObject, CONFIRMED, recorded, recordIn, SENT } from './a-pass-object.ts';

/** Pass objects in the real runtime. */

const { PASSES, SIGNERS } = env as Env;

describe('a request for a pass', () => {
  it('stores a request together with an alarm, and changes neither at a repeated request', async () => {
    const { key, object, request, alarm } = aPassObject();
    const asked = Date.now();
    const first = await request();
    const rings = await alarm();
    expect(rings).toBeGreaterThan(asked + 8_000);
    const second = await request();
    expect(first).toMatchObject({ type: 'accepted', publish: 'record-and-work' });
    expect(second).toEqual({ ...first, changed: false });
    // A repeated request that waits does so with the first one, which has published.
    expect(await object.issue({ key, contract: defaultContract(key), client: 'acme', waits: true })).toEqual({
      ...first,
      changed: false,
      publish: 'if-wait-fails',
    });
    expect(await alarm()).toBe(rings);
  });

  it('tries again for three repeated requests in a minute, however many come', async () => {
    const { request } = aPassObject();
    await request();
    const answers = [];
    for (let repeats = 0; repeats < 6; repeats += 1) answers.push(await request());
    const outcomes = answers.map((answer) => 'publish' in answer && answer.publish);
    expect(outcomes).toEqual([...Array(3).fill('record-and-work'), ...Array(3).fill('if-wait-fails')]);
  });

  it('refuses an issuance in slot 1 of a mainnet, whatever the gatekeeper network with that slot is called', async () => {
    const endpoints = { mainnet: ['https://rpc.example'], 'mainnet-beta': ['https://rpc.example'] };
    const issue = async (changes: Partial<PassKey>) => {
      const key = { ...aPassObject().key, ...changes };
      const object = PASSES.getByName(passName(key));
      const both = { RPC_ENDPOINTS: JSON.stringify(endpoints), MAINNETS: 'mainnet mainnet-beta' };
      await configurePassObject(key, both);
      return object.issue({ key, contract: defaultContract(key), client: 'acme', waits: false });
    };
    const refused = { type: 'refused', reason: 'network_not_enabled' };
    expect(await issue({ network: 'mainnet' })).toEqual(refused);
    const one = `${'1'.repeat(31)}2` as GatekeeperNetwork;
    expect(await issue({ network: 'mainnet', gatekeeperNetwork: one })).toEqual(refused);
    const other = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD' as GatekeeperNetwork;
    expect(await issue({ network: 'mainnet', gatekeeperNetwork: other })).toMatchObject({ type: 'accepted' });
  });

  it('makes one pass of two requests at the same time', async () => {
    const { request } = aPassObject();
    const both = await Promise.all([request(), request()]);
    const records = both.map((each) => ('publication' in each ? each.publication.record : 'refused'));
    expect(records[0]).toBe(records[1]);
    expect(records[0]).toContain('TOKEN_ISSUED_INITIATED');
  });

  it('stores nothing for a question about a pass that does not exist', async () => {
    const { object, alarm } = aPassObject();
    expect(await object.readPublication()).toBeUndefined();
    expect(await object.pinStep()).toBeUndefined();
    expect(await object.recordAnswers([{ step: 'x:1', revision: 1, status: SENT }])).toBeUndefined();
    expect(await alarm()).toBeNull();
    expect(await runInDurableObject(object, (_, { storage }) => [...storage.kv.list()])).toEqual([]);
  });
});

describe('a pinned step', () => {
  it('pins a step, and returns the same step when asked again', async () => {
    const { object, request, key } = aPassObject();
    await request();
    const first = await object.pinStep();
    const second = await object.pinStep();
    expect(first?.step).toMatchObject({ kind: 'issue', key });
    expect(second?.step).toEqual(first?.step);
    expect(first?.signer).toBe(NOBODY);
  });

  it('begins the store of the signer before it pins the first step for it', async () => {
    const { object, key } = aPassObject();
    const signer = formatSignerName('ethereum', 'sepolia', key.wallet);
    await issueWithSigner(key, signer);
    const pinned = await object.pinStep();
    const until = await runInDurableObject(
      SIGNERS.getByName(signer),
      (_, { storage }) => storage.kv.get<{ until: number }>('earlierStore')?.until,
    );
    expect(until).toBeLessThanOrEqual(pinned?.step?.pinnedAt ?? 0);
  });

  it('shows the progress of a step in the record', async () => {
    const { object, request } = aPassObject();
    await request();
    const sent = await recorded(object, SENT);
    expect(sent && recordIn(sent.publication)).toMatchObject({
      state: 'REQUESTED',
      onChainState: 'NONE',
      events: [{ eventType: 'TOKEN_ISSUED_INITIATED', transaction: { identifier: '0xaa', status: 'sent' } }],
    });
    const confirmed = await recorded(object, SENT, CONFIRMED);
    expect(confirmed && recordIn(confirmed.publication)).toMatchObject({
      state: 'ACTIVE',
      onChainState: 'ACTIVE',
      events: [
        { eventType: 'TOKEN_ISSUED_INITIATED', transaction: { identifier: '0xaa', status: 'confirmed' } },
        { eventType: 'TOKEN_ISSUED', transaction: { identifier: '0xaa', status: 'confirmed' } },
      ],
    });
    expect(confirmed?.needsStep).toBe(false);
    expect(await object.pinStep()).toMatchObject({ step: undefined });
  });
});

describe('a Solana token that another gatekeeper issued', () => {
  const [, OURS] = SOLANA_GATEKEEPERS;
  const onChain = { state: 'ACTIVE', foreign: true, issuer: OURS } as const;
  const found = (overrides: Overrides = {}) =>
    aPass({
      key: { chain: 'solana', network: 'devnet' },
      onChain,
      signer: formatSignerName('solana', 'devnet', 'nobody'),
      ...overrides,
    });

  it('assigns a pass to the signer of our own gatekeeper that issued its token, and calls the token ours', () => {
    const pass = reassignSigner(found(), env as Env);
    expect(pass).toEqual({ ...found(), signer: `solana/devnet/${OURS}`, onChain: { state: 'ACTIVE' } });
  });

  it.each`
    why                                     | pass
    ${'that key is not ours'}               | ${found({ onChain: { ...onChain, issuer: 'somebody' } })}
    ${'it was found by an earlier release'} | ${found({ onChain: { ...onChain, issuer: undefined } })}
    ${'a step is under way'}                | ${found({ step: { kind: 'set-expiry' } })}
    ${'a step of ours may leave the chain'} | ${found({ past: anActivePass().past })}
  `('keeps the signer of a pass when $why', ({ pass }) => {
    expect(reassignSigner(pass, env as Env)).toBe(pass);
  });
});

describe('a pass with a long history', () => {
  it('shows the first and the newest 99 events in the record, and keeps the others', async () => {
    const { key, object } = aPassObject();
    const request = () => issueWithSigner(key, undefined, { PASS_DAILY_CHANGES: '100' });
    const refused = { type: 'failed', reason: 'because' } as const;
    for (let round = 0; round < 60; round += 1) {
      await request();
      await recorded(object, refused);
    }
    const projection = await object.readPublication();
    const { events } = recordIn(projection ?? { record: '{}' });
    expect(events).toHaveLength(100);
    expect(events.at(-1)?.eventType).toBe('TOKEN_ISSUED_FAILED');
    const older = await runInDurableObject(object, (_, { storage }) => [...storage.kv.list({ prefix: 'event:' })]);
    expect(older).toHaveLength(20);
  });
});
