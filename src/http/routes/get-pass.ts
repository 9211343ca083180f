import { logFault } from '../../log/log.ts';
import { type PassKey, passName } from '../../pass/pass.ts';
import { findPass, projectPasses } from '../../store/passes.ts';
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
  async handle({ params, partner, config, env }) {
    const subject = subjectOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const record = (await fromReadModel(subject.key, env)) ?? (await fromPassObject(subject.key, env));
    return record === undefined ? refuse('pass_not_found') : reply(200, record, JSON.parse(record).id);
  },
});

async function fromReadModel(key: PassKey, env: Env): Promise<string | undefined> {
  try {
    return await findPass(env.DB, key);
  } catch (fault) {
    logFault('read-model', fault);
    return undefined;
  }
}

/** The truth itself, when the read model does not have it yet or does not answer; heals the row in passing. */
async function fromPassObject(key: PassKey, env: Env): Promise<string | undefined> {
  const projection = await env.PASSES.getByName(passName(key)).read();
  if (projection === undefined) return undefined;
  await projectPasses(env.DB, [projection]).catch((fault) => logFault('read-model', fault));
  return projection.record;
}
