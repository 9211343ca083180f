import type { InferOutput } from 'valibot';
import type { Partner } from '../../store/partners.ts';
import { EXPIRY_PASSED, showPass } from '../pass/pass-requests.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { type Reply, reply } from '../protocol/reply.ts';
import type { AuditedReply, Context } from '../route.ts';
import type { RulesBody, SubjectBody, SubjectPath, SubjectQuery } from '../schemas/requests.ts';

/** The requests of partners for a subject, and for the rules of subjects. */

type Asked<Query = unknown, Body = unknown> = Context<InferOutput<typeof SubjectPath>, Query, Body>;

/** Replies with the state of a subject, the progress of its newest changes, and a page of its passes. */
export async function replySubject({
  params: { subject },
  query: { after, limit },
  partner,
  bookmark,
  backend,
}: Asked<InferOutput<typeof SubjectQuery>>): Promise<Reply | Refusal> {
  const { gatekeeperNetwork } = partner;
  const { store } = backend;
  const search = { gatekeeperNetwork, subject, after, limit, skip: 0 };
  const [known, { found, bookmark: seen }, counts] = await Promise.all([
    backend.subjectObject(gatekeeperNetwork, subject).read(),
    store.searchPasses(partner, search, bookmark),
    store.countStates(partner, { gatekeeperNetwork, subject }, bookmark),
  ]);
  if (known === undefined) return refuse('subject_not_found');
  const now = await backend.timeOf(gatekeeperNetwork);
  const records = found.passes.map((pass) => showPass(pass, now).body);
  const { state, requests } = known;
  const head = JSON.stringify({ subject, state, passes: counts.found, requests, next: found.next });
  return reply(200, `${head.slice(0, -1)},"records":[${records.join()}]}`, undefined, seen);
}

/** Accepts a change of all passes of a subject, which follow soon. */
export async function changeSubject(
  { params: { subject }, partner, actor, requestId, backend }: Asked,
  { state, expiryTimestamp: expiry, reason }: InferOutput<typeof SubjectBody>,
): Promise<AuditedReply | Refusal> {
  const { gatekeeperNetwork, clientId: client, rules } = partner;
  if (expiry !== undefined && expiry <= (await backend.timeOf(gatekeeperNetwork))) return EXPIRY_PASSED;
  const change = { state, expiry, client, by: { actor, requestId, reason }, rules, quota: quotaOf(partner) };
  const changed = await backend.subjectObject(gatekeeperNetwork, subject).change(change);
  if (changed === undefined) return refuse('subject_not_found');
  if ('type' in changed) return refuse(changed.reason);
  const { passes } = changed;
  const audit = { after: { state, expiryTimestamp: expiry }, counts: { passes } };
  return {
    ...reply(202, JSON.stringify({ subject, state: changed.state, passes, requests: changed.requests })),
    audit,
  };
}

const quotaOf = ({ clientId, dailyChanges: daily }: Partner) => (daily === undefined ? undefined : { clientId, daily });

/** Changes the rules of the gatekeeper network. */
export async function changeRules({
  body: { reason: _, ...change },
  partner: { gatekeeperNetwork },
  backend: { store },
}: Context<unknown, unknown, InferOutput<typeof RulesBody>>): Promise<AuditedReply | Refusal> {
  const changed = await store.changeRules(gatekeeperNetwork, change);
  if (changed === undefined) return refuse('client_unknown');
  const [before, after] = [changed.before.rules, changed.after.rules];
  return { ...reply(200, JSON.stringify(after)), audit: { before, after } };
}
