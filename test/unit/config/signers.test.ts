import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { type EnabledNetwork, findSigner, hasKeyOf, signerNameOf, signersOn } from '../../../src/config/signers.ts';
import type { SignerName } from '../../../src/network/network.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { aConfig, GATEKEEPER, KEY, SOLANA_GATEKEEPER, SOLANA_PAIR } from './environments.ts';

const ELSEWHERE = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const OTHER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const endpoints = (...networks: string[]) =>
  JSON.stringify(Object.fromEntries(networks.map((network) => [network, ['https://rpc.example']])));
const ALL = {
  ETHEREUM_GATEKEEPER_KEY: KEY,
  RPC_ENDPOINTS: endpoints('sepolia', 'mainnet', 'unichainMainnet', 'devnet'),
  MAINNETS: 'mainnet unichainMainnet',
};

/** Returns the network with its only key, or undefined if the network is not enabled. */
function enabledSigner(config: Config, network: string): EnabledNetwork | undefined {
  const row = config.networks.find((each) => each.network === network);
  if (row === undefined) throw new Error(`no network ${network}`);
  return signersOn(config, row)[0];
}

describe('signersOn', () => {
  it('enables a network that has an endpoint and a key', () => {
    const found = enabledSigner(aConfig(ALL), 'sepolia');
    expect(found?.network).toMatchObject({ chain: 'ethereum', network: 'sepolia', gateway: OWNERLESS_CONTRACT });
    expect(found?.endpoints.map((endpoint) => endpoint())).toEqual(['https://rpc.example']);
    expect(found?.gatekeeper.address).toBe(GATEKEEPER);
  });

  it('enables a Solana network that has an endpoint and a key, since its program is known', () => {
    const found = enabledSigner(aConfig({ ...ALL, SOLANA_GATEKEEPER_KEY: JSON.stringify([...SOLANA_PAIR]) }), 'devnet');
    expect(found?.network).toMatchObject({ chain: 'solana', network: 'devnet' });
    expect(found?.gatekeeper.address).toBe(SOLANA_GATEKEEPER);
    expect(signerNameOf(found as EnabledNetwork)).toBe(`solana/devnet/${SOLANA_GATEKEEPER}`);
  });

  it('prefers the contract of the configuration to the ownerless one', () => {
    const config = aConfig({ ...ALL, NETWORKS: `{"sepolia": {"gateway": "${ELSEWHERE}"}}` });
    expect(enabledSigner(config, 'sepolia')?.network).toMatchObject({ gateway: ELSEWHERE });
  });

  it.each`
    without                 | network          | environment
    ${'an endpoint'}        | ${'baseSepolia'} | ${ALL}
    ${'an endpoint'}        | ${'sepolia'}     | ${{ ...ALL, RPC_ENDPOINTS: '{"sepolia": []}' }}
    ${'an endpoint'}        | ${'sepolia'}     | ${{ ...ALL, RPC_ENDPOINTS: undefined }}
    ${'a key'}              | ${'sepolia'}     | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: undefined }}
    ${'a key of its chain'} | ${'devnet'}      | ${ALL}
  `('does not enable $network without $without', ({ network, environment }) => {
    expect(enabledSigner(aConfig(environment), network)).toBeUndefined();
  });
});

describe('signerNameOf, findSigner and hasKeyOf', () => {
  const name = `ethereum/sepolia/${GATEKEEPER}` as SignerName;

  it('names a signer after its network and key, as stored passes do', () => {
    expect(signerNameOf(enabledSigner(aConfig(ALL), 'sepolia') as EnabledNetwork)).toBe(name);
  });

  it('finds a signer by its name', () => {
    const config = aConfig(ALL);
    expect(findSigner(config, name)).toEqual(enabledSigner(config, 'sepolia'));
  });

  it.each`
    why                                   | signer                              | environment
    ${'the key has been replaced'}        | ${name}                             | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: OTHER_KEY }}
    ${'the key is no longer configured'}  | ${name}                             | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: undefined }}
    ${'the network is no longer enabled'} | ${name}                             | ${{ ...ALL, RPC_ENDPOINTS: endpoints('mainnet') }}
    ${'the network is unknown'}           | ${`ethereum/ropsten/${GATEKEEPER}`} | ${ALL}
    ${'the chain does not match'}         | ${`solana/sepolia/${GATEKEEPER}`}   | ${ALL}
    ${'the name has an extra part'}       | ${`${name}/2`}                      | ${ALL}
    ${'the name is empty'}                | ${''}                               | ${ALL}
  `('finds no signer when $why', ({ signer, environment }) => {
    expect(findSigner(aConfig(environment), signer)).toBeUndefined();
  });

  it.each`
    why                                    | signer                                  | environment                                        | hasKey
    ${'the key is configured'}             | ${name}                                 | ${ALL}                                             | ${true}
    ${'the network is no longer enabled'}  | ${name}                                 | ${{ ...ALL, RPC_ENDPOINTS: endpoints('mainnet') }} | ${true}
    ${'the key has been replaced'}         | ${name}                                 | ${{ ...ALL, ETHEREUM_GATEKEEPER_KEY: OTHER_KEY }}  | ${false}
    ${'no key of the chain is configured'} | ${`solana/devnet/${SOLANA_GATEKEEPER}`} | ${ALL}                                             | ${false}
    ${'the name is invalid'}               | ${'nobody'}                             | ${ALL}                                             | ${false}
  `('returns $hasKey for the key of a signer when $why', ({ signer, environment, hasKey }) => {
    expect(hasKeyOf(aConfig(environment), signer)).toBe(hasKey);
  });
});
