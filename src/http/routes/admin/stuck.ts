import { formatCursor } from '../../../lib/cursor.ts';
import type { Backend } from '../../../operations/backend.ts';
import { callObject } from '../../../operations/call-object.ts';
import { progress, type StuckReason } from '../../../pass/wait-reasons.ts';
import type { Inspection } from '../../../pass-object/results.ts';
import type { StuckStep } from '../../../signer-object/operator.ts';
import type { Unsettled } from '../../../store/unsettled.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { StuckQuery } from '../../schemas/admin-requests.ts';

export const listStuckPasses = adminRoute({
  operationId: 'listStuckPasses',
  method: 'GET',
  path: '/admin/stuck',
  scope: 'admin',
  query: StuckQuery,
  async handle({ query: { olderThan, limit, after }, ...backend }) {
    const before = Math.floor(Date.now() / 1000) - olderThan;
    const { passes: rows, unread } = await backend.store.findUnsettled({ before, limit, after });
    const inspected = await Promise.all(rows.map((row) => inspectPass(row, backend)));
    // A pass that has settled meanwhile removes itself from the list soon.
    const stuck = inspected.filter(({ inspection }) => inspection?.isSettled !== true);
    const reasons = await readReasons(stuck, backend);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last === undefined ? null : formatCursor({ at: last.since, id: last.id });
    const unreadShards = unread.length > 0 ? unread : undefined;
    return reply(200, JSON.stringify({ stuck: stuck.map((each) => toJson(each, reasons)), next, unreadShards }));
  },
});

interface InspectedPass {
  readonly row: Unsettled;
  readonly inspection: Inspection | undefined;
}

async function inspectPass(row: Unsettled, { passObject }: Backend): Promise<InspectedPass> {
  return { row, inspection: await callObject(async () => passObject(row.key).inspect(), 'pass', row.id) };
}

/** Returns the reason of each pass that waits for a step, by pass id. A signer that does not answer affects no other. */
async function readReasons(
  stuck: readonly InspectedPass[],
  { signerObject }: Backend,
): Promise<ReadonlyMap<string, StuckReason>> {
  const waiting = stuck.flatMap(({ row: { id, key }, inspection }) => {
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

function toJson({ row, inspection }: InspectedPass, reasons: ReadonlyMap<string, StuckReason>) {
  const { gatekeeperNetwork, chain, network, wallet } = row.key;
  const { code, text } =
    inspection === undefined ? progress('object-unreachable') : (reasons.get(row.id) ?? progress('not-begun'));
  return {
    pass: { id: row.id, gatekeeperNetwork, chain: { type: chain, network }, walletAddress: wallet },
    since: row.since,
    step: inspection?.step && { id: inspection.step.id, kind: inspection.step.kind },
    tries: inspection?.tries,
    code,
    reason: text,
  };
}
