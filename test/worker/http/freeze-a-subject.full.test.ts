import { env, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StoredPass } from '../../../src/pass-object/stored-pass.ts';
import { eventually } from '../../eventually.ts';
import { aPassKey } from './a-pass.ts';
import { partner, seededPartner, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { callNodeOf, withoutBlocks } from './node.ts';

/** One freeze of a person with 300 passes on two chains, beside 3,000 waiting issuances, while the object of the subject is killed three times. */

const { PASSES, SUBJECTS } = env as unknown as Env;
const PASSES_OF_SUBJECT = 300;
const WAITING = 3_000;
const ITEMS = 100;
const KILLS = 3;
const SUBJECT = 'a person/with 300 passes'.replaceAll(' ', '-');
const PATH = `/subjects/${encodeURIComponent(SUBJECT)}`;
/** A signer sends 16 transactions in a block, and gives eight of ten turns to the highest rank. */
const STEPS_IN_BLOCK = 16;
const SHARE_OF_URGENT = 0.8;
/** Blocks that were made while nothing was sent, on a machine that is busy. */
const IDLE_BLOCKS = 60;

const acme = (await partner('acme')).through(workerWith(WITHOUT_LIMITS));
const { gatekeeperNetwork } = seededPartner('acme');
const JSON_TYPE = { 'content-type': 'application/json' };
const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
const readSubject = async () => JSON.parse((await acme.call('GET', PATH)).text);
const blockNumber = async () => Number(await callNodeOf('sepolia', 'eth_blockNumber'));

/** Ends the object where it is. The platform starts it again by its alarm. */
const kill = () =>
  runInDurableObject(SUBJECTS.getByName(`${gatekeeperNetwork}/${SUBJECT}`), (object) => {
    (object as unknown as { readonly ctx: DurableObjectState }).ctx.abort();
  }).catch(() => {});

it('freezes every pass on chain before the issuances that wait', { timeout: 600_000 }, async () => {
  const keys = Array.from({ length: PASSES_OF_SUBJECT }, (_, index) =>
    aPassKey({ gatekeeperNetwork, chain: index % 6 === 5 ? 'solana' : 'ethereum' }),
  );
  for (let at = 0; at < keys.length; at += 20)
    await Promise.all(
      keys.slice(at, at + 20).map(async (key) => {
        const { status } = await acme.issue(on(key), key.wallet, { subject: SUBJECT });
        expect(status).toBe(202);
      }),
    );
  await eventually(async () => expect((await readSubject()).passes).toEqual({ ACTIVE: PASSES_OF_SUBJECT }), 1_000);

  // No block includes the issuances before the freeze.
  const begun = await withoutBlocks('sepolia', async () => {
    for (let at = 0; at < WAITING; at += ITEMS) {
      const items = Array.from({ length: ITEMS }, () => itemOf(aPassKey({ gatekeeperNetwork })));
      for (const { status } of await resultsOf(acme, 'POST', items)) expect([202, 429]).toContain(status);
    }
    const block = await blockNumber();
    const body = JSON.stringify({ state: 'FROZEN', reason: 'case 300' });
    const { status, text } = await acme.call('PATCH', PATH, { body, headers: JSON_TYPE });
    expect([status, JSON.parse(text)]).toEqual([202, expect.objectContaining({ state: 'FROZEN', passes: 300 })]);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await eventually(async () => {
        const [{ done }] = (await readSubject()).requests;
        expect(done).toBeGreaterThanOrEqual((kills * PASSES_OF_SUBJECT) / (KILLS + 1));
      });
      await kill();
    }
    await eventually(async () => expect((await readSubject()).requests[0]).toHaveProperty('finishedAt'));
    return block;
  });
  const progress = (await readSubject()).requests;
  expect(progress).toMatchObject([{ total: PASSES_OF_SUBJECT, done: PASSES_OF_SUBJECT, refused: {} }]);

  const stored = (key: PassKey) =>
    runInDurableObject(PASSES.getByName(passName(key)), (_, { storage }) => storage.kv.get<StoredPass>('pass'));
  await eventually(async () => {
    const passes = await Promise.all(keys.map(stored));
    expect(passes.filter((each) => each?.pass.onChain.state !== 'FROZEN')).toHaveLength(0);
  }, 1_000);
  const onSepolia = keys.filter(({ network }) => network === 'sepolia').length;
  const bound = Math.ceil(onSepolia / (STEPS_IN_BLOCK * SHARE_OF_URGENT)) + IDLE_BLOCKS;
  expect((await blockNumber()) - begun).toBeLessThanOrEqual(bound);

  // One entry of the request, and one of each pass.
  const requestId = progress[0].requestId;
  await eventually(async () => {
    const entries = [];
    for (let after = 0, more = true; more; ) {
      const page = JSON.parse((await acme.call('GET', `/audit?after=${after}&limit=1000`)).text);
      entries.push(...page.entries.filter((entry: { requestId?: string }) => entry.requestId === requestId));
      ({ next: after, more } = page);
    }
    const actions = entries.map(({ action }) => action);
    expect(actions.filter((action) => action === 'subject.change')).toHaveLength(1);
    expect(actions.filter((action) => action === 'pass.freeze')).toHaveLength(PASSES_OF_SUBJECT);
  }, 1_000);
});
