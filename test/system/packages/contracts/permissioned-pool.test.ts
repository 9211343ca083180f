import { type Address, type Hex, toFunctionSelector, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
import {
  CHECKER,
  compiled,
  type Deployed,
  type IssuedToken,
  OTHER,
  OURS,
  useContractChain,
  walletOf,
} from './contract-chain.ts';

/** The checker in a permissioned pool, whose checks are those of docs/partners/permissioned-pools.md (`solidity/PermissionedPool.sol`). */

const part = (name: string) => compiled.contract('PermissionedPool.sol', name);
const PERMISSIONED_TOKEN: Address = `0x${'70'.repeat(20)}`;
/** The other side of the pool, which nobody restricts. */
const PUBLIC_TOKEN: Address = `0x${'05'.repeat(20)}`;
const DAY = 86_400;

const SECOND_TOKENS = [
  ['with a revoked and an active token', true],
  ['with a frozen and an expired token', false],
] as const;
const secondTokens = (past: bigint): [string, Omit<IssuedToken, 'wallet'>][] => [
  ['with a revoked and an active token', { fate: 'revoked' }],
  ['with a revoked and an active token', {}],
  ['with a frozen and an expired token', { fate: 'frozen' }],
  ['with a frozen and an expired token', { expiration: past }],
];

describe.each(BUILDS)('on the contract %s', (build) => {
  const GATEWAY = contractOfBuild(build);
  /** SlimGateway has one token per wallet and gatekeeper network. */
  const hasSecondTokens = build === 'protocol';
  let moment: number;
  /** The wallets by their states, with the answer of the checker. */
  const STATES: Readonly<Record<string, { readonly wallet: Address; readonly allowed: boolean }>> = Object.fromEntries(
    [
      ['without a pass', false],
      ['with an active pass', true],
      ['with a frozen pass', false],
      ['with a revoked pass', false],
      ['with a burned token', false],
      ['with an expired pass', false],
      ['with a pass that expires in this second', true],
      ...(hasSecondTokens ? SECOND_TOKENS : []),
      ['with a pass of another gatekeeper network', false],
    ].map(([name, allowed], index) => [name, { wallet: walletOf(index), allowed: Boolean(allowed) }]),
  );
  const walletWith = (state: string) => STATES[state]?.wallet as Address;

  let [factory, hooks, manager, router, checker, adapter]: Deployed[] = [];
  const at = (contract: Deployed | undefined) => contract as Deployed;

  const on = useContractChain(async (chain) => {
    moment = (await chain.time()) + DAY;
    const tokens: [string, Omit<IssuedToken, 'wallet'>][] = [
      ['with an active pass', {}],
      ['with a frozen pass', { fate: 'frozen' }],
      ['with a revoked pass', { fate: 'revoked' }],
      ['with a burned token', { fate: 'burned' }],
      ['with an expired pass', { expiration: BigInt(moment - 1) }],
      ['with a pass that expires in this second', { expiration: BigInt(moment) }],
      ...(hasSecondTokens ? secondTokens(BigInt(moment - 1)) : []),
      ['with a pass of another gatekeeper network', { network: OTHER }],
    ];
    await chain.issue(tokens.map(([state, token]) => ({ ...token, wallet: walletWith(state) })));
    factory = await chain.deploy(part('PermissionsAdapterFactory'));
    hooks = await chain.deploy(part('PermissionedHooks'), factory.address);
    manager = await chain.deploy(part('PoolManager'), hooks.address);
    router = await chain.deploy(part('PermissionedRouter'), manager.address, factory.address);
    checker = await chain.deploy(CHECKER, GATEWAY, OURS, AUTHORITY);
    adapter = await chain.deploy(part('PermissionsAdapter'), PERMISSIONED_TOKEN, AUTHORITY, checker.address);
    await chain.send(factory, 'verifyPermissionsAdapter', adapter.address);
    await chain.send(adapter, 'updateAllowedWrapper', router.address, true);
    await chain.send(manager, 'initialize', adapter.address, PUBLIC_TOKEN);
    await chain.send(adapter, 'updateSwappingEnabled', true);
    await chain.moveTo(moment);
  }, build);

  const pair = (): [Address, Address] => [at(adapter).address, PUBLIC_TOKEN];
  const call = (wallet: Address, name: string, ...args: readonly unknown[]) =>
    on.chain.simulateAs(wallet, at(router), name, ...pair(), ...args);

  /** The form in which the pool manager passes on a hook's revert. */
  const wrapped = (hook: 'beforeSwap' | 'beforeAddLiquidity', reason: string) => ({
    name: 'WrappedError',
    args: [
      at(hooks).address,
      toFunctionSelector(`${hook}(address,address,address)`),
      toFunctionSelector(reason),
      toFunctionSelector('HookCallFailed()'),
    ],
  });

  /** These tests only read, so all of them run in the second in which one of the passes expires. */
  describe.each(Object.entries(STATES))('a wallet %s', (_, { wallet, allowed }) => {
    it(allowed ? 'may swap and add liquidity' : 'may neither swap nor add liquidity', async () => {
      const flags = await on.chain.read<Hex>(at(checker), 'checkAllowlist', wallet, PERMISSIONED_TOKEN);
      expect(flags).toBe(allowed ? '0x0003' : '0x0000');
      expect(await call(wallet, 'swap')).toEqual(allowed ? undefined : wrapped('beforeSwap', 'Unauthorized()'));
      expect(await call(wallet, 'mint', 5n, wallet)).toEqual(allowed ? undefined : { name: 'Unauthorized', args: [] });
      // A wallet with a pass as the recipient does not help a trader without one.
      const holder = walletWith('with an active pass');
      expect(await call(wallet, 'mint', 5n, holder)).toEqual(
        allowed ? undefined : wrapped('beforeAddLiquidity', 'Unauthorized()'),
      );
    });

    it('has the same answer for each bit, and none for other bits', async () => {
      for (const [flag, expected] of [
        ['0x0001', allowed],
        ['0x0002', allowed],
        ['0x0003', allowed],
        ['0x0004', false],
        ['0xffff', false],
        ['0x0000', true],
      ] as const)
        expect([flag, await on.chain.read(at(adapter), 'isAllowed', wallet, flag)]).toEqual([flag, expected]);
    });
  });

  describe('liquidity', () => {
    it('can be removed after the pass is gone, because the hook does not check a removal', async () => {
      const wallet = walletOf(50);
      await on.chain.issue([{ wallet, expiration: BigInt(moment + DAY) }]);
      await on.chain.sendAs(wallet, at(router), 'mint', ...pair(), 7n, wallet);
      await on.chain.moveTo(moment + DAY + 1);
      expect(await call(wallet, 'mint', 7n, wallet)).toEqual({ name: 'Unauthorized', args: [] });
      await on.chain.sendAs(wallet, at(router), 'burn', ...pair(), 7n);
      expect(await on.chain.read(at(manager), 'liquidityOf', wallet)).toBe(0n);
    });
  });

  describe('a pass that changes', () => {
    it('changes the answer with the block, in both directions', async () => {
      const wallet = walletOf(51);
      expect(await call(wallet, 'swap')).toEqual(wrapped('beforeSwap', 'Unauthorized()'));
      await on.chain.issue([{ wallet }]);
      expect(await call(wallet, 'swap')).toBeUndefined();
      await on.chain.send(at(checker), 'setGate', GATEWAY, OTHER);
      expect(await call(wallet, 'swap')).toEqual(wrapped('beforeSwap', 'Unauthorized()'));
      await on.chain.send(at(checker), 'setGate', GATEWAY, OURS);
      expect(await call(wallet, 'swap')).toBeUndefined();
    });
  });

  describe('a pool', () => {
    const holder = walletWith('with an active pass');

    it('refuses holders while swapping is off, or through a router that the issuer has not allowed', async () => {
      const other = await on.chain.deploy(part('PermissionedRouter'), at(manager).address, at(factory).address);
      expect(await on.chain.simulateAs(holder, other, 'swap', ...pair())).toEqual(
        wrapped('beforeSwap', 'Unauthorized()'),
      );
      await on.chain.send(at(adapter), 'updateSwappingEnabled', false);
      expect(await call(holder, 'swap')).toEqual(wrapped('beforeSwap', 'SwappingDisabled()'));
      await on.chain.send(at(adapter), 'updateSwappingEnabled', true);
      expect(await call(holder, 'swap')).toBeUndefined();
    });

    it('says Unauthorized if the gateway fails, and passes on another error only if the checker itself reverts', async () => {
      const gateway = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
      await on.chain.send(at(checker), 'setGate', gateway.address, OURS);
      for (const mode of [2, 4, 13]) {
        await on.chain.send(gateway, 'setMode', mode);
        expect(await call(holder, 'swap')).toEqual(wrapped('beforeSwap', 'Unauthorized()'));
      }
      await on.chain.send(at(checker), 'setGate', GATEWAY, OURS);
      const reverting = await on.chain.deploy(part('RevertingChecker'));
      await on.chain.send(at(adapter), 'updateAllowListChecker', reverting.address);
      expect(await call(holder, 'swap')).toEqual(wrapped('beforeSwap', 'GatewayIsAway()'));
      await on.chain.send(at(adapter), 'updateAllowListChecker', at(checker).address);
      expect(await call(holder, 'swap')).toBeUndefined();
    });
  });

  describe('a pool of two permissioned tokens', () => {
    it('admits only wallets with a pass for each of them', async () => {
      const [both, one] = [walletOf(70), walletOf(71)];
      await on.chain.issue([{ wallet: both }, { wallet: both, network: OTHER }, { wallet: one, network: OTHER }]);
      const otherChecker = await on.chain.deploy(CHECKER, GATEWAY, OTHER, zeroAddress);
      const second = await on.chain.deploy(part('PermissionsAdapter'), PUBLIC_TOKEN, AUTHORITY, otherChecker.address);
      await on.chain.send(at(factory), 'verifyPermissionsAdapter', second.address);
      await on.chain.send(second, 'updateAllowedWrapper', at(router).address, true);
      await on.chain.send(second, 'updateSwappingEnabled', true);
      for (const currencies of [
        [at(adapter).address, second.address],
        [second.address, at(adapter).address],
      ]) {
        const swap = (wallet: Address) => on.chain.simulateAs(wallet, at(router), 'swap', ...currencies);
        expect(await swap(both)).toBeUndefined();
        for (const wallet of [one, walletWith('with an active pass')])
          expect(await swap(wallet)).toEqual(wrapped('beforeSwap', 'Unauthorized()'));
      }
    });
  });

  describe('a pool without a permissioned token', () => {
    it('asks nobody, and cannot be made with the hook', async () => {
      const currencies = [PUBLIC_TOKEN, PERMISSIONED_TOKEN];
      expect(await on.chain.simulateAs(walletOf(72), at(router), 'swap', ...currencies)).toBeUndefined();
      expect(await on.chain.simulateAs(AUTHORITY, at(manager), 'initialize', ...currencies)).toEqual({
        name: 'WrappedError',
        args: [
          at(hooks).address,
          toFunctionSelector('beforeInitialize(address,address)'),
          toFunctionSelector('NoVerifiedAdapter()'),
          toFunctionSelector('HookCallFailed()'),
        ],
      });
    });
  });

  describe('an adapter', () => {
    it('accepts the checker when it is created and when it is changed', async () => {
      await on.chain.send(at(factory), 'createPermissionsAdapter', PERMISSIONED_TOKEN, AUTHORITY, at(checker).address);
      const fixed = await on.chain.deploy(CHECKER, GATEWAY, OURS, zeroAddress);
      await on.chain.send(at(adapter), 'updateAllowListChecker', fixed.address);
      expect(await on.chain.read(at(adapter), 'allowListChecker')).toBe(fixed.address);
      await on.chain.send(at(adapter), 'updateAllowListChecker', at(checker).address);
    });

    it.each(['WithoutErc165', 'ReportsErc165Wrongly', 'OlderChecker'])('refuses the checker %s', async (name) => {
      const { address } = await on.chain.deploy(part(name));
      await expect(on.chain.send(at(adapter), 'updateAllowListChecker', address)).rejects.toMatchObject({
        revert: { name: 'InvalidAllowListChecker', args: [address] },
      });
    });

    it('refuses an account without code, and a call of somebody else', async () => {
      await expect(on.chain.send(at(adapter), 'updateAllowListChecker', walletOf(60))).rejects.toThrow(
        'InvalidAllowListChecker',
      );
      await expect(
        on.chain.sendAs(walletOf(60), at(adapter), 'updateAllowListChecker', at(checker).address),
      ).rejects.toThrow('OwnableUnauthorizedAccount');
    });
  });

  describe('the checker', () => {
    it.each([
      ['checkAllowlist(address,address)', true],
      ['supportsInterface(bytes4)', true],
      ['checkAllowlist(address)', false],
      ['checkAllowList(address)', false],
    ])('supports the interface of %s: %s', async (signature, expected) => {
      expect(await on.chain.read(at(checker), 'supportsInterface', toFunctionSelector(signature))).toBe(expected);
    });

    it('does not support the invalid interface 0xffffffff', async () => {
      expect(await on.chain.read(at(checker), 'supportsInterface', '0xffffffff')).toBe(false);
    });

    it('answers the same for every token', async () => {
      for (const token of [PERMISSIONED_TOKEN, PUBLIC_TOKEN, zeroAddress])
        expect(await on.chain.read(at(checker), 'checkAllowlist', walletWith('with an active pass'), token)).toBe(
          '0x0003',
        );
    });
  });
});
