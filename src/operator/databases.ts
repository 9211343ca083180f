import { type FieldError, type Refusal, refuse, refuseField, refuseUnavailable } from '../http/protocol/problem.ts';
import { reply } from '../http/protocol/reply.ts';
import { acts, adminRoute, reads } from '../http/route.ts';
import { nowSeconds } from '../lib/units.ts';
import { callObject } from '../message/call-object.ts';
import type { Backend } from '../operations/backend.ts';
import type { Move, MoveRefusal } from '../store/moves.ts';
import type { Run } from '../store/runs.ts';
import type { RestoredPass } from '../store/unsettled.ts';
import { AcceptBody, MoveBody, RebuildBody } from './requests.ts';
import { withSecondPerson } from './second-person.ts';

const getReconciliation = adminRoute({
  ...reads('getReconciliation', '/admin/reconciliation'),
  async handle({ store }) {
    const [run, rebuilds] = await Promise.all([store.lastRun(), store.findRuns('rebuild')]);
    const held = run === undefined ? [] : await store.heldAbsences(run.run);
    return reply(
      200,
      JSON.stringify({ run: run === undefined ? null : toJson(run, held), rebuilds: rebuilds.map(rebuildToJson) }),
    );
  },
});

const acceptReconciliation = adminRoute({
  ...acts('acceptReconciliation', '/admin/reconciliation', 'operator.accept_losses'),
  body: AcceptBody,
  async handle({ body, store, ...rest }) {
    const { accept } = body;
    const run = (await store.lastRun())?.run ?? 0;
    const absent = async () => {
      const held = await store.heldAbsences(run);
      return held.find(
        ({ gatekeeperNetwork, network }) =>
          gatekeeperNetwork === accept.gatekeeperNetwork && network === accept.network,
      )?.absent;
    };
    return withSecondPerson(
      { body, ...rest },
      {
        kind: 'accept_losses',
        slice: Number.MAX_SAFE_INTEGER,
        count: async () => (await absent()) ?? NOT_HELD,
        async run() {
          if (!(await store.acceptAbsences(run, accept))) return NOT_HELD;
          return { done: 0, hasMore: false, reply: reply(200, JSON.stringify({ accepted: accept })) };
        },
      },
    );
  },
});

const NOT_HELD = refuse('not_found', {
  detail: 'No losses are held there. GET /admin/reconciliation lists the losses that are held.',
});

function toJson({ started, finished, updated: night, slices, counts }: Run, held: readonly object[]) {
  return { started, finished, night, slices, counts, held };
}

function rebuildToJson({ subject: shard, started, finished, updated, position, counts }: Run) {
  const { objects = 0, passes = 0, elsewhere = 0, empty = 0 } = counts;
  return { shard, started, finished, updated, position, objects, passes, elsewhere, empty };
}

const rebuild = adminRoute({
  ...acts('rebuild', '/admin/rebuild', 'operator.rebuild'),
  body: RebuildBody,
  async handle({ body, ...backend }) {
    const errors = errorsIn(body, backend);
    if (errors.length > 0) return refuse('invalid_request', { errors });
    return reply(200, JSON.stringify(await rebuildSlice(body, backend)));
  },
});

const NO_SHARD = 'must be the binding name of a database';

function errorsIn({ shard, objects }: RebuildBody, { store, isPassObjectId }: Backend): FieldError[] {
  const detail = 'must be the id of a pass object of this service';
  return [
    ...(store.hasShard(shard) ? [] : [{ pointer: '/shard', detail: NO_SHARD }]),
    ...objects.flatMap((id, index) => (isPassObjectId(id) ? [] : [{ pointer: `/objects/${index}`, detail }])),
  ];
}

const listMoves = adminRoute({
  ...reads('listMoves', '/admin/moves'),
  async handle({ store }) {
    const moves = await store.findMoves();
    return reply(200, JSON.stringify({ moves: moves.map(({ to, ...move }) => moveToJson(move, to)) }));
  },
});

const moveNetwork = adminRoute({
  ...acts('moveNetwork', '/admin/moves', 'operator.move_network'),
  body: MoveBody,
  async handle({ body, store }) {
    const refuseTo = (detail: string) => refuseField('/to', detail);
    if (!store.hasShard(body.to)) return refuseTo(NO_SHARD);
    const moved = await store.moveNetwork(body);
    if (typeof moved === 'string') return MOVE_REFUSALS[moved](refuseTo);
    const { phase, passes, events } = moved;
    return {
      ...reply(200, JSON.stringify(moveToJson(moved, body.to))),
      audit: { after: { phase }, counts: { passes, events } },
    };
  },
});

