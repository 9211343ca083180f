import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { migrate, RELEASES } from '../../../src/signer-object/schema.ts';
import { sent } from './send-step.ts';
import { withSigner } from './with-signer.ts';

const NEXT_RELEASE = [...RELEASES, 'ALTER TABLE step ADD COLUMN later TEXT'];

it('works on the tables of the next release after a rollback, and the next release then works on them again', async () => {
  await withSigner('rolled back', async (signer, storage) => {
    const { sql, kv } = storage;
    for (const releases of [RELEASES, NEXT_RELEASE, RELEASES, NEXT_RELEASE]) {
      migrate(storage, () => {}, releases);
      const { step } = await sent(signer);
      expect(signer.steps.answerFor(step.id)?.status.type).toBe('sent');
    }
    expect(kv.get('schema')).toBe(NEXT_RELEASE.length);
    expect(sql.exec('SELECT count(later) AS n FROM step').one()).toEqual({ n: 0 });
  });
});

it('migrates an empty store only once', async () => {
  await runInDurableObject(env.SIGNERS.getByName('empty store'), async (_, { storage }) => {
    await storage.deleteAll();
    migrate(storage, () => {});
    migrate(storage, () => {});
    expect(storage.kv.get('schema')).toBe(RELEASES.length);
  });
});
