import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/variable.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { aConfig } from './environments.ts';

const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const BY_KEY = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
const OTHER = '586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5';
const SLOT_4 = 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6';
const SLOT_1 = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';

const networksWith = (network: string, settings: unknown) =>
  aConfig({ NETWORKS: JSON.stringify({ [network]: settings }) }).networks;

describe('NETWORKS', () => {
  it.each`
    network              | settings
    ${'unichainMainnet'} | ${{ gateway: ADDRESS }}
    ${'sepolia'}         | ${{ gateway: ADDRESS, confirmations: 5, final: { depth: 0 }, unmined: 3, blockMs: 100, maxFeePerGas: 7, maxGas: 9, tipLimitFloor: 5 }}
    ${'mainnet'}         | ${{ final: { tag: 'safe' } }}
    ${'xdcMainnet'}      | ${{ final: { tag: 'finalized' } }}
    ${'devnet'}          | ${{ unmined: 2, blockMs: 100, program: BY_KEY, minUnitPrice: 0, maxUnitPrice: 5, maxUnits: 1_400_000 }}
  `('applies $settings to $network and to no other network', ({ network, settings }) => {
    const rows = networksWith(network, settings);
    expect(rows).toEqual(NETWORKS.map((row) => (row.network === network ? { ...row, ...settings } : row)));
  });

  it('does not change the table of networks', () => {
    const before = JSON.stringify(NETWORKS);
    networksWith('sepolia', { confirmations: 50 });
    expect(JSON.stringify(NETWORKS)).toBe(before);
  });

  it.each`
    network      | settings                                | why
    ${'ropsten'} | ${{}}                                   | ${'the network is unknown'}
    ${'Sepolia'} | ${{}}                                   | ${'names have one spelling'}
    ${'sepolia'} | ${{ confirmation: 3 }}                  | ${'the setting is unknown'}
    ${'sepolia'} | ${{ chainId: 1 }}                       | ${'it must not be changed'}
    ${'sepolia'} | ${{ network: 'mainnet' }}               | ${'it must not be changed'}
    ${'sepolia'} | ${{ chain: 'solana' }}                  | ${'it must not be changed'}
    ${'devnet'}  | ${{ confirmations: 3 }}                 | ${'the chain has no such setting'}
    ${'devnet'}  | ${{ gateway: ADDRESS }}                 | ${'the chain has no such setting'}
    ${'devnet'}  | ${{ genesisHash: BY_KEY }}              | ${'it must not be changed'}
    ${'devnet'}  | ${{ program: ADDRESS }}                 | ${'it is an address of the other chain'}
    ${'devnet'}  | ${{ program: BY_KEY.slice(1) }}         | ${'the address is too short'}
    ${'devnet'}  | ${{ maxUnitPrice: -1 }}                 | ${'a price is not negative'}
    ${'devnet'}  | ${{ maxUnitPrice: 5 }}                  | ${'the usual minimum is above it'}
    ${'devnet'}  | ${{ minUnitPrice: 2_000_000 }}          | ${'the usual maximum is below it'}
    ${'devnet'}  | ${{ maxUnitPrice: 0.5 }}                | ${'micro-lamports are whole'}
    ${'sepolia'} | ${5}                                    | ${'settings are an object'}
    ${'sepolia'} | ${null}                                 | ${'settings are an object'}
    ${'sepolia'} | ${{ confirmations: '3' }}               | ${'it is no number'}
    ${'sepolia'} | ${{ confirmations: 0 }}                 | ${'no block confirms nothing'}
    ${'sepolia'} | ${{ confirmations: 1.5 }}               | ${'blocks are whole'}
    ${'sepolia'} | ${{ unmined: 0 }}                       | ${'nothing could ever be sent'}
    ${'sepolia'} | ${{ unmined: -1 }}                      | ${'nothing could ever be sent'}
    ${'sepolia'} | ${{ maxFeePerGas: 0 }}                  | ${'nothing could ever be sent'}
    ${'sepolia'} | ${{ maxFeePerGas: 2 ** 53 }}            | ${'JSON numbers are exact only below it'}
    ${'sepolia'} | ${{ maxFeePerGas: 0.5 }}                | ${'wei are whole'}
    ${'devnet'}  | ${{ maxFeePerGas: 5 }}                  | ${'the chain has no such setting'}
    ${'sepolia'} | ${{ maxGas: 0 }}                        | ${'nothing could ever be sent'}
    ${'sepolia'} | ${{ maxGas: 2 ** 53 }}                  | ${'JSON numbers are exact only below it'}
    ${'sepolia'} | ${{ tipLimitFloor: -1 }}                | ${'a price is not negative'}
    ${'devnet'}  | ${{ maxUnits: 1_400_001 }}              | ${'the chain allows no more'}
    ${'devnet'}  | ${{ maxGas: 5 }}                        | ${'the chain has no such setting'}
    ${'sepolia'} | ${{ blockMs: 0 }}                       | ${'blocks take time'}
    ${'sepolia'} | ${{ final: 'safe' }}                    | ${'it must say tag or depth'}
    ${'sepolia'} | ${{ final: { tag: 'latest' } }}         | ${'the newest block is not final by its tag'}
    ${'sepolia'} | ${{ final: { depth: -1 } }}             | ${'depths grow downwards'}
    ${'sepolia'} | ${{ final: { depth: '60' } }}           | ${'it is no number'}
    ${'sepolia'} | ${{ final: {} }}                        | ${'it must say tag or depth'}
    ${'sepolia'} | ${{ final: { tag: 'safe', depth: 3 } }} | ${'it must say one of them'}
    ${'sepolia'} | ${{ gateway: ADDRESS.slice(0, -1) }}    | ${'the address is too short'}
    ${'sepolia'} | ${{ gateway: ADDRESS.slice(2) }}        | ${'the address has no prefix'}
    ${'sepolia'} | ${{ gateway: null }}                    | ${'it is no address'}
  `('refuses $settings for $network because $why', ({ network, settings }) => {
    expect(() => networksWith(network, settings)).toThrow(ConfigError);
  });
});