const MOVE_REFUSALS: Readonly<Record<MoveRefusal, (refuseTo: (detail: string) => Refusal) => Refusal>> = {
  unknown: () => refuse('gatekeeper_network_not_found'),
  elsewhere: (refuseTo) => refuseTo('another move of the gatekeeper network has not ended'),
  idle: (refuseTo) => refuseTo('the gatekeeper network does not move to this database'),
  rebuilt: (refuseTo) =>
    refuseTo('the rebuild of the database that the gatekeeper network leaves or reaches has not ended'),
  full: () =>
    refuseUnavailable(60, 'The database has no room for more passes. Cancel the move, and move to another database.'),
};

function moveToJson({ gatekeeper_network, shard, phase, passes, events, started, updated }: Move, to: string) {
  return { gatekeeperNetwork: gatekeeper_network, from: shard, to, phase, passes, events, started, updated };
}

export const databaseRoutes = [getReconciliation, rebuild, acceptReconciliation, listMoves, moveNetwork];

/**
 * Writes the rows of those pass objects that belong to the shard. The version guard keeps newer rows, so a slice may arrive
 * twice, late, or at the same time as others. `unreachable`: ids of the objects that did not answer, to send again. Throws if the database
 * does not answer.
 */
export async function rebuildSlice(slice: Omit<RebuildBody, 'reason'>, backend: Backend) {
  const { shard, objects, start = false, position } = slice;
  const { store } = backend;
  await store.beginRebuild(shard, start);
  const answers = await readPasses(objects, backend);
  const passes = answers.flatMap(({ id, pass }) => (pass === undefined ? [] : [{ id, pass }]));
  const inShard = await store.passesIn(
    shard,
    passes.map(({ pass }) => pass.publication),
  );
  const here = passes.filter(({ pass }) => inShard.includes(pass.publication));
  const unread = await restore(here, shard, backend);
  const answered = answers.filter(({ id }) => !unread.includes(id));
  const counts = {
    objects: answered.length,
    passes: here.length - unread.length,
    elsewhere: passes.length - here.length,
    empty: answers.length - passes.length,
  };
  await store.advanceRebuild(shard, { counts, position, finished: position === null ? nowSeconds() : undefined });
  const ids = new Set(answered.map(({ id }) => id));
  return { ...counts, unreachable: objects.filter((id) => !ids.has(id)) };
}

/** A pass, with the id of its object. Undefined: the object has none. */
interface ReadPass<P = RestoredPass> {
  readonly id: string;
  readonly pass: P;
}

/**
 * Writes the rows of these passes. A pass on the operator's list may settle and leave the list before its entry is written
 * here, so this reads listed passes again until they match the written rows. Returns the ids of objects that did not answer the
 * second reading.
 */
async function restore(passes: readonly ReadPass[], shard: string, backend: Backend): Promise<string[]> {
  await backend.store.restoreRows(
    shard,
    passes.map(({ pass }) => pass),
  );
  const listed = new Map(
    passes.flatMap(({ id, pass }) => (pass.listedSince === undefined ? [] : [[id, pass.listedSince]])),
  );
  if (listed.size === 0) return [];
  const answers = await readPasses([...listed.keys()], backend);
  const changed = answers.flatMap(({ id, pass }) =>
    pass === undefined || pass.listedSince === listed.get(id) ? [] : [{ id, pass }],
  );
  const answered = new Set(answers.map(({ id }) => id));
  const unread = [...listed.keys()].filter((id) => !answered.has(id));
  return changed.length === 0 ? unread : [...unread, ...(await restore(changed, shard, backend))];
}

/** Returns the passes of these objects, without the objects that do not answer. */
async function readPasses(ids: readonly string[], { passObjectWithId }: Backend) {
  const read = async (id: string): Promise<ReadPass<RestoredPass | undefined>> => ({
    id,
    pass: await passObjectWithId(id).readForRebuild(),
  });
  const answers = await Promise.all(ids.map((id) => callObject(() => read(id), 'pass', id)));
  return answers.filter((answer) => answer !== undefined);
}
