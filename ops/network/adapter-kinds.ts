import { type Hex, parseAbi, zeroAddress } from 'viem';
import { encodeAbiParameters, encodeFunctionData, toFunctionSelector } from 'viem/utils';
import type { ConstructorValues } from './adapter-build.ts';
import type { Adapter } from './adapter-command.ts';

/** The contracts that `adapter` deploys: their constructors, the answers that show them, and the values that their users enter. */

/** Our functions, and those of Uniswap's adapter and factory (docs/partners/permissioned-pools.md) and of a token of ERC-3643. */
const ABI = parseAbi([
  'function gateway() view returns (address)',
  'function gatekeeperNetwork() view returns (uint256)',
  'function owner() view returns (address)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function checkAllowlist(address account, address tokenAddress) view returns (bytes2)',
  'function updateAllowListChecker(address newAllowListChecker)',
  'function isVerified(address userAddress) view returns (bool)',
  'function setIdentityRegistry(address identityRegistry)',
  'function canReceive(address account) view returns (bool)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function isKey(address key) view returns (bool)',
]);
const ALLOWLIST_ID = toFunctionSelector('checkAllowlist(address,address)');
/** The fungible interface of ERC-7943. */
const FUNGIBLE_ID = '0x3edbb4c4';
const ERC165_ID = '0x01ffc9a7';
const FLAGS = { withPass: '0x0003', withoutPass: '0x0000' } as const;
/** The networks on which Uniswap has permissioned pools (August 2026). */
const WITH_POOLS = ['mainnet', 'sepolia'];

/** The values of a contract on one network. */
export interface AdapterSettings {
  readonly adapter: Adapter;
  /** The gateway contract and the slot of the gatekeeper network; undefined: the contract asks none. */
  readonly gate: { readonly gateway: Hex; readonly slot: bigint } | undefined;
}

/** A call, the word or words that it must return, and the difference as part of a sentence if it does not. */
export type Question = readonly [data: Hex, expected: Hex, difference: string];

const word = (value: Hex | bigint | boolean): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value]);
const supports = (id: Hex) => encodeFunctionData({ abi: ABI, functionName: 'supportsInterface', args: [id] });
const asksErc165: readonly Question[] = [
  [supports(ERC165_ID), word(true), 'no ERC-165'],
  [supports('0xffffffff'), word(false), 'the interface 0xffffffff, which ERC-165 forbids'],
];
const ADMITS_STRANGERS = 'that it admits a wallet without a pass';

interface Kind {
  /** The name of the contract in `packages/contracts/`. */
  readonly contract: string;
  /** The contract, for a reader. */
  readonly noun: string;
  /** Returns what the contract answers beside its gate and its owner. @param stranger An account without a pass. */
  questions(adapter: Adapter, stranger: Hex): readonly Question[];
  /** Returns the values for a user of the contract. */
  values(contract: Hex, adapter: Adapter): Readonly<Record<string, unknown>>;
  /** Returns those values as lines. */
  lines(contract: Hex, network: string): readonly string[];
}

const setIdentityRegistry = (registry: Hex) =>
  encodeFunctionData({ abi: ABI, functionName: 'setIdentityRegistry', args: [registry] });
const updateAllowListChecker = (checker: Hex) =>
  encodeFunctionData({ abi: ABI, functionName: 'updateAllowListChecker', args: [checker] });

