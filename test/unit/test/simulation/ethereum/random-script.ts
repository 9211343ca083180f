import fc from 'fast-check';
import { type Hex, zeroAddress } from 'viem';
import { concat, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem/utils';
import type { EthereumChain } from '../../../../simulation/ethereum/chain.ts';
import { slimTokenId } from '../../../../simulation/ethereum/gateway-contract.ts';
import {
  ACTORS,
  type Call,
  CONTRACTS,
  IMPLEMENTATION_ADDRESS,
  type SendOptions,
  SLIM_CONTRACT,
  type TwinChains,
} from './twin-chains.ts';

/** Random scripts of everybody who uses a contract: gatekeepers, authorities, a super admin, and strangers with slots of their own. */

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function burn(uint256 tokenId)',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function setNetworkFeatures(uint256 network, uint256 mask)',
  'function addForwarder(address account)',
  'function removeForwarder(address account)',
  'function upgradeTo(address implementation)',
  'function getTokenIdsByOwnerAndNetwork(address owner, uint256 network, bool onlyActive) view returns (uint256[])',
  'function getToken(uint256 tokenId) view returns (address, uint8, string, uint256, uint256)',
  'function slotOf(uint256 tokenId) view returns (uint256)',
  'function verifyToken(address owner, uint256 network) view returns (bool)',
  'function isGatekeeper(address account, uint256 network) view returns (bool)',
  'function networkHasFeature(uint256 network, uint8 feature) view returns (bool)',
  'function isSuperAdmin(address account) view returns (bool)',
  'function isTrustedForwarder(address account) view returns (bool)',
]);

type AnyCall = Parameters<typeof encodeFunctionData<typeof ABI>>[0];
export const encode = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: ABI, functionName, args } as AnyCall);

const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
export const WALLETS: readonly Hex[] = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000b2',
];
/** A number of the built-in table, and one that belongs to no gatekeeper network of the service. */
export const SLOTS = [4n, 7_654_321n];

const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** Numbers from which a command takes what it needs. */
interface Picks {
  readonly actor: number;
  readonly other: number;
  readonly contract: number;
  readonly slot: number;
  readonly wallet: number;
  readonly token: number;
  readonly expiry: number;
}

const pickFrom = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

/** Never, the past, soon, and later. */
const expiryOf = ({ expiry }: Picks, time: number) => pickFrom([0, 1_000_000_000, time + 20, 2_000_000_000], expiry);

/** Calls that change a contract, by name. A weight makes the usual ones usual. */
const CALLS: Readonly<
  Record<string, readonly [weight: number, argsOf: (picks: Picks, time: number) => readonly unknown[]]>
> = {
  mint: [
    8,
    (p, time) => [
      pickFrom([...WALLETS, ...WALLETS, ...WALLETS, zeroAddress], p.wallet),
      slotIn(p),
      expiryOf(p, time),
      0n,
      NO_CHARGE,
    ],
  ],
  setExpiration: [4, (p, time) => [tokenIn(p), expiryOf(p, time), NO_CHARGE]],
  freeze: [4, (p) => [tokenIn(p)]],
  unfreeze: [4, (p) => [tokenIn(p)]],
  revoke: [2, (p) => [tokenIn(p)]],
  burn: [3, (p) => [tokenIn(p)]],
  createNetwork: [2, (p) => [pickFrom([...SLOTS, 9n], p.slot), 'a network', false, zeroAddress]],
  addGatekeeper: [4, (p) => [otherIn(p), slotIn(p)]],
  removeGatekeeper: [3, (p) => [otherIn(p), slotIn(p)]],
  setNetworkFeatures: [3, (p) => [slotIn(p), pickFrom([1n, 0n, 3n], p.token)]],
  addForwarder: [2, (p) => [otherIn(p)]],
  removeForwarder: [1, (p) => [otherIn(p)]],
  upgradeTo: [1, () => [IMPLEMENTATION_ADDRESS]],
};
const slotIn = ({ slot }: Picks) => pickFrom(SLOTS, slot);
/** The ids of tokens that a contract may have, and some that it never has. */
const idsIn = (contract: Hex): readonly bigint[] =>
  contract === SLIM_CONTRACT
    ? [...SLOTS.flatMap((slot) => WALLETS.map((wallet) => slimTokenId(slot, wallet))), 1n, slimTokenId(9n, zeroAddress)]
    : [1n, 2n, 3n, 4n, 5n, 6n];
const tokenIn = ({ contract, token }: Picks) => pickFrom(idsIn(pickFrom(CONTRACTS, contract)), token);
const otherIn = ({ other }: Picks) => pickFrom(ACTORS, other).address;

/** fast-check shows a failing script by the words of its commands. */
class Command {
  readonly words: string;
  readonly run: (twins: TwinChains) => Promise<void>;

