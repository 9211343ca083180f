import { logFault } from '../../log/log.ts';
import type { PassKey } from '../../pass/pass.ts';
import { readFromBookmark } from '../../store/bookmarked-reads.ts';
import { findPass } from '../../store/passes.ts';
import type { Shard } from '../../store/shards.ts';
import { awaitSettlement } from '../await-settlement.ts';
import { type PassReply, passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { etagOf } from '../protocol/etag.ts';
import { refuse } from '../protocol/problem.ts';
import { readPassFromObject } from '../read-from-object.ts';
import { route } from '../route.ts';
import { PassRecord } from '../schemas/replies.ts';
import { WalletPath } from '../schemas/requests.ts';

export const getPass = route({
  operationId: 'getPass',
  method: 'GET',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'search',
  summary: 'Fetch the pass of a wallet',
  description:
    'Answers what is known of the pass, with its history. A pass of another gatekeeper network is as one that is not there.',
  params: WalletPath,
  waits: true,
  replies: {
    200: { description: 'The pass.', body: PassRecord, headers: ['Gatepass-Bookmark', 'ETag'] },
    304: {
      description: 'The pass is still the one of `If-None-Match`.',
      headers: ['Gatepass-Bookmark', 'ETag'],
    },
  },
  refuses: ['unknown_network', 'invalid_wallet', 'pass_not_found'],
  async handle({ params, partner, shard, seen, wait, config, env }) {
    const subject = passTargetOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const { key } = subject;
    const settled = wait > 0 ? await awaitSettlement(key, wait, env) : undefined;
    const shown = settled ?? (await fromReadModel(key, shard, seen)) ?? (await readPassFromObject(key, env));
    return shown === undefined ? refuse('pass_not_found') : passReply(200, shown, { etag: etagOf(shown) });
  },
});

async function fromReadModel(key: PassKey, shard: Shard, seen: string | null): Promise<PassReply | undefined> {
  try {
    const { found, bookmark } = await readFromBookmark(shard, seen, (db) => findPass(db, key));
    return found && { ...found, bookmark };
  } catch (fault) {
    logFault('read-model', fault);
    return undefined;
  }
}
