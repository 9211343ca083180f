import { formatCursor } from '../../../lib/cursor.ts';
import { passName } from '../../../pass/pass.ts';
import type { Inspection } from '../../../pass-object/pass-object.ts';
import type { StuckStep } from '../../../signer-object/stuck-reason.ts';
import { findUnsettled, type Unsettled } from '../../../store/unsettled.ts';
import { callObject } from '../../call-object.ts';
import { adminRoute, reply } from '../../route.ts';
import { StuckPasses } from '../../schemas/admin-replies.ts';
import { StuckQuery } from '../../schemas/admin-requests.ts';

export const showStuck = adminRoute({
  operationId: 'listStuckPasses',
  method: 'GET',
  path: '/admin/stuck',
  scope: 'admin',
  summary: 'Passes that have not been settled for so long, the oldest first, and why',
  description: 'A pass shows once its own alarm found it unsettled, and until it is settled.',
  replies: { 200: { description: 'Passes that are stuck.', body: StuckPasses } },
  query: StuckQuery,
  async handle({ query: { olderThan, limit, after }, env }) {
    const before = Math.floor(Date.now() / 1000) - olderThan;
    const rows = await findUnsettled(env.DB, { before, limit, after });
    const looked = await Promise.all(rows.map((row) => look(row, env)));
    // What was settled since then is taken from the list by its pass in a moment.
    const stuck = looked.filter(({ inspected }) => inspected?.isSettled !== true);
    const reasons = await reasonsOf(stuck, env);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last === undefined ? null : formatCursor({ at: last.since, id: last.id });
    return reply(200, JSON.stringify({ stuck: stuck.map((each) => shown(each, reasons)), next }));
  },
});

interface Looked {
  readonly row: Unsettled;
  readonly inspected: Inspection | undefined;
}

async function look(row: Unsettled, env: Env): Promise<Looked> {
  const inspected = await callObject(async () => env.PASSES.getByName(passName(row.key)).inspect(), 'pass', row.id);
  return { row, inspected };
}

/** Why each of these is not settled, by its id, as their signers say it. One that does not answer spoils no other. */
async function reasonsOf(stuck: readonly Looked[], env: Env): Promise<Map<string, string>> {
  const bySigner = Map.groupBy(
    stuck.filter(({ inspected }) => inspected?.step !== undefined),
    ({ inspected }) => inspected?.signer as string,
  );
  const asked = [...bySigner].map(async ([signer, group]) => {
    const steps = group.map(
      ({ row, inspected }): StuckStep => ({
        id: inspected?.step?.id as string,
        gatekeeperNetwork: row.key.gatekeeperNetwork,
      }),
    );
    const reasons = await callObject(async () => env.SIGNERS.getByName(signer).stuckReasons(steps), 'signer', signer);
    return group.map(({ row }, index) => [row.id, reasons?.[index] ?? 'its signer does not answer'] as const);
  });
  return new Map((await Promise.all(asked)).flat());
}

function shown({ row, inspected }: Looked, reasons: ReadonlyMap<string, string>) {
  const { gatekeeperNetwork, chain, network, wallet } = row.key;
  return {
    pass: { id: row.id, gatekeeperNetwork, chain: { type: chain, network }, walletAddress: wallet },
    since: row.since,
    step: inspected?.step,
    tries: inspected?.tries,
    reason: reasonFor(inspected, reasons.get(row.id)),
  };
}

function reasonFor(inspected: Inspection | undefined, reason: string | undefined): string {
  if (inspected === undefined) return 'its pass object cannot be reached';
  return reason ?? 'it has yet to begin its next step';
}
