import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { type EnabledNetwork, findSigner, hasKeyOf, signerNameOf, signersOn } from '../../../src/config/signers.ts';
import { aConfig, GATEKEEPER, KEY, SOLANA_GATEKEEPER, SOLANA_PAIR } from './an-environment.ts';

const CONTRACT = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const ELSEWHERE = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const OTHER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const endpoints = (...networks: string[]) =>
  JSON.stringify(Object.fromEntries(networks.map((network) => [network, ['https://rpc.example']])));
const ALL = {
  ETHEREUM_GATEKEEPER_KEY: KEY,
  RPC_ENDPOINTS: endpoints('sepolia', 'mainnet', 'unichainMainnet', 'devnet'),
  MAINNETS: 'mainnet unichainMainnet',
};

/** The network with its only key. */
function enabled(config: Config, network: string): EnabledNetwork | undefined {
  const row = config.networks.find((each) => each.network === network);
  if (row === undefined) throw new Error(`no network ${network}`);
  return signersOn(config, row)[0];
}

describe('a network is enabled', () => {
  it('with an endpoint, a key and a known contract', () => {
    const found = enabled(aConfig(ALL), 'sepolia');
    expect(found?.network).toMatchObject({ chain: 'ethereum', network: 'sepolia', gateway: CONTRACT });
    expect(found?.endpoints.map((endpoint) => endpoint())).toEqual(['https://rpc.example']);
    expect(found?.gatekeeper.address).toBe(GATEKEEPER);
  });

  it('of Solana with an endpoint and a key: the program is known', () => {
    const found = enabled(aConfig({ ...ALL, SOLANA_GATEKEEPER_KEY: JSON.stringify([...SOLANA_PAIR]) }), 'devnet');
    expect(found?.network).toMatchObject({ chain: 'solana', network: 'devnet' });
    expect(found?.gatekeeper.address).toBe(SOLANA_GATEKEEPER);
    expect(signerNameOf(found as EnabledNetwork)).toBe(`solana/devnet/${SOLANA_GATEKEEPER}`);
  });

  it('whose contract no record confirms, once the configuration names it', () => {
    const config = aConfig({ ...ALL, NETWORKS: `{"unichainMainnet": {"gateway": "${ELSEWHERE}"}}` });
    expect(enabled(config, 'unichainMainnet')?.network).toMatchObject({ gateway: ELSEWHERE });
  });

  it('at the address the configuration gives, rather than the one on record', () => {
    const config = aConfig({ ...ALL, NETWORKS: `{"sepolia": {"gateway": "${ELSEWHERE}"}}` });
    expect(enabled(config, 'sepolia')?.network).toMatchObject({ gateway: ELSEWHERE });
  });

  it.each`
    without                 | network              | environment
    ${'an endpoint'}        | ${'baseSepolia'}     | ${ALL}
    ${'an endpoint'}        | ${'sepolia'}         | ${{ ...ALL, RPC_ENDPOINTS: '{"sepolia": []}' }}
    ${'an endpoint'}        | ${'sepolia'}         | ${{ ...ALL, RPC_ENDPOINTS: undefined }}
    ${'a key'}              | ${'sepolia'}         | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: undefined }}
    ${'a key of its chain'} | ${'devnet'}          | ${ALL}
    ${'a known contract'}   | ${'unichainMainnet'} | ${ALL}
  `('never without $without: $network is not', ({ network, environment }) => {
    expect(enabled(aConfig(environment), network)).toBeUndefined();
  });
});

describe('a signer', () => {
  const name = `ethereum/sepolia/${GATEKEEPER}`;

  it('is named after network and key: passes that exist keep the name', () => {
    expect(signerNameOf(enabled(aConfig(ALL), 'sepolia') as EnabledNetwork)).toBe(name);
  });

  it('is found by its name', () => {
    const config = aConfig(ALL);
    expect(findSigner(config, name)).toEqual(enabled(config, 'sepolia'));
  });

  it.each`
    why                                   | asked                               | environment
    ${'the key is another by now'}        | ${name}                             | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: OTHER_KEY }}
    ${'the key is gone'}                  | ${name}                             | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: undefined }}
    ${'the network is no longer enabled'} | ${name}                             | ${{ ...ALL, RPC_ENDPOINTS: endpoints('mainnet') }}
    ${'nobody knows the network'}         | ${`ethereum/ropsten/${GATEKEEPER}`} | ${ALL}
    ${'the chain is another'}             | ${`solana/sepolia/${GATEKEEPER}`}   | ${ALL}
    ${'there is more in the name'}        | ${`${name}/2`}                      | ${ALL}
    ${'the name is empty'}                | ${''}                               | ${ALL}
  `('is not found when $why', ({ asked, environment }) => {
    expect(findSigner(aConfig(environment), asked)).toBeUndefined();
  });

  it.each`
    why                                   | asked                                   | environment                                        | held
    ${'it is configured'}                 | ${name}                                 | ${ALL}                                             | ${true}
    ${'the network is no longer enabled'} | ${name}                                 | ${{ ...ALL, RPC_ENDPOINTS: endpoints('mainnet') }} | ${true}
    ${'the key is another by now'}        | ${name}                                 | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: OTHER_KEY }}  | ${false}
    ${'there is no key of that chain'}    | ${`solana/devnet/${SOLANA_GATEKEEPER}`} | ${ALL}                                             | ${false}
    ${'the name is none'}                 | ${'nobody'}                             | ${ALL}                                             | ${false}
  `('whether its key is held is $held when $why', ({ asked, environment, held }) => {
    expect(hasKeyOf(aConfig(environment), asked)).toBe(held);
  });
});
