import { nowSeconds } from '../lib/time.ts';
import { callObject } from '../message/call-object.ts';
import type { Backend } from '../operations/backend.ts';
import { endOfPass } from '../pass/end-of-pass.ts';
import type { PassKey } from '../pass/pass.ts';
import type { PassRecord } from '../pass/record.ts';
import { type EndCode, progress, type StuckReason } from '../pass/wait-reasons.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { StuckStep } from '../signer-object/operator.ts';
import type { PublishedRow } from '../store/passes.ts';
import type { AskedWallet } from '../store/rows-of-wallet.ts';

/** The passes of a wallet on a network, each with the reason why it is or is not ACTIVE. */

/** A pass of the wallet. */
export interface ExplainedPass {
  readonly key: PassKey;
  /** As the pass object has it; as the read model shows it if the object does not answer; undefined: neither answers. */
  readonly record: PassRecord | undefined;
  /** Undefined: the pass object does not answer, or has no pass. */
  readonly inspection: Inspection | undefined;
  /** Why the pass waits, or how it ended. */
  readonly reason: StuckReason | { readonly code: EndCode; readonly text: string };
  readonly readModel: 'current' | 'behind' | 'missing' | 'unread';
}

interface LookUp {
  readonly passes: readonly ExplainedPass[];
  /** Names of the databases that did not answer. */
  readonly unread: readonly string[];
}

/** Looks up a wallet. It needs no database if the gatekeeper network is given. */
export async function lookUpWallet(wallet: AskedWallet, backend: Backend): Promise<LookUp> {
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

/** A pass, as its object shows it; undefined: the object does not answer. */
interface InspectedPass {
  readonly key: PassKey;
  readonly id: string;
  readonly inspection: Inspection | undefined;
}

/** Returns the reason of each pass that waits for a step, by pass id. A signer that does not answer affects no other. */
export async function readReasons(
  stuck: readonly InspectedPass[],
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