  constructor(words: string, run: Command['run']) {
    this.words = words;
    this.run = run;
  }

  toString(): string {
    return this.words;
  }
}

const small = fc.nat(11);
const picks: fc.Arbitrary<Picks> = fc.record({
  ...{ actor: small, other: small, contract: small, slot: small, wallet: small, token: small, expiry: small },
});
const options: fc.Arbitrary<SendOptions> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ isLegacy: true }) },
  // It runs out of gas, also if it would change nothing.
  { weight: 1, arbitrary: fc.constant({ gas: 26_000n }) },
);

const send = ([weight, argsOf]: (typeof CALLS)[string], name: string) => ({
  weight,
  arbitrary: fc.tuple(picks, options, fc.boolean()).map(([each, how, isForwarded]) => {
    const words = [name, Object.values(each).join(' '), isForwarded ? 'forwarded' : '', ...Object.keys(how)].join(' ');
    return new Command(words, async (twins) => {
      const data = encode(name, ...argsOf(each, twins.time));
      // Behind the arguments stands the account in whose name a forwarder acts.
      const forwarded = isForwarded ? concat([data, pickFrom(ACTORS, each.other + 1).address]) : data;
      // Most calls come from those who may make them.
      await twins.send(
        pickFrom([0, 1, 2, 0, 1, 2, 3, 4], each.actor),
        pickFrom(CONTRACTS, each.contract),
        forwarded,
        how,
      );
    });
  }),
});

/** A transaction whose nonce is used or leaves a gap, or that nobody can pay. */
const oddSend = fc.tuple(small, fc.constantFrom(-1, 1), fc.boolean()).map(([actor, gap, isDear]) => {
  return new Command(`odd ${actor} ${gap} ${isDear}`, async (twins) => {
    const nonce = Math.max(0, twins.chain.pendingNonceOf(pickFrom(ACTORS, actor).address) + gap);
    const dear = { gas: 5_000_000n, fee: 10n ** 19n, tip: 1n };
    await twins.send(actor, CONTRACTS[0] as Hex, encode('freeze', 1n), isDear ? dear : { nonce });
  });
});

/** A transaction that pays a quarter more than the newest one of its sender, and takes its nonce. */
const replacement = small.map((actor) => {
  return new Command(`replacement ${actor}`, async (twins) => {
    const { address } = pickFrom(ACTORS, actor);
    const newest = twins.chain.waiting.findLast(({ from }) => from === address.toLowerCase());
    if (newest?.nonce === undefined) return;
    const price = { fee: (newest.fee * 5n) / 4n, tip: (newest.tip * 5n) / 4n };
    await twins.send(actor, newest.to, newest.data, { nonce: newest.nonce, gas: newest.gas, ...price });
  });
});

/** A transfer of nothing, as the service fills a gap. */
const transfer = small.map(
  (actor) =>
    new Command(`transfer ${actor}`, (twins) =>
      twins.send(actor, pickFrom(ACTORS, actor).address, '0x', { gas: 21_000n }),
    ),
);

const command: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(CALLS).map(([name, row]) => send(row, name)),
  { weight: 2, arbitrary: oddSend },
  { weight: 3, arbitrary: replacement },
  { weight: 1, arbitrary: transfer },
  {
    weight: 14,
    arbitrary: fc
      .constantFrom(12, 1, 30, 100_000)
      .map((seconds) => new Command(`mine ${seconds}`, (t) => t.mine(seconds))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.boolean())
      .map(([blocks, drops]) => new Command(`reorganize ${blocks} ${drops}`, (t) => t.reorganize(blocks, drops))),
  },
  { weight: 1, arbitrary: fc.constant(new Command('forget', (t) => t.forget())) },
);

/** In each contract, one actor makes a gatekeeper network in which three actors are gatekeepers, with an active and a frozen token. */
const start = new Command('start', async (twins) => {
  for (const [index, contract] of CONTRACTS.entries()) {
    await twins.send(index, contract, encode('createNetwork', SLOTS[0], 'first', false, zeroAddress));
    for (const actor of [0, 1, 2])
      await twins.send(index, contract, encode('addGatekeeper', pickFrom(ACTORS, actor).address, SLOTS[0]));
    for (const wallet of WALLETS) await twins.send(0, contract, encode('mint', wallet, SLOTS[0], 0n, 0n, NO_CHARGE));
    await twins.send(0, contract, encode('freeze', idsIn(contract)[1]));
  }
  await twins.mine();
});

export const scripts: fc.Arbitrary<readonly Command[]> = fc
  .array(command, { minLength: 10, maxLength: 30 })
  .map((commands) => [start, ...commands]);

const hex = (value: number) => `0x${value.toString(16)}`;

