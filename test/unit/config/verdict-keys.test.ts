import { describe, expect, it } from 'vitest';
import { activeVerdictKey } from '../../../src/config/gatekeeper.ts';
import { aConfig, aDeployment, anEnvironment, GATEKEEPER, KEY, refusalOf } from './environments.ts';

/** The key that signs verdicts, and the public history of such keys. */

const OWN = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const ARN = 'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const CREDENTIALS = '{"aws": {"accessKeyId": "AKIAEXAMPLE1", "secretAccessKey": "secret"}}';
const historyOf = (...period: readonly number[]) => JSON.stringify({ [ADDRESS]: period });

it('signs while the history has it and does not say that it has ended', () => {
  const keys = (VERDICT_KEYS: string) => aConfig({ VERDICT_KEY: OWN, VERDICT_KEYS }).verdictKeys;
  expect(activeVerdictKey(keys(historyOf(5)))).toMatchObject({ address: ADDRESS });
  expect(activeVerdictKey(keys(historyOf(5, 6)))).toBeUndefined();
  expect(activeVerdictKey(keys('{}'))).toBeUndefined();
  expect(activeVerdictKey(aConfig({ VERDICT_KEYS: historyOf(5) }).verdictKeys)).toBeUndefined();
  expect(aConfig().verdictKeys).toEqual({ key: undefined, history: [] });
});

it('signs nothing if it is named as compromised like a gatekeeper, which must not stop the service', () => {
  const named = { VERDICT_KEY: OWN, VERDICT_KEYS: historyOf(5), COMPROMISED_GATEKEEPERS: ADDRESS };
  expect(activeVerdictKey(aConfig(named).verdictKeys)).toBeUndefined();
});

it('may be in a KMS', () => {
  const { key } = aConfig({ VERDICT_KEY: `${ARN}#${ADDRESS}`, KMS_CREDENTIALS: CREDENTIALS }).verdictKeys;
  expect(key).toMatchObject({ address: ADDRESS, kms: { vendor: 'aws-kms' } });
});

it('keeps the order of the history, with checksums', () => {
  const VERDICT_KEYS = `{"${ADDRESS.toLowerCase()}": [1, 2], "${GATEKEEPER}": [2]}`;
  expect(aConfig({ VERDICT_KEYS }).verdictKeys.history).toEqual([
    { address: ADDRESS, from: 1, until: 2 },
    { address: GATEKEEPER, from: 2, until: undefined },
  ]);
});

describe('a wrong variable is refused without its value', () => {
  it.each([
    ['VERDICT_KEY', '0x12', 'must be a private key: 32 bytes in hex'],
    ['VERDICT_KEY', `${OWN} ${KEY}`, 'must be one key'],
    ['VERDICT_KEY', 'aws-kms:alias/x', 'must be a reference like'],
    ['VERDICT_KEY', `${ARN}#${ADDRESS}`, 'has a key of aws-kms, so KMS_CREDENTIALS must have "aws"'],
    ['VERDICT_KEYS', '[', 'must be JSON'],
    ['VERDICT_KEYS', '[[1]]', 'must be JSON like'],
    ['VERDICT_KEYS', '{"0x12": [1]}', 'must be JSON like'],
    ['VERDICT_KEYS', historyOf(), 'must be JSON like'],
    ['VERDICT_KEYS', historyOf(1, 2, 3), 'must be JSON like'],
    ['VERDICT_KEYS', historyOf(1.5), 'must be JSON like'],
    ['VERDICT_KEYS', historyOf(0), 'must be JSON like'],
  ])('%s=%s', (variable, value, complaint) => {
    const refusal = refusalOf(anEnvironment({ [variable]: value }));
    expect(refusal.variable).toBe(variable);
    expect(refusal.message).toContain(complaint);
    if (variable === 'VERDICT_KEY') expect(refusal.message).not.toContain(value);
  });

  it('VERDICT_KEY is the key of a gatekeeper', () => {
    const refusal = refusalOf(anEnvironment({ VERDICT_KEY: KEY, ETHEREUM_GATEKEEPER_KEY: KEY }));
    expect(refusal.message).toBe('VERDICT_KEY must not be the key of a gatekeeper');
  });

  it('VERDICT_KEY is published, in a deployment', () => {
    expect(refusalOf(aDeployment({ VERDICT_KEY: KEY })).message).toContain(
      'VERDICT_KEY must not be a publicly known key',
    );
  });
});
