import { logFault } from '../../log/log.ts';
import { type PassKey, passName } from '../../pass/pass.ts';
import { findPass } from '../../store/passes.ts';
import { projectPass, readAt, SEEN_ALL } from '../../store/sessions.ts';
import type { Shard } from '../../store/shards.ts';
import { subjectOf } from '../pass-path.ts';
import { refuse } from '../problem.ts';
import { reply, route } from '../route.ts';
import { WalletPath } from '../schemas.ts';

export const getPass = route({
  method: 'GET',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'search',
  summary: 'Fetch the pass of a wallet',
  params: WalletPath,
  async handle({ params, partner, shard, seen, config, env }) {
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const read = (await fromReadModel(subject.key, shard, seen)) ?? (await fromPassObject(subject.key, env));
    if (read === undefined) return refuse('pass_not_found');
    return reply(200, read.record, JSON.parse(read.record).id, read.bookmark);
  },
});

interface Seen {
  readonly record: string;
  readonly bookmark: string;
}

async function fromReadModel(key: PassKey, shard: Shard, seen: string | null): Promise<Seen | undefined> {
  try {
    const { found, bookmark } = await readAt(shard, seen, (db) => findPass(db, key));
    return found === undefined ? undefined : { record: found, bookmark };
  } catch (fault) {
    logFault('read-model', fault);
    return undefined;
  }
}

/** The truth itself, when the read model does not have it yet or does not answer; heals the row in passing. */
async function fromPassObject(key: PassKey, env: Env): Promise<Seen | undefined> {
  const projection = await env.PASSES.getByName(passName(key)).read();
  if (projection === undefined) return undefined;
  const healed = projectPass(env, projection).catch((fault) => {
    logFault('read-model', fault);
    return SEEN_ALL;
  });
  return { record: projection.record, bookmark: await healed };
}
