import { logFault } from '../../log/log.ts';
import { awaitSettlement } from '../../operations/await-settlement.ts';
import type { Backend } from '../../operations/backend.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import { readPassFromObject } from '../../operations/read-from-object.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { Partner } from '../../store/partners.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { etagOf } from '../protocol/etag.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { WalletPath } from '../schemas/requests.ts';

export const getPass = route({
  operationId: 'getPass',
  method: 'GET',
  path: '/pass/:chain/:chainNetwork/:wallet',
  scope: 'search',
  params: WalletPath,
  waits: true,
  async handle({ params, partner, bookmark, waitSeconds, config, ...backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { key } = target;
    const settled = waitSeconds > 0 ? await awaitSettlement(key, waitSeconds, backend) : undefined;
    const pass =
      settled ?? (await readFromReadModel(partner, key, bookmark, backend)) ?? (await readPassFromObject(key, backend));
    return pass === undefined ? refuse('pass_not_found') : passReply(200, pass, { etag: etagOf(pass) });
  },
});

async function readFromReadModel(
  partner: Partner,
  key: PassKey,
  bookmark: string | null,
  { store }: Backend,
): Promise<PassView | undefined> {
  try {
    const { found, bookmark: seen } = await store.findPass(partner, key, bookmark);
    return found && { ...found, bookmark: seen };
  } catch (fault) {
    logFault('database.read_failed', fault);
    return undefined;
  }
}
