import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { migrate, RELEASES } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { statusOf } from '../../../src/signer-object/status.ts';
import { aStep, mine } from '../chain/ethereum/node.ts';
import { sent } from './send-step.ts';
import { withSigner } from './with-signer.ts';

afterEach(() => void vi.useRealTimers());

const NEXT_RELEASE = [...RELEASES, 'ALTER TABLE step ADD COLUMN later TEXT'];

it('works on the tables of the next release after a rollback, and the next release then works on them again', async () => {
  await withSigner('rolled back', async (signer, storage) => {
    const { sql, kv } = storage;
    for (const releases of [RELEASES, NEXT_RELEASE, RELEASES, NEXT_RELEASE]) {
      migrate(storage, releases);
      const { step } = await sent(signer);
      expect(signer.steps.answerFor(step.id)?.status.type).toBe('sent');
    }
    expect(kv.get('schema')).toBe(NEXT_RELEASE.length);
    expect(sql.exec('SELECT count(later) AS n FROM step').one()).toEqual({ n: 0 });
  });
});

it('waits for a reason of the next release after a rollback, shows it, and tries again when its time is over', async () => {
  await mine();
  await withSigner('a later reason', async (signer, { sql }) => {
    const step = aStep();
    addSteps(signer, [step]);
    const until = Date.now() + 60_000;
    for (const scope of [SIGNER, step.key.gatekeeperNetwork])
      sql.exec("INSERT INTO wait (scope, reason, until, tries) VALUES (?, 'of-the-next-release', ?, 1)", scope, until);
    sql.exec("UPDATE step SET wait = 'of-the-next-release', not_before = ?", until);
    signer.waits.reload();
    signer.steps.reload();
    const stuck = { id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork, kind: step.kind, rank: step.rank };
    const text = expect.stringMatching(/^it waits for a reason that only a later release knows/);
    expect(stuckReasonFor(signer, stuck, Date.now())).toEqual({
      code: 'of-the-next-release',
      text,
      partner: { code: 'paused', detail: 'The service has paused the change, and the operator can see why.' },
    });
    expect(signer.waits.blocking(SIGNER, Date.now())).toMatchObject({ until });
    expect(await statusOf(signer, Date.now())).toMatchObject({ paused: { code: 'of-the-next-release' } });
    await sendWaiting(signer);
    expect(signer.steps.answerFor(step.id)?.status.type).toBe('waiting');

    vi.useFakeTimers({ toFake: ['Date'], now: until });
    await sendWaiting(signer);
    expect(signer.steps.answerFor(step.id)?.status.type).toBe('sent');
    expect([signer.waits.of(SIGNER), signer.waits.of(step.key.gatekeeperNetwork)]).toEqual([[], []]);
  });
});

it('migrates an empty store only once', async () => {
  await runInDurableObject(env.SIGNERS.getByName('empty store'), async (_, { storage }) => {
    await storage.deleteAll();
    migrate(storage);
    migrate(storage);
    expect(storage.kv.get('schema')).toBe(RELEASES.length);
  });
});
