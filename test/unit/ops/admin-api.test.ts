import { expect, it } from 'vitest';
import { credentialsOf, urlOf } from '../../../ops/admin-api.ts';
import type { Deployment } from '../../../ops/nodes/deployment.ts';

/** Every command of the operator finds the service and the operator's token in the same way. */

const CLIENT = { GATEPASS_CLIENT_ID: 'ops', GATEPASS_CLIENT_SECRET: 'secret' };
const aDeployment = (variables: object, operator: Deployment['operator'] = CLIENT, url?: string): Deployment => ({
  ...{ environment: 'production', secrets: undefined, shards: ['DB'], databaseIds: [], state: undefined },
  ...{ variables: { ...variables }, verdictContracts: {}, operator, url },
});

it('the URL is the named one, or that of the block', () => {
  const block = { PUBLIC_ORIGIN: 'https://api.acme.io', BASE_PATH: '/partner' };
  expect(urlOf(aDeployment(block))).toBe('https://api.acme.io/partner');
  expect(urlOf(aDeployment(block, CLIENT, 'https://x.acme.io'))).toBe('https://x.acme.io');
  expect(() => urlOf(aDeployment({}))).toThrow('name the service with --url');
});

it('the block names the token endpoint and the audience, unless the environment does', () => {
  const block = { TOKEN_URL: 'https://id.acme.io/token', ADMIN_AUDIENCE: 'ops', TOKEN_ISSUER: 'a' };
  expect(credentialsOf(aDeployment(block))).toEqual({
    ...{ tokenUrl: 'https://id.acme.io/token', audience: 'ops', clientId: 'ops', clientSecret: 'secret' },
  });
  const named = { ...CLIENT, GATEPASS_TOKEN_URL: 'https://other.io', GATEPASS_AUDIENCE: 'us', GATEPASS_SCOPE: 'admin' };
  expect(credentialsOf(aDeployment(block, named))).toMatchObject({
    ...{ tokenUrl: 'https://other.io', audience: 'us', scope: 'admin' },
  });
});

it('the token endpoint of the partners is not that of another issuer', () => {
  const block = { TOKEN_URL: 'https://id.acme.io/token', TOKEN_ISSUER: 'a', ADMIN_ISSUER: 'b' };
  expect(() => credentialsOf(aDeployment(block))).toThrow('GATEPASS_TOKEN_URL');
  const own = { ...block, ADMIN_TOKEN_URL: 'https://ops.acme.io/token' };
  expect(credentialsOf(aDeployment(own))).toMatchObject({ tokenUrl: 'https://ops.acme.io/token' });
  expect(credentialsOf(aDeployment(own, { GATEPASS_TOKEN: 'token' }))).toBe('token');
});
