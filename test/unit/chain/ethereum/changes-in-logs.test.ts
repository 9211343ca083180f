import { encodeAbiParameters, toEventSelector } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { changesIn } from '../../../../src/chain/ethereum/changes-in-logs.ts';
import type { FoundLog } from '../../../../src/chain/ethereum/logs.ts';
import type { Hex } from '../../../../src/lib/bytes.ts';
import type { GatekeeperNetwork } from '../../../../src/network/slot.ts';

/** Logs as another build of the contract may emit them. */

const CONTRACT = `0x${'11'.repeat(20)}`;
const OTHER_HASH = `0x${'cd'.repeat(32)}` as const;
const NETWORK = 'network' as GatekeeperNetwork;
const HASH = `0x${'ab'.repeat(32)}` as const;
const place = { transaction: HASH, at: 5, contract: CONTRACT };

const logOf = (topics: FoundLog['topics'], data: FoundLog['data'] = '0x'): FoundLog => ({
  address: CONTRACT,
  topics,
  data,
  blockNumber: '0x5',
  transactionHash: HASH,
});
const read = (...logs: readonly FoundLog[]) => changesIn(logs, [CONTRACT], () => undefined);

const TOKEN = `0x${'1'.padStart(64, '0')}` as const;
const FREEZE = toEventSelector('Freeze(uint256)');

describe('changesIn', () => {
  it('reads a freeze', () => {
    expect(read(logOf([FREEZE, TOKEN]))).toEqual([{ ...place, type: 'token', change: 'TOKEN_FROZEN', token: '1' }]);
  });

  it('reads a mint with an expiry as the issuance alone, also if the contract announces the expiry', () => {
    const [slot, none] = ['4', '0'].map((digit) => `0x${digit.padStart(64, '0')}` as const) as [Hex, Hex];
    const wallet = `0x${'5'.repeat(40).padStart(64, '0')}` as const;
    const transfer = logOf([toEventSelector('Transfer(address,address,uint256)'), none, wallet, TOKEN]);
    const minted = logOf([toEventSelector('SlotChanged(uint256,uint256,uint256)'), TOKEN, none, slot]);
    const expiry = (token: Hex, transactionHash = HASH) => ({
      ...logOf([toEventSelector('Expiration(uint256,uint256)'), token], `0x${'5'.padStart(64, '0')}`),
      transactionHash,
    });
    const token = { ...place, type: 'token', token: '1' };
    const holder = { wallet: `0x${'5'.repeat(40)}`, gatekeeperNetwork: NETWORK };
    const logs = [transfer, minted, expiry(TOKEN), expiry(slot), expiry(TOKEN, OTHER_HASH)];
    expect(changesIn(logs, [CONTRACT], () => NETWORK)).toEqual([
      { ...token, change: 'TOKEN_ISSUED', holder },
      { ...place, type: 'token', change: 'TOKEN_EXPIRY_CHANGED', token: '4' },
      { ...token, change: 'TOKEN_EXPIRY_CHANGED', gatekeeperNetwork: NETWORK, transaction: OTHER_HASH },
    ]);
  });

  it.each([
    ['an argument that is not indexed', logOf([FREEZE], encodeAbiParameters([{ type: 'uint256' }], [1n]))],
    ['an expiry without its data', logOf([toEventSelector('Expiration(uint256,uint256)'), TOKEN])],
    ['a role without its account', logOf([toEventSelector('RoleRevoked(bytes32,uint256,address,address)'), TOKEN])],
  ])('shows the transaction of a watched event with %s, which may have changed any token', (_, log) => {
    expect(read(log)).toEqual([{ ...place, type: 'transaction' }]);
  });
});
