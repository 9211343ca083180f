import type { InferOutput } from 'valibot';
import { takesAccessAway } from '../../pass/step-kinds.ts';
import type { SubjectRequest } from '../../subject-object/subject.ts';
import { EXPIRY_PASSED, showPass } from '../pass/pass-requests.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { reply } from '../protocol/reply.ts';
import { type AuditedReply, type Context, route } from '../route.ts';
import { RulesBody, SubjectBody, SubjectPath, SubjectQuery } from '../schemas/managing.ts';
import { RevokeQuery } from '../schemas/requests.ts';

const OF_SUBJECT = { path: '/subjects/:subject', params: SubjectPath } as const;

const getSubject = route({
  operationId: 'getSubject',
  method: 'GET',
  ...OF_SUBJECT,
  scope: 'search',
  query: SubjectQuery,
  // It counts all passes of the subject.
  readsMany: () => true,
  async handle({ params: { subject }, query: { after, limit }, partner, bookmark, backend }) {
    const { gatekeeperNetwork } = partner;
    const { store } = backend;
    const [known, { found, bookmark: seen }, counts] = await Promise.all([
      backend.subjectObject(gatekeeperNetwork, subject).read(),
      store.searchPasses(partner, { gatekeeperNetwork, subject, after, limit, skip: 0 }, bookmark),
      store.countStates(partner, { gatekeeperNetwork, subject }, bookmark),
    ]);
    if (known === undefined) return refuse('subject_not_found');
    const now = await backend.timeOf(gatekeeperNetwork);
    const records = found.passes.map((pass) => showPass(pass, now).body);
    const head = JSON.stringify({ subject, ...known, passes: counts.found, next: found.next });
    return reply(200, `${head.slice(0, -1)},"records":[${records.join()}]}`, undefined, seen);
  },
});

/** Accepts a change of all passes of a subject, which follow soon. */
async function changeSubject(
  { params: { subject }, partner, actor, requestId, backend }: Context<{ readonly subject: string }, unknown, unknown>,
  { state, expiryTimestamp: expiry, reason }: InferOutput<typeof SubjectBody>,
): Promise<AuditedReply | Refusal> {
  const { gatekeeperNetwork, clientId: client, rules, dailyChanges: daily } = partner;
  if (expiry !== undefined && expiry <= (await backend.timeOf(gatekeeperNetwork))) return EXPIRY_PASSED;
  const quota = daily === undefined ? undefined : { clientId: client, daily };
  const request: SubjectRequest = { state, expiry, client, by: { actor, requestId, reason }, rules, quota };
  const changed = await backend.subjectObject(gatekeeperNetwork, subject).change(request);
  if (changed === undefined) return refuse('subject_not_found');
  if ('reason' in changed) return refuse(changed.reason);
  const { isRepeated, ...view } = changed;
  const answer = reply(202, JSON.stringify({ subject, ...view }));
  return isRepeated
    ? answer
    : { ...answer, audit: { after: { state, expiryTimestamp: expiry }, counts: { passes: view.passes } } };
}

const updateSubject = route({
  operationId: 'updateSubject',
  method: 'PATCH',
  ...OF_SUBJECT,
  scope: 'update',
  action: 'subject.change',
  isLoss: ({ body }) => takesAccessAway(body),
  body: SubjectBody,
  handle: (context) => changeSubject(context, context.body),
});

const revokeSubject = route({
  operationId: 'revokeSubject',
  method: 'DELETE',
  ...OF_SUBJECT,
  scope: 'update',
  action: 'subject.revoke',
  isLoss: () => true,
  query: RevokeQuery,
  handle: (context) => changeSubject(context, { state: 'REVOKED', reason: context.query.reason }),
});

const getRules = route({
  operationId: 'getRules',
  method: 'GET',
  path: '/rules',
  scope: 'search',
  async handle({ partner: { gatekeeperNetwork }, backend: { store } }) {
    return reply(200, JSON.stringify(await store.findRules(gatekeeperNetwork)));
  },
});

const changeRules = route({
  operationId: 'changeRules',
  method: 'PATCH',
  path: '/rules',
  scope: 'rules',
  action: 'rules.change',
  body: RulesBody,
  async handle({ body: { reason: _, ...change }, partner: { gatekeeperNetwork }, backend: { store } }) {
    const changed = await store.changeRules(gatekeeperNetwork, change);
    if (changed === undefined) return refuse('client_unknown');
    const [before, after] = [changed.before.rules, changed.after.rules];
    return { ...reply(200, JSON.stringify(after)), audit: { before, after } };
  },
});

export const subjectRoutes = [getSubject, updateSubject, revokeSubject, getRules, changeRules];