describe('GATEKEEPER_NETWORK_SLOTS', () => {
  it('reads the slot of a gatekeeper network', () => {
    const { slots } = aConfig({ GATEKEEPER_NETWORK_SLOTS: `{"${BY_KEY}": 42}` });
    expect(slots).toEqual({ [BY_KEY]: 42n });
    expect(slotOf(BY_KEY, slots)).toBe(42n);
  });

  it('accepts the number that a gatekeeper network has anyway', () => {
    expect(aConfig({ GATEKEEPER_NETWORK_SLOTS: `{"${SLOT_4}": 4}` }).slots).toEqual({ [SLOT_4]: 4n });
  });

  it.each`
    slots                                       | why
    ${{ [BY_KEY]: 1 }}                          | ${'everybody knows a gatekeeper key of slot 1'}
    ${{ [BY_KEY]: 1, [SLOT_1]: 42 }}            | ${'everybody knows a gatekeeper key of slot 1'}
    ${{ [SLOT_1]: 42 }}                         | ${'its tokens are in slot 1'}
    ${{ [SLOT_4]: 42 }}                         | ${'its tokens are in slot 4'}
    ${{ [SLOT_4]: 42, [BY_KEY]: 4 }}            | ${'the number of another one must not become free'}
    ${{ [BY_KEY]: 4 }}                          | ${'another one has that number'}
    ${{ [BY_KEY]: 42, [OTHER]: 42 }}            | ${'two of them would share a slot'}
    ${{ [`${'1'.repeat(31)}2`]: 42 }}           | ${'the key derives slot 1'}
    ${{ [`${'1'.repeat(24)}jpXCZedGfVQ`]: 42 }} | ${'the key derives the slot 2^64 - 1'}
    ${{ [BY_KEY]: '42' }}                       | ${'it is no number'}
    ${{ [BY_KEY]: 0 }}                          | ${'0 is no slot'}
    ${{ [BY_KEY]: -1 }}                         | ${'slots are positive'}
    ${{ [BY_KEY]: 1.5 }}                        | ${'slots are whole'}
    ${{ [BY_KEY]: null }}                       | ${'it is no number'}
    ${{ [BY_KEY]: 2 ** 53 }}                    | ${'JSON numbers are exact only below: passes would go to a neighbour'}
    ${{ [BY_KEY.slice(1)]: 42 }}                | ${'no key has so few bytes'}
    ${{ [`${BY_KEY.slice(0, -1)}0`]: 42 }}      | ${'it is not base58'}
    ${{ '': 42 }}                               | ${'it names nothing'}
    ${42}                                       | ${'it is no object'}
  `('refuses the slots $slots because $why', ({ slots }) => {
    expect(() => aConfig({ GATEKEEPER_NETWORK_SLOTS: JSON.stringify(slots) })).toThrow(ConfigError);
  });
});
