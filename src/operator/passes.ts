import type { Config } from '../config/config.ts';
import { findSigner } from '../config/signers.ts';
import { IN_NAMES, passTargetOf, refuseWallet } from '../http/pass/pass-requests.ts';
import { type Refusal, refuse, refuseUnavailable } from '../http/protocol/problem.ts';
import { isRefusal, reply } from '../http/protocol/reply.ts';
import { adminRoute, reads } from '../http/route.ts';
import { WalletPath } from '../http/schemas/requests.ts';
import { withCharacter } from '../lib/characters.ts';
import { nowSeconds } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import { findNetwork } from '../network/networks.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { canonicalWallet, walletFault } from '../network/wallet.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import { endOfPass, type PassRecord } from '../pass/record.ts';
import { type EndCode, progress, type StuckReason } from '../pass/wait-reasons.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { StuckStep } from '../signer-object/operator.ts';
import type { PublishedRow } from '../store/passes.ts';
import type { AskedWallet } from '../store/rows-of-wallet.ts';
import { remedyOf } from './remedies.ts';
import { type FullNames, LookUpQuery } from './requests.ts';
import { statusOf } from './signers.ts';

const lookUpPass = adminRoute({
  ...reads('lookUpPass', '/admin/passes/:chain/:chainNetwork/:wallet'),
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
    ...explainedJson(record?.id, key, inspection, reason),
    record,
    readModel,
    signerName: inspection?.signer,
    signer: signer ?? null,
    node: signer === undefined ? null : nodeOf(signer),
  };
}

/** Returns what the operator sees of a pass and of the reason why it is or is not ACTIVE. */
export function explainedJson(
  id: string | undefined,
  { gatekeeperNetwork, chain, network, wallet }: PassKey,
  inspection: Inspection | undefined,
  reason: ExplainedPass['reason'],
) {
  return {
    pass: { id, gatekeeperNetwork, chain: { type: chain, network }, walletAddress: wallet },
    code: reason.code,
    reason: reason.text,
    remedy: remedyOf(reason),
    step: inspection?.step && { id: inspection.step.id, kind: inspection.step.kind },
    tries: inspection?.tries,
  };
}

/** Whether the nodes of the network answer the signer; null: the signer does not answer. */
function nodeOf(signer: Awaited<ReturnType<typeof statusOf>>) {
  if (!('waiting' in signer)) return null;
  return signer.balance === null ? { answers: false, why: signer.why } : { answers: true };
}

/** A pass of a wallet, with the reason why it is or is not ACTIVE. */
interface ExplainedPass {
  readonly key: PassKey;
  /** As the pass object has it; as the read model shows it if the object does not answer; undefined: neither answers. */
  readonly record: PassRecord | undefined;
  /** Undefined: the pass object does not answer, or has no pass. */
  readonly inspection: Inspection | undefined;
  /** Why the pass waits, or how it ended. */
  readonly reason: StuckReason | { readonly code: EndCode; readonly text: string };
  readonly readModel: 'current' | 'behind' | 'missing' | 'unread';
}

/** Returns the passes of a wallet, and the names of databases that did not answer. It needs none if the gatekeeper network is given. */
async function lookUpWallet(wallet: AskedWallet, backend: Backend) {
  const { gatekeeperNetwork } = wallet;
  const { rows, unread } = await backend.store.findRowsOfWallet(wallet);
  const byNetwork = new Map(rows.map((row) => [row.key.gatekeeperNetwork, row]));
  const asked = gatekeeperNetwork === undefined ? [...byNetwork.keys()] : [gatekeeperNetwork];
  const explained = asked.map((each) =>
    explainPass({ ...wallet, gatekeeperNetwork: each }, byNetwork.get(each), unread.length > 0, backend),
  );
  return { passes: (await Promise.all(explained)).filter((each) => each !== undefined), unread };
}

/** Returns the pass with its reason; undefined: there is no such pass. */
async function explainPass(
  key: PassKey,
  row: PublishedRow | undefined,
  isUnread: boolean,
  backend: Backend,
): Promise<ExplainedPass | undefined> {
  const name = row?.id ?? key.wallet;
  const answer = await callObject(async () => ({ found: await backend.passObject(key).inspect() }), 'pass', name);
  const inspection = answer?.found;
  if (inspection === undefined) {
    if (answer !== undefined && row === undefined) return undefined;
    const record = row && (JSON.parse(row.record) as PassRecord);
    const readModel = row ? 'current' : isUnread ? 'unread' : 'missing';
    const code = answer === undefined ? 'object-unreachable' : 'object-lost';
    return { key, record, inspection, reason: progress(code), readModel };
  }
  const { publication, isSettled } = inspection;
  const readModel = stateOfRow(row, publication.version, isUnread);
  const record = JSON.parse(publication.record) as PassRecord;
  if (isSettled) {
    const isPublished = readModel === 'unread' ? undefined : readModel === 'current';
    const { isPending } = publication.validity;
    const isVoid = row?.isVoid === true;
    const reason = endOfPass({ record, isPending, isVoid, isPublished }, nowSeconds());
    return { key, record, inspection, reason, readModel };
  }
  const { id } = publication;
  const reason = (await readReasons([{ key, id, inspection }], backend)).get(id) ?? progress('not-begun');
  return { key, record, inspection, reason, readModel };
}

function stateOfRow(row: PublishedRow | undefined, version: number, isUnread: boolean): ExplainedPass['readModel'] {
  if (row === undefined) return isUnread ? 'unread' : 'missing';
  return row.version >= version ? 'current' : 'behind';
}

/** Returns the reason of each pass that waits for a step, by pass id. A signer that does not answer affects no other. */
export async function readReasons(
  stuck: readonly (Pick<ExplainedPass, 'key' | 'inspection'> & { readonly id: string })[],
  { signerObject }: Backend,
): Promise<ReadonlyMap<string, StuckReason>> {
  const waiting = stuck.flatMap(({ id, key, inspection }) => {
    if (inspection?.step === undefined) return [];
    const { id: stepId, kind, rank } = inspection.step;
    const step: StuckStep = { id: stepId, gatekeeperNetwork: key.gatekeeperNetwork, kind, rank };
    return [{ id, signer: inspection.signer, step }];
  });
  const bySigner = Map.groupBy(waiting, ({ signer }) => signer);
  const reasons = [...bySigner].map(async ([signer, group]) => {
    const steps = group.map(({ step }) => step);
    const found = await callObject(async () => signerObject(signer).stuckReasons(steps), 'signer', signer);
    return group.map(({ id }, index) => [id, found?.[index] ?? progress('signer-unanswered')] as const);
  });
  return new Map((await Promise.all(reasons)).flat());
}

/** Returns the key of the pass that the operator names at `pointer` of a body. */
export function passKeyOf(
  { gatekeeperNetwork, chain, network, walletAddress }: FullNames,
  pointer: string,
  { networks }: Config,
): PassKey | Refusal {
  const row = findNetwork(networks, chain, network);
  if (row === undefined) {
    const detail = withCharacter('must be a network of the chain', network, IN_NAMES);
    const errors = [{ pointer: `${pointer}/network`, detail }];
    return refuse('unknown_network', { errors });
  }
  const wallet = canonicalWallet(row.chain, walletAddress);
  if (wallet === undefined) return refuseWallet(`${pointer}/walletAddress`, walletFault(row.chain, walletAddress));
  return { gatekeeperNetwork, chain: row.chain, network, wallet };
}

export const passLookUpRoutes = [lookUpPass];
