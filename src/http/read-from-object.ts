import { logFault } from '../log/log.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import { publishPass, READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { PassReply } from './pass/pass-reply.ts';

/** The truth itself, when the read model does not have it yet or does not answer; heals the row in passing. */
export async function readPassFromObject(key: PassKey, env: Env): Promise<PassReply | undefined> {
  const projection = await env.PASSES.getByName(passName(key)).readPublication();
  if (projection === undefined) return undefined;
  const healed = publishPass(env, projection).catch((fault) => {
    logFault('read-model', fault);
    return READ_PRIMARY;
  });
  return { ...projection, bookmark: await healed };
}
