import type { Config } from '../../../config/config.ts';
import { findNetwork } from '../../../network/networks.ts';
import { canonicalWallet } from '../../../network/wallet.ts';
import type { Backend } from '../../../operations/backend.ts';
import { redriveDeadLetter, redriveDeadLetters } from '../../../operations/redrive-dead-letters.ts';
import type { RedriveResult } from '../../../operations/redrive-passes.ts';
import { redrivePass, redriveStuck } from '../../../operations/redrive-passes.ts';
import { refuseWallet } from '../../pass/pass-target.ts';
import type { Refusal } from '../../protocol/problem.ts';
import { refuse } from '../../protocol/problem.ts';
import type { Reply } from '../../protocol/reply.ts';
import { reply } from '../../protocol/reply.ts';
import { refuseUnavailable } from '../../protocol/transient-error.ts';
import { adminRoute } from '../../route.ts';
import type { Redrive } from '../../schemas/admin-requests.ts';
import { NoQuery, RedriveBody } from '../../schemas/admin-requests.ts';

export const redrive = adminRoute({
  operationId: 'redrive',
  method: 'POST',
  path: '/admin/redrive',
  scope: 'admin',
  query: NoQuery,
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, ...backend }) {
    if (pass !== undefined) return redriveOne(pass, config, backend);
    if (all !== undefined) return accepted(await redriveStuck({ olderThanSeconds: olderThan, after }, backend));
    const redriven =
      deadLetter === undefined ? await redriveDeadLetters(backend) : await redriveDeadLetter(deadLetter, backend);
    if (redriven === 'not-found')
      return refuse('not_found', { detail: 'No dead letter has this id. GET /admin/dead-letters lists the ids.' });
    return redriven === 'queue-unavailable' ? refuseUnavailable() : accepted(redriven);
  },
});

async function redriveOne(
  { gatekeeperNetwork, chain, network, walletAddress }: NonNullable<Redrive['pass']>,
  { networks }: Config,
  backend: Backend,
): Promise<Reply | Refusal> {
  const row = findNetwork(networks, chain, network);
  if (row === undefined) {
    return refuse('unknown_network', {
      errors: [{ pointer: '/pass/network', detail: 'must be a network of the chain' }],
    });
  }
  const wallet = canonicalWallet(row.chain, walletAddress);
  if (wallet === undefined) return refuseWallet('/pass/walletAddress', 'must be an address of the chain');
  const key = { gatekeeperNetwork, chain: row.chain, network, wallet };
  const redriven = await redrivePass(key, backend);
  return redriven === undefined ? refuse('pass_not_found') : accepted(redriven);
}

const accepted = (redriven: RedriveResult) => reply(202, JSON.stringify(redriven));
