import type { Config } from '../config/config.ts';
import { findSigner } from '../config/signers.ts';
import { passTargetOf } from '../http/pass/pass-target.ts';
import { refuse, refuseUnavailable } from '../http/protocol/problem.ts';
import { isRefusal, reply } from '../http/protocol/reply.ts';
import { adminRoute } from '../http/route.ts';
import { WalletPath } from '../http/schemas/requests.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Backend } from '../operations/backend.ts';
import { remedyOf } from '../pass/wait-reasons.ts';
import { type ExplainedPass, lookUpWallet } from './look-up-wallet.ts';
import { LookUpQuery } from './requests.ts';
import { statusOf } from './signers.ts';

const lookUpPass = adminRoute({
  operationId: 'lookUpPass',
  method: 'GET',
  path: '/admin/passes/:chain/:chainNetwork/:wallet',
  right: 'read',
  params: WalletPath,
  query: LookUpQuery,
  async handle({ params, query: { gatekeeperNetwork }, config, ...backend }) {
    const target = passTargetOf(params, { gatekeeperNetwork: gatekeeperNetwork ?? ANY }, config);
    if (isRefusal(target)) return target;
    const { passes, unread } = await lookUpWallet({ ...target.key, gatekeeperNetwork }, backend);
    const unreadShards = unread.length > 0 ? unread : undefined;
    if (passes.length === 0 && (unreadShards === undefined || gatekeeperNetwork !== undefined))
      return refuse('pass_not_found', { detail: NO_PASS });
    if (passes.length === 0) return refuseUnavailable(undefined, UNREAD);
    const explained = await Promise.all(passes.map((pass) => explanationOf(pass, config, backend)));
    return reply(200, JSON.stringify({ passes: explained, unreadShards }));
  },
});

/** The look-up replaces it. */
const ANY = '' as GatekeeperNetwork;
const NO_PASS = 'The wallet has no pass there: no partner has requested one, or it has another chain or network.';
const UNREAD = 'A database does not answer. Add ?gatekeeperNetwork=KEY: then its pass object answers without one.';

async function explanationOf(
  { key, record, inspection, reason, readModel }: ExplainedPass,
  config: Config,
  { signerObject }: Backend,
) {
  const enabled = inspection && findSigner(config, inspection.signer);
  const signer = enabled && (await statusOf(enabled, signerObject));
  return {
    pass: {
      id: record?.id,
      gatekeeperNetwork: key.gatekeeperNetwork,
      chain: { type: key.chain, network: key.network },
      walletAddress: key.wallet,
    },
    code: reason.code,
    reason: reason.text,
    remedy: 'remedy' in reason ? reason.remedy : remedyOf(reason.code),
    record,
    readModel,
    step: inspection?.step && { id: inspection.step.id, kind: inspection.step.kind },
    tries: inspection?.tries,
    signerName: inspection?.signer,
    signer: signer ?? null,
    node: signer === undefined ? null : nodeOf(signer),
  };
}

/** Whether the nodes of the network answer the signer; null: the signer does not answer. */
function nodeOf(signer: Awaited<ReturnType<typeof statusOf>>) {
  if (!('waiting' in signer)) return null;
  return signer.balance === null ? { answers: false, why: signer.why } : { answers: true };
}

export const passLookUpRoutes = [lookUpPass];
