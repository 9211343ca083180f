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
    ${'sepolia'}         | ${{ codeHash: `0x${'ab'.repeat(32)}` }}
    ${'sepolia'}         | ${{ gateway: ADDRESS, confirmations: 5, final: { depth: 0 }, unmined: 3, blockMs: 100, maxFeePerGas: 7, maxGas: 9, tipLimitFloor: 5 }}
    ${'mainnet'}         | ${{ final: { tag: 'safe' } }}
    ${'sepolia'}         | ${{ watch: false, watchMs: 30_000 }}
    ${'sepolia'}         | ${{ endsOn: '2030-02-28' }}
    ${'devnet'}          | ${{ endsOn: '2020-01-01' }}
    ${'devnet'}          | ${{ watch: true, watchMs: 5_000 }}
    ${'xdcMainnet'}      | ${{ final: { tag: 'finalized' } }}
    ${'devnet'}          | ${{ unmined: 2, blockMs: 100, program: BY_KEY, minUnitPrice: 0, maxUnitPrice: 5, maxUnits: 1_400_000 }}
  `('applies $settings to $network and to no other network', ({ network, settings }) => {
    const rows = networksWith(network, settings);
    expect(rows).toEqual(NETWORKS.map((row) => (row.network === network ? { ...row, ...settings } : row)));
  });

  it('takes the end of a network away with null, and names the network of a wrong date', () => {
    const ends = (endsOn: unknown) =>
      networksWith('fantomMainnet', { endsOn }).find(({ network }) => network === 'fantomMainnet');
    expect(ends(null)?.endsOn).toBeUndefined();
    expect(() => ends('soon')).toThrow(
      'NETWORKS (fantomMainnet) must have an endsOn that is a day like "2026-12-31", from 2020 on, or null if the network continues',
    );
  });

  it('does not change the built-in table of networks', () => {
    const before = JSON.stringify(NETWORKS);
    networksWith('sepolia', { confirmations: 50 });
    expect(JSON.stringify(NETWORKS)).toBe(before);
  });

  it.each`
    network      | settings                                | why
    ${'ropsten'} | ${{}}                                   | ${'the network is unknown'}
    ${'Sepolia'} | ${{}}                                   | ${'names are case-sensitive'}
    ${'sepolia'} | ${{ confirmation: 3 }}                  | ${'the setting is unknown'}
    ${'sepolia'} | ${{ chainId: 1 }}                       | ${'it must not be changed'}
    ${'sepolia'} | ${{ network: 'mainnet' }}               | ${'it must not be changed'}
    ${'sepolia'} | ${{ chain: 'solana' }}                  | ${'it must not be changed'}
    ${'devnet'}  | ${{ confirmations: 3 }}                 | ${'the chain has no such setting'}
    ${'devnet'}  | ${{ gateway: ADDRESS }}                 | ${'the chain has no such setting'}
    ${'devnet'}  | ${{ genesisHash: BY_KEY }}              | ${'it must not be changed'}
    ${'devnet'}  | ${{ program: ADDRESS }}                 | ${'the address belongs to the other chain'}
    ${'devnet'}  | ${{ program: BY_KEY.slice(1) }}         | ${'the address is too short'}
    ${'devnet'}  | ${{ maxUnitPrice: -1 }}                 | ${'a price must not be negative'}
    ${'devnet'}  | ${{ maxUnitPrice: 5 }}                  | ${'the default minimum is above it'}
    ${'devnet'}  | ${{ minUnitPrice: 2_000_000 }}          | ${'the default maximum is below it'}
    ${'devnet'}  | ${{ maxUnitPrice: 0.5 }}                | ${'micro-lamports must be whole'}
    ${'sepolia'} | ${5}                                    | ${'settings must be an object'}
    ${'sepolia'} | ${null}                                 | ${'settings must be an object'}
    ${'sepolia'} | ${{ confirmations: '3' }}               | ${'it is not a number'}
    ${'sepolia'} | ${{ confirmations: 0 }}                 | ${'a transaction needs at least one confirmation'}
    ${'sepolia'} | ${{ confirmations: 1.5 }}               | ${'blocks must be whole'}
    ${'sepolia'} | ${{ unmined: 0 }}                       | ${'no transaction could be sent'}
    ${'sepolia'} | ${{ unmined: -1 }}                      | ${'no transaction could be sent'}
    ${'sepolia'} | ${{ maxFeePerGas: 0 }}                  | ${'no transaction could be sent'}
    ${'sepolia'} | ${{ maxFeePerGas: 2 ** 53 }}            | ${'JSON numbers are exact only below it'}
    ${'sepolia'} | ${{ maxFeePerGas: 0.5 }}                | ${'wei must be whole'}
    ${'devnet'}  | ${{ maxFeePerGas: 5 }}                  | ${'the chain has no such setting'}
    ${'sepolia'} | ${{ maxGas: 0 }}                        | ${'no transaction could be sent'}
    ${'sepolia'} | ${{ maxGas: 2 ** 53 }}                  | ${'JSON numbers are exact only below it'}
    ${'sepolia'} | ${{ tipLimitFloor: -1 }}                | ${'a price must not be negative'}
    ${'devnet'}  | ${{ maxUnits: 1_400_001 }}              | ${'the chain allows less'}
    ${'devnet'}  | ${{ maxGas: 5 }}                        | ${'the chain has no such setting'}
    ${'sepolia'} | ${{ endsOn: '2026-02-29' }}             | ${'the calendar has no such day'}
    ${'sepolia'} | ${{ endsOn: '2026-13-01' }}             | ${'the calendar has no such month'}
    ${'sepolia'} | ${{ endsOn: '0026-12-31' }}             | ${'no network ended before 2020'}
    ${'devnet'}  | ${{ endsOn: '2206-12-31' }}             | ${'a year after 2099 is a slip'}
    ${'sepolia'} | ${{ endsOn: '31.12.2026' }}             | ${'it is not in the form of the table'}
    ${'sepolia'} | ${{ endsOn: '2026-12-31T00:00:00Z' }}   | ${'a time is more than a day'}
    ${'sepolia'} | ${{ endsOn: '' }}                       | ${'it is empty'}
    ${'devnet'}  | ${{ endsOn: 1_798_675_200 }}            | ${'it is not a text'}
    ${'sepolia'} | ${{ status: 'ended' }}                  | ${'the date decides the status'}
    ${'sepolia'} | ${{ blockMs: 0 }}                       | ${'a block time must be positive'}
    ${'sepolia'} | ${{ watchMs: 4_999 }}                   | ${'it would ask the endpoints too often'}
    ${'devnet'}  | ${{ watchMs: 30_001 }}                  | ${'a change would be seen too late'}
    ${'sepolia'} | ${{ watch: 'off' }}                     | ${'it is neither true nor false'}
    ${'sepolia'} | ${{ final: 'safe' }}                    | ${'it must have a tag or a depth'}
    ${'sepolia'} | ${{ final: { tag: 'latest' } }}         | ${'the tag latest does not mean finality'}
    ${'sepolia'} | ${{ final: { depth: -1 } }}             | ${'a depth must not be negative'}
    ${'sepolia'} | ${{ final: { depth: '60' } }}           | ${'it is not a number'}
    ${'sepolia'} | ${{ final: {} }}                        | ${'it must have a tag or a depth'}
    ${'sepolia'} | ${{ final: { tag: 'safe', depth: 3 } }} | ${'it must have only one of tag and depth'}
    ${'sepolia'} | ${{ gateway: ADDRESS.slice(0, -1) }}    | ${'the address is too short'}
    ${'sepolia'} | ${{ gateway: ADDRESS.slice(2) }}        | ${'the address has no prefix'}
    ${'sepolia'} | ${{ codeHash: ADDRESS }}                | ${'the hash is too short'}
    ${'devnet'}  | ${{ codeHash: `0x${'ab'.repeat(32)}` }} | ${'the chain has no such setting'}
    ${'sepolia'} | ${{ gateway: null }}                    | ${'it is not an address'}
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

  it('accepts the number that a gatekeeper network already has', () => {
    expect(aConfig({ GATEKEEPER_NETWORK_SLOTS: `{"${SLOT_4}": 4}` }).slots).toEqual({ [SLOT_4]: 4n });
  });

  it.each`
    slots                                       | why
    ${{ [BY_KEY]: 1 }}                          | ${'slot 1 has a publicly known gatekeeper key'}
    ${{ [BY_KEY]: 1, [SLOT_1]: 42 }}            | ${'slot 1 has a publicly known gatekeeper key'}
    ${{ [SLOT_1]: 42 }}                         | ${'the tokens of the network are in slot 1'}
    ${{ [SLOT_4]: 42 }}                         | ${'the tokens of the network are in slot 4'}
    ${{ [SLOT_4]: 42, [BY_KEY]: 4 }}            | ${'the number of another network must not become free'}
    ${{ [BY_KEY]: 4 }}                          | ${'another network has that number'}
    ${{ [BY_KEY]: 42, [OTHER]: 42 }}            | ${'two networks would share a slot'}
    ${{ [`${'1'.repeat(31)}2`]: 42 }}           | ${'the key derives slot 1'}
    ${{ [`${'1'.repeat(24)}jpXCZedGfVQ`]: 42 }} | ${'the key derives the slot 2^64 - 1'}
    ${{ [BY_KEY]: '42' }}                       | ${'it is not a number'}
    ${{ [BY_KEY]: 0 }}                          | ${'0 is not a slot'}
    ${{ [BY_KEY]: -1 }}                         | ${'slots must be positive'}
    ${{ [BY_KEY]: 1.5 }}                        | ${'slots must be whole'}
    ${{ [BY_KEY]: null }}                       | ${'it is not a number'}
    ${{ [BY_KEY]: 2 ** 53 }}                    | ${'JSON numbers are exact only below it, so another slot would get the passes'}
    ${{ [BY_KEY.slice(1)]: 42 }}                | ${'the key has too few bytes'}
    ${{ [`${BY_KEY.slice(0, -1)}0`]: 42 }}      | ${'it is not base58'}
    ${{ '': 42 }}                               | ${'the key is empty'}
    ${42}                                       | ${'it is not an object'}
  `('refuses the slots $slots because $why', ({ slots }) => {
    expect(() => aConfig({ GATEKEEPER_NETWORK_SLOTS: JSON.stringify(slots) })).toThrow(ConfigError);
  });
});
