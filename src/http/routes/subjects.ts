import { onDemand } from '../../lib/on-demand.ts';
import { route } from '../route.ts';
import { RevokeQuery, RulesBody, SubjectBody, SubjectPath, SubjectQuery } from '../schemas/requests.ts';

// A pass without a subject needs none of this.
const requests = onDemand(() => import('./subject-requests.ts'));

const OF_SUBJECT = { path: '/subjects/:subject', params: SubjectPath } as const;

const getSubject = route({
  operationId: 'getSubject',
  method: 'GET',
  ...OF_SUBJECT,
  scope: 'search',
  query: SubjectQuery,
  // It counts all passes of the subject.
  readsMany: () => true,
  handle: requests('replySubject'),
});

const updateSubject = route({
  operationId: 'updateSubject',
  method: 'PATCH',
  ...OF_SUBJECT,
  scope: 'update',
  action: 'subject.change',
  body: SubjectBody,
  handle: (context) => requests('changeSubject')(context, context.body),
});

const revokeSubject = route({
  operationId: 'revokeSubject',
  method: 'DELETE',
  ...OF_SUBJECT,
  scope: 'update',
  action: 'subject.revoke',
  query: RevokeQuery,
  handle: (context) => requests('changeSubject')(context, { state: 'REVOKED', reason: context.query.reason }),
});

const getRules = route({
  operationId: 'getRules',
  method: 'GET',
  path: '/rules',
  scope: 'search',
  async handle({ partner: { gatekeeperNetwork }, backend: { store } }) {
    return { status: 200, body: JSON.stringify(await store.findRules(gatekeeperNetwork)) };
  },
});

const changeRules = route({
  operationId: 'changeRules',
  method: 'PATCH',
  path: '/rules',
  scope: 'rules',
  action: 'rules.change',
  body: RulesBody,
  handle: requests('changeRules'),
});

export const subjectRoutes = [getSubject, updateSubject, revokeSubject, getRules, changeRules];
