import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/variable.ts';
import { KMS_GATEKEEPERS, KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { aConfig, aDeployment, GATEKEEPER, KEY, SOLANA_GATEKEEPER, SOLANA_PAIR } from './environments.ts';

/** References of keys in a KMS, beside secrets. */

const SECRET = 'wJalrXUtnFEMIplantedSecretKey';
const AWS = { accessKeyId: 'AKIAPLANTED0001', secretAccessKey: SECRET };
const PEM = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;
const GCP = {
  type: 'service_account',
  client_email: 'a@b.iam.gserviceaccount.com',
  private_key: PEM,
  private_key_id: 'k1',
};
const KMS_CREDENTIALS = JSON.stringify({ aws: AWS, gcp: GCP });
const { ethereum, solana } = KMS_REFERENCES;
const gatekeepers = (variables: object) => aConfig({ KMS_CREDENTIALS, ...variables }).gatekeepers;

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message, stack = '' } = error as ConfigError;
    for (const planted of [SECRET, KEY.slice(2, 20)]) expect(`${message}${stack}`).not.toContain(planted);
    return message;
  }
  throw new Error('it was accepted');
}

describe('a reference of a key in a KMS', () => {
  it('may be in any mix with secrets, and names the address without a call', () => {
    const found = gatekeepers({
      ETHEREUM_GATEKEEPER_KEY: `${ethereum.aws} ${KEY}\n${ethereum.gcp}`,
      SOLANA_GATEKEEPER_KEY: JSON.stringify({
        devnet: `${base58.encode(SOLANA_PAIR)} ${solana.aws}`,
        'mainnet-beta': solana.gcp,
      }),
    });
    const { aws, gcp } = KMS_GATEKEEPERS.ethereum;
    expect(found.ethereum.map(({ address, kms }) => [address, kms?.vendor])).toEqual([
      [aws, 'aws-kms'],
      [GATEKEEPER, undefined],
      [gcp, 'gcp-kms'],
    ]);
    expect(found.solana.map(({ address, network }) => [address, network])).toEqual([
      [KMS_GATEKEEPERS.solana.gcp, 'mainnet-beta'],
      [SOLANA_GATEKEEPER, 'devnet'],
      [KMS_GATEKEEPERS.solana.aws, 'devnet'],
    ]);
    expect(() => found.ethereum[0]?.key()).toThrow('a KMS holds this key');
  });

  it('is retired by its address, and needs no credentials when it is compromised', () => {
    const both = { ETHEREUM_GATEKEEPER_KEY: `${KEY} ${ethereum.aws}` };
    const { aws } = KMS_GATEKEEPERS.ethereum;
    expect(gatekeepers({ ...both, RETIRED_GATEKEEPERS: aws }).ethereum[1]).toMatchObject({ retired: true });
    const [, leaked] = gatekeepers({ ...both, COMPROMISED_GATEKEEPERS: aws, KMS_CREDENTIALS: '' }).ethereum;
    expect(leaked).toMatchObject({ address: aws, compromised: true });
    expect(leaked).not.toHaveProperty('kms');
  });

  const [name, address] = ethereum.aws.split('#') as [string, string];
  it.each([
    ['it has no address', name, /address of the key after #.*npm run key/],
    ['its address is empty', `${name}#`, /address of the key after #/],
    ['the address is one of Solana', `${name}#${KMS_GATEKEEPERS.solana.aws}`, /address of the key after #/],
    ['the checksum of the address is wrong', `${name}#${address.replace('F', 'f')}`, /address of the key after #/],
    ['it names an alias', `aws-kms:arn:aws:kms:eu-west-1:111122223333:alias/gatepass#${address}`, /reference like/],
    ['it names no version', `gcp-kms:projects/p/locations/l/keyRings/r/cryptoKeys/k#${address}`, /reference like/],
    [
      'its name leaves the project',
      `gcp-kms:projects/../locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1#${address}`,
      /reference like/,
    ],
    ['the colon is missing', `aws-kms-arn#${address}`, /reference like/],
    ['the variable has it twice', `${ethereum.aws} ${ethereum.aws}`, /must not occur twice/],
    ['another address has the same key', `${ethereum.aws} ${name}#${GATEKEEPER}`, /not name a key of a KMS twice/],
    ['both vendors hold its key', `${ethereum.aws} ${ethereum.gcp.split('#')[0]}#${address}`, /must not occur twice/],
    ['the variable has the secret of its address', `${KEY} ${name}#${GATEKEEPER}`, /must not occur twice/],
  ])('is refused if %s', (_, keys, message) => {
    expect(refusalOf(() => gatekeepers({ ETHEREUM_GATEKEEPER_KEY: keys }))).toMatch(message);
  });

  it.each(['RETIRED_GATEKEEPERS', 'COMPROMISED_GATEKEEPERS'])('is no address in %s', (variable) => {
    expect(refusalOf(() => gatekeepers({ [variable]: ethereum.aws }))).toMatch(/^\w+ must be addresses of gatekeepers/);
  });

  it.each([
    [ethereum.aws, JSON.stringify({ gcp: GCP }), 'aws'],
    [ethereum.gcp, JSON.stringify({ aws: AWS }), 'gcp'],
    [ethereum.aws, '', 'aws'],
  ])('%s with the credentials %s needs those of %s', (reference, credentials, vendor) => {
    const variables = { ETHEREUM_GATEKEEPER_KEY: reference, KMS_CREDENTIALS: credentials };
    expect(refusalOf(() => gatekeepers(variables))).toContain(`KMS_CREDENTIALS must have "${vendor}"`);
  });
});

describe('KMS_CREDENTIALS', () => {
  it.each([
    ['no JSON', SECRET],
    ['another vendor', JSON.stringify({ azure: { key: SECRET } })],
    ['an unknown field of AWS', JSON.stringify({ aws: { ...AWS, secret: SECRET } })],
    ['no access key', JSON.stringify({ aws: { secretAccessKey: SECRET } })],
    ['an empty secret', JSON.stringify({ aws: { ...AWS, secretAccessKey: '' } })],
    ['a line break in the secret', JSON.stringify({ aws: { ...AWS, secretAccessKey: `${SECRET}\nx-evil: 1` } })],
    ['no private key', JSON.stringify({ gcp: { ...GCP, private_key: SECRET } })],
    ['no key id', JSON.stringify({ gcp: { ...GCP, private_key_id: undefined } })],
    ['an endpoint with a query', JSON.stringify({ aws: { ...AWS, endpoint: `https://kms.acme.io/?${SECRET}` } })],
  ])('is refused with %s, and no part of it is shown', (_, credentials) => {
    expect(refusalOf(() => aConfig({ KMS_CREDENTIALS: credentials }))).toMatch(/^KMS_CREDENTIALS must /);
  });

  it('may name an endpoint with a slash at its end', () => {
    const endpoint = 'https://kms.acme.io/keys';
    const KMS_CREDENTIALS = JSON.stringify({ aws: { ...AWS, endpoint: `${endpoint}/` } });
    expect(aConfig({ KMS_CREDENTIALS }).kms.aws?.().endpoint).toBe(endpoint);
  });

  it.each(['http://kms.acme.io', 'https://127.0.0.1', 'https://kms.internal', 'https://user:pass@kms.acme.io'])(
    'may not name the endpoint %s outside of local deployments',
    (endpoint) => {
      const credentials = JSON.stringify({ aws: { ...AWS, endpoint } });
      expect(refusalOf(() => aConfig(aDeployment({ KMS_CREDENTIALS: credentials })))).toMatch(/^KMS_CREDENTIALS must /);
      expect(aConfig({ DEPLOYMENT: 'local', KMS_CREDENTIALS: credentials }).kms.aws?.().endpoint).toBe(endpoint);
    },
  );
});
