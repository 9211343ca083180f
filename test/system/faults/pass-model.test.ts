import { expect, it } from 'vitest';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import { PassModel, type Wish } from './pass-model.ts';

/** The model finds what is wrong, and leaves open what nobody knows. */

const ISSUE: Wish = { to: 'issue' };
const FREEZE: Wish = { to: 'change', state: 'FROZEN' };

const record = (state: string, id = 'id') => ({ id, state }) as PassRecord;

function anActivePass(): PassModel {
  const model = new PassModel();
  expect(model.granted(ISSUE, record('REQUESTED'))).toBeUndefined();
  return model;
}

it('believes what was granted', () => {
  const model = anActivePass();
  expect(model.granted(FREEZE, record('FROZEN'))).toBeUndefined();
  expect(model.beliefs).toEqual([{ state: 'FROZEN' }]);
  expect(model.seen(record('FROZEN'))).toBeUndefined();
});

it('believes both where no answer came, until one tells', () => {
  const model = anActivePass();
  model.unanswered(FREEZE);
  expect(model.seen(record('ACTIVE'))).toBeUndefined();
  expect(model.seen(record('FROZEN'))).toBeUndefined();
  expect(model.refused(ISSUE, 'pass_frozen')).toBeUndefined();
  expect(model.seen(record('ACTIVE'))).toMatch(/ACTIVE/);
});

it.each<[why: string, tell: (model: PassModel) => string | undefined]>([
  ['another state', (model) => model.seen(record('FROZEN'))],
  ['another expiry', (model) => model.seen({ ...record('ACTIVE'), expiryTimestamp: 1 })],
  ['another id', (model) => model.granted(ISSUE, record('ACTIVE', 'another'))],
  ['no pass', (model) => model.seen(undefined)],
  ['a refusal without a reason', (model) => model.refused(FREEZE, 'pass_revoked')],
  ['a wish that was not heard', (model) => model.granted(FREEZE, record('ACTIVE'))],
])('is contradicted by %s, and says so once', (_, tell) => {
  const model = anActivePass();
  expect(tell(model)).toMatch(/should be ACTIVE until undefined \(id\)$/);
  expect(tell(model)).toBeUndefined();
});
