import { describe, expect, it } from 'vitest';
import { checkAdvice, keysVerdict, providersVerdict, registrableDomainOf } from '../../../ops/doctor/advice.ts';
import { lineOf } from '../../../ops/doctor/check.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { anEnvironment, KEY } from '../config/environments.ts';

/** The doctor's warnings about settings that work. */

const line = (verdict: ReturnType<typeof providersVerdict>) => lineOf({ name: 'x', verdict });

it.each`
  host                 | domain
  ${'rpc.acme.io'}     | ${'acme.io'}
  ${'a.b.acme.io'}     | ${'acme.io'}
  ${'acme.io.'}        | ${'acme.io'}
  ${'eth.nodes.co.uk'} | ${'nodes.co.uk'}
  ${'a.com.au'}        | ${'a.com.au'}
  ${'127.0.0.1'}       | ${'127.0.0.1'}
  ${'[::1]'}           | ${'[::1]'}
  ${'localhost'}       | ${'localhost'}
`('takes $domain for the registered domain of $host', ({ host, domain }) => {
  expect(registrableDomainOf(host)).toBe(domain);
});

describe('providers', () => {
  it.each([
    [['rpc.acme.io'], /^-- {4}x: only one endpoint: .* -> add an endpoint of another provider/],
    [
      ['eth.acme.io', 'other.dev', 'base.acme.io'],
      /^-- {4}x: several endpoints at acme\.io: .* -> use different providers/,
    ],
    [['eth.acme.io', 'eth.other.dev'], /^ok {4}x: 2 endpoints of different providers$/],
  ])('of %j', (hosts, expected) => {
    expect(line(providersVerdict(hosts))).toMatch(expected);
  });
});

describe('keys', () => {
  const config = (network: string, changes = {}) =>
    configOf(
      anEnvironment({
        RPC_ENDPOINTS: JSON.stringify({ [network]: ['https://planted7f3a.acme.io'] }),
        ETHEREUM_GATEKEEPER_KEY: KEY,
        MAINNETS: 'mainnet',
        ...changes,
      }),
    );

  it('without a KMS are named if they sign on a mainnet', () => {
    expect(line(keysVerdict(config('mainnet')))).toMatch(
      /^-- {4}x: 0x\w{40} signs on a mainnet without a KMS: .* -> keep it in a KMS/,
    );
    expect(line(keysVerdict(config('sepolia')))).toMatch(/^ok /);
  });

  it('are checked with the providers of each network, and no finding fails or quotes an endpoint', async () => {
    const findings = await checkAdvice(config('mainnet'), { environment: 'example' });
    expect(findings.map(({ name, verdict }) => [name, verdict.type])).toEqual([
      ['mainnet, providers', 'notice'],
      ['keys', 'notice'],
      ['log destinations', 'notice'],
    ]);
    expect(JSON.stringify(findings)).not.toContain('planted7f3a');
    expect(await checkAdvice(config('mainnet'), { environment: undefined })).toEqual([]);
    expect(await checkAdvice(undefined, { environment: 'example' })).toHaveLength(1);
  });
});