/** Returns the questions of the service about transactions and accounts. */
export function questionsOfPool({ chain, sent }: TwinChains): Call[] {
  const accounts = ACTORS.flatMap(({ address }) =>
    ['latest', 'pending', earlierThan(chain)].map((at) => ({
      method: 'eth_getTransactionCount',
      params: [address, at],
    })),
  );
  const found = sent.flatMap(({ hash, isOutbid }) =>
    // The model keeps an outbid transaction, because a block may still include it. The service asks only about transactions in blocks.
    (isOutbid ? ['Receipt'] : ['Receipt', 'ByHash']).map((of) => ({
      method: `eth_getTransaction${of}`,
      params: [hash],
    })),
  );
  return [...accounts, ...found];
}

/** Returns the questions of the service about the chain and the contracts. */
export function questionsOfState({ chain, first }: TwinChains): Call[] {
  const calls: Call[] = [];
  const ask = (method: string, ...params: unknown[]) => void calls.push({ method, params });
  const read = (contract: Hex, at: string, name: string, ...args: unknown[]) =>
    ask('eth_call', { to: contract, data: encode(name, ...args) }, at);
  const earlier = earlierThan(chain);
  const later = hex(chain.head.number + 5);
  ask('eth_chainId');
  ask('eth_blockNumber');
  ask('eth_unknown');
  for (const at of ['latest', 'finalized', earlier, later]) ask('eth_getBlockByNumber', at, false);
  for (const [index, contract] of CONTRACTS.entries()) {
    for (const at of ['latest', earlier, later]) {
      for (const slot of SLOTS) {
        for (const wallet of WALLETS) read(contract, at, 'getTokenIdsByOwnerAndNetwork', wallet, slot, false);
        for (const { address } of ACTORS) read(contract, at, 'isGatekeeper', address, slot);
        for (const feature of [0, 1]) read(contract, at, 'networkHasFeature', slot, feature);
      }
      for (const token of [0n, ...idsIn(contract), 7n])
        for (const name of ['getToken', 'slotOf']) read(contract, at, name, token);
    }
    read(contract, 'latest', 'getTokenIdsByOwnerAndNetwork', zeroAddress, SLOTS[0], false);
    for (const { address } of ACTORS)
      for (const name of ['isSuperAdmin', 'isTrustedForwarder']) read(contract, 'latest', name, address);
    for (const { address: from } of ACTORS.slice(0, 3)) {
      const simulated = [
        ...idsIn(contract)
          .slice(0, 3)
          .flatMap((token) => ['freeze', 'unfreeze', 'revoke', 'burn'].map((name) => encode(name, token))),
        encode('setExpiration', idsIn(contract)[0], 0n, NO_CHARGE),
        ...[WALLETS[1], zeroAddress].map((wallet) => encode('mint', wallet, SLOTS[0], 0n, 0n, NO_CHARGE)),
        '0x12345678',
      ];
      for (const data of simulated) ask('eth_call', { from, to: contract, data }, 'latest');
      for (const data of simulated) ask('eth_estimateGas', { from, to: contract, data });
    }
    ask('eth_getCode', contract, 'latest');
    for (const account of [contract, pickFrom(WALLETS, index)])
      ask('eth_getStorageAt', account, IMPLEMENTATION_SLOT, 'latest');
  }
  for (const account of [IMPLEMENTATION_ADDRESS, WALLETS[0]]) ask('eth_getCode', account, 'latest');
  ask('eth_call', { to: WALLETS[0], data: encode('slotOf', 1n) }, 'latest');
  for (const fromBlock of [hex(first.number + 1), earlier, later])
    ask('eth_getLogs', { address: CONTRACTS, topics: [], fromBlock, toBlock: 'latest' });
  ask('eth_getLogs', { address: CONTRACTS[0], topics: [], fromBlock: earlier, toBlock: hex(chain.head.number) });
  return calls;
}

/** Returns the contracts' own checks of wallets, with the verdicts of the chain of the simulation. */
export const validities = ({ chain }: TwinChains): (readonly [Call, boolean])[] =>
  ['latest', earlierThan(chain)].flatMap((at) =>
    CONTRACTS.flatMap((to) =>
      SLOTS.flatMap((slot) =>
        WALLETS.map((wallet) => {
          const block = at === 'latest' ? chain.head : chain.block(Number(at));
          const call = { method: 'eth_call', params: [{ to, data: encode('verifyToken', wallet, slot) }, at] };
          return [call, chain.isValid(to, wallet, slot, block?.time ?? 0, block)] as const;
        }),
      ),
    ),
  );

const earlierThan = ({ head }: EthereumChain) => hex(head.number - 2);

/** Returns the selectors of the functions that change a contract, by name. */
export const selectors = (): ReadonlyMap<string, Hex> =>
  new Map(ABI.filter((each) => each.name in CALLS).map((each) => [each.name, toFunctionSelector(each)]));