export const KINDS: Readonly<Record<Adapter['kind'], Kind>> = {
  uniswap: {
    contract: 'UniswapAllowlistChecker',
    noun: 'checker',
    questions: (_, stranger) => [
      [supports(ALLOWLIST_ID), word(true), `no interface ${ALLOWLIST_ID}`],
      ...asksErc165,
      [
        encodeFunctionData({ abi: ABI, functionName: 'checkAllowlist', args: [stranger, zeroAddress] }),
        word(0n),
        ADMITS_STRANGERS,
      ],
    ],
    values: (checker) => ({
      interfaceId: ALLOWLIST_ID,
      flags: FLAGS,
      updateAllowListChecker: updateAllowListChecker(checker),
    }),
    lines: (checker, network) => [
      `it answers ${FLAGS.withPass} (swap and liquidity) for a wallet with a valid pass, and ${FLAGS.withoutPass} otherwise`,
      `for a new adapter: createPermissionsAdapter(token, owner, ${checker})`,
      `for an existing adapter, from its owner: updateAllowListChecker(${checker})`,
      `the data of that call: ${updateAllowListChecker(checker)}`,
      ...(WITH_POOLS.includes(network)
        ? []
        : [`in August 2026, permissioned pools existed on ${WITH_POOLS.join(' and ')} only`]),
    ],
  },
  erc3643: {
    contract: 'PassIdentityRegistry',
    noun: 'registry',
    questions: (_, stranger) => [
      [encodeFunctionData({ abi: ABI, functionName: 'isVerified', args: [stranger] }), word(false), ADMITS_STRANGERS],
    ],
    values: (registry) => ({ setIdentityRegistry: setIdentityRegistry(registry) }),
    lines: (registry) => [
      `for a token, from its owner: setIdentityRegistry(${registry})`,
      `the data of that call: ${setIdentityRegistry(registry)}`,
    ],
  },
  erc7943: {
    contract: 'PassToken',
    noun: 'token',
    questions: (adapter, stranger) => {
      const { name, symbol } = adapter as Extract<Adapter, { kind: 'erc7943' }>;
      return [
        [encodeFunctionData({ abi: ABI, functionName: 'name' }), text(name), 'another name'],
        [encodeFunctionData({ abi: ABI, functionName: 'symbol' }), text(symbol), 'another symbol'],
        [supports(FUNGIBLE_ID), word(true), `no interface ${FUNGIBLE_ID}`],
        ...asksErc165,
        [encodeFunctionData({ abi: ABI, functionName: 'canReceive', args: [stranger] }), word(false), ADMITS_STRANGERS],
      ];
    },
    values: () => ({ interfaceId: FUNGIBLE_ID }),
    lines: () => [`its interface is ${FUNGIBLE_ID} (ERC-7943, fungible)`],
  },
  verdicts: {
    contract: 'PassVerdicts',
    noun: 'verdict contract',
    questions: (adapter, stranger) => {
      const isKey = (key: Hex) => encodeFunctionData({ abi: ABI, functionName: 'isKey', args: [key] });
      const { verdictKey } = adapter as Extract<Adapter, { kind: 'verdicts' }>;
      return [
        [isKey(verdictKey), word(true), `that ${verdictKey} is no verdict key`],
        [isKey(stranger), word(false), 'that every account is a verdict key'],
      ];
    },
    values: (_, adapter) => ({ verdictKey: (adapter as Extract<Adapter, { kind: 'verdicts' }>).verdictKey }),
    lines: (contract, network) => [
      `for the values of a deployment whose key it trusts, below [verdict_contracts]: ${network} = "${contract}"`,
    ],
  },
};

/** Returns the values of the constructor. */
export function constructorValuesOf({ adapter, gate }: AdapterSettings): ConstructorValues {
  const owner = ['address', adapter.owner ?? zeroAddress] as const;
  if (adapter.kind === 'verdicts') return [owner, ['address', adapter.verdictKey]];
  const { gateway, slot } = gate as NonNullable<typeof gate>;
  const names = adapter.kind === 'erc7943' ? [adapter.name, adapter.symbol] : [];
  return [...names.map((name) => ['string', name] as const), ['address', gateway], ['uint256', slot], owner];
}

/** Returns the questions whose answers show the contract. @param stranger An account without a pass. */
export function questionsOf({ adapter, gate }: AdapterSettings, stranger: Hex): readonly Question[] {
  const read = (functionName: 'gateway' | 'gatekeeperNetwork' | 'owner') =>
    encodeFunctionData({ abi: ABI, functionName });
  const asksGate: readonly Question[] = gate
    ? [
        [read('gateway'), word(gate.gateway), 'that it asks another contract'],
        [read('gatekeeperNetwork'), word(gate.slot), 'another gatekeeper network'],
      ]
    : [];
  return [
    ...asksGate,
    [read('owner'), word(adapter.owner ?? zeroAddress), 'another owner'],
    ...KINDS[adapter.kind].questions(adapter, stranger),
  ];
}
