import { describe, expect, it } from 'vitest';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { type ChangeRequest, PassModel } from './pass-model.ts';

const ISSUE: ChangeRequest = { to: 'issue' };
const FREEZE: ChangeRequest = { to: 'change', state: 'FROZEN' };

const record = (state: string, id = 'id') => ({ id, state }) as PassRecord;

function anActivePass(): PassModel {
  const model = new PassModel();
  expect(model.checkAccepted(ISSUE, record('REQUESTED'))).toBeUndefined();
  return model;
}

describe('PassModel', () => {
  it('the model expects the state that the accepted requests lead to', () => {
    const model = anActivePass();
    expect(model.checkAccepted(FREEZE, record('FROZEN'))).toBeUndefined();
    expect(model.candidates).toEqual([{ state: 'FROZEN' }]);
    expect(model.checkRead(record('FROZEN'))).toBeUndefined();
  });

  it('the model allows both outcomes of a request without an answer, until an answer excludes one', () => {
    const model = anActivePass();
    model.addUnanswered(FREEZE);
    expect(model.checkRead(record('ACTIVE'))).toBeUndefined();
    expect(model.checkRead(record('FROZEN'))).toBeUndefined();
    expect(model.checkRefused(ISSUE, 'pass_frozen')).toBeUndefined();
    expect(model.checkRead(record('ACTIVE'))).toMatch(/ACTIVE/);
  });

  it.each<[answer: string, check: (model: PassModel) => string | undefined]>([
    ['another state', (model) => model.checkRead(record('FROZEN'))],
    ['another expiry', (model) => model.checkRead({ ...record('ACTIVE'), expiryTimestamp: 1 })],
    ['another id', (model) => model.checkAccepted(ISSUE, record('ACTIVE', 'another'))],
    ['no pass', (model) => model.checkRead(undefined)],
    ['a refusal that the state does not justify', (model) => model.checkRefused(FREEZE, 'pass_revoked')],
    ['a record without the accepted change', (model) => model.checkAccepted(FREEZE, record('ACTIVE'))],
  ])('the model reports %s as a contradiction, once', (_, check) => {
    const model = anActivePass();
    expect(check(model)).toMatch(/should be ACTIVE until undefined \(id\)$/);
    expect(check(model)).toBeUndefined();
  });
});
