import { describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { refusalOfTarget } from '../../../src/webhook-object/send-event.ts';
import { HOSTILE_TARGETS } from '../../hostile-targets.ts';
import { aConfig, aDeployment } from '../config/environments.ts';

/** Which URLs a webhook may have. Tests in `test/worker` send the hostile ones to the service. */

const RPC_ENDPOINTS = JSON.stringify({
  sepolia: ['https://sepolia.nodes.acme.io/v3/key', 'https://rpc.example-node.io./key'],
});
const deployment = configOf(
  aDeployment({
    PUBLIC_HOSTS: 'www.acme.io status.acme.net',
    TOKEN_URL: 'https://token.acme.io/oauth',
    ADMIN_ISSUER: 'https://staff.acme.io',
    ADMIN_JWKS_URL: 'https://staff-keys.acme.io/jwks',
    ADMIN_TOKEN_URL: 'https://staff-login.acme.io/token',
    RPC_ENDPOINTS,
  }),
);
const local = aConfig();

describe('a webhook', () => {
  it.each(Object.entries(HOSTILE_TARGETS))('of a deployment may not have %s', (_, url) => {
    expect(refusalOfTarget(url, deployment)).toMatch(/^must /);
  });

  it('is tested with at least sixty hostile URLs, all of them different', () => {
    expect(new Set(Object.values(HOSTILE_TARGETS)).size).toBeGreaterThanOrEqual(60);
  });

  it.each([
    'https://hooks.partner.io',
    'https://hooks.partner.io:443/gatepass',
    'HTTPS://HOOKS.PARTNER.IO/gatepass?tenant=7&key=a%20b',
    'https://partner.co.uk/',
    'https://bücher.de/haken',
    'https://xn--bcher-kva.de/haken',
    'https://hooks.partner.xn--p1ai/',
    'https://a.very.deep.name.partner.io/a/b/c',
    'https://_hooks.partner.io/',
    'https://3com.com/',
    'https://10.0.0.1.partner.io/',
    'https://local.partner.io/',
    'https://localhost.partner.io/',
    'https://acme.io/',
    'https://another.acme.io/',
  ])('may have the URL %s', (url) => {
    expect(refusalOfTarget(url, deployment)).toBeUndefined();
    expect(refusalOfTarget(url, local)).toBeUndefined();
  });

  it.each([
    ['the origin of the service', 'https://passes.acme.io/webhooks'],
    ['the origin of the service in capitals', 'https://PASSES.ACME.IO/'],
    ['the origin of the service in full-width letters', 'https://ｐａｓｓｅｓ.acme.io/'],
    ['the origin of the service, percent-encoded', 'https://p%61sses.acme.io/'],
    ['a further host of the deployment', 'https://www.acme.io/'],
    ['a name below a further host', 'https://a.status.acme.net/'],
    ['the issuer', 'https://login.acme.io/'],
    ['the token endpoint', 'https://token.acme.io/'],
    ["the operator's issuer", 'https://staff.acme.io/'],
    ["the operator's key set", 'https://staff-keys.acme.io/'],
    ['an RPC endpoint', 'https://sepolia.nodes.acme.io/v3/key'],
    ['an RPC endpoint that is configured with a final dot', 'https://rpc.example-node.io/key'],
  ])('may not have %s', (_, url) => {
    expect(refusalOfTarget(url, deployment)).toBe('must not belong to this service or to one that it uses');
  });

  it.each([
    'http://127.0.0.1:8080/',
    'https://127.9.9.9/',
    'http://localhost:1/',
    'http://[::1]:8080/',
    'http://2130706433/',
  ])('may have %s on a developer’s machine only', (url) => {
    expect(refusalOfTarget(url, local)).toBeUndefined();
    expect(refusalOfTarget(url, deployment)).toMatch(/^must /);
  });

  it.each([
    ...['http://user@127.0.0.1/', 'http://127.0.0.1/#x', 'ftp://127.0.0.1/', 'ws://localhost/', 'http://0.0.0.0/'],
    ...['http://10.0.0.1/', 'http://hooks.partner.io/', 'http://127.0.0.1.nip.io/', 'http://a.localhost/'],
    ...['http://[::ffff:127.0.0.1]/', 'http://128.0.0.1/', 'http://169.254.169.254/'],
  ])('may not have %s even on a developer’s machine', (url) => {
    expect(refusalOfTarget(url, local)).toMatch(/^must /);
  });
});
