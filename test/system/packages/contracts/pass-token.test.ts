import { type Address, decodeEventLog, maxUint256, zeroAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import { callNode } from '../../../call-node.ts';
import { compiled, type Deployed, OURS, walletOf } from './contract-chain.ts';
import { SECOND_HOLDER, usePassStates, WALLETS, walletWith } from './pass-states.ts';
import { publishedContract } from './published-contract.ts';

/** The base `PassTransfers` in its example `PassToken`, against each rule of ERC-7943. */

const TOKEN = publishedContract('PassToken');
const [OWNER, STRANGER, SPENDER] = [11, 12, 13].map(walletOf) as [Address, Address, Address];
const HOLDER = walletWith('with an active pass');
const MINTED = 1_000n;

describe.each(BUILDS)('on the contract %s', (build) => {
  const GATEWAY = contractOfBuild(build);
  let token: Deployed;
  let fresh: () => Promise<Deployed>;
  const on = usePassStates(build, async (chain) => {
    // Every wallet has tokens of a time in which anybody has a pass.
    const open = await chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
    await chain.send(open, 'setMode', 1);
    fresh = async () => {
      const made = await chain.deploy(TOKEN, 'Acme Fund', 'ACME', open.address, OURS, OWNER);
      for (const wallet of [...WALLETS.map((each) => each.wallet), SECOND_HOLDER])
        await chain.sendAs(OWNER, made, 'mint', wallet, MINTED);
      await chain.sendAs(OWNER, made, 'setGate', GATEWAY, OURS);
      return made;
    };
    token = await fresh();
  });

  const simulate = (by: Address, functionName: string, ...args: readonly unknown[]) =>
    on.chain.simulateAs(by, token, functionName, ...args);
  const read = (functionName: string, ...args: readonly unknown[]) => on.chain.read(token, functionName, ...args);
  const refusal = (name: string, ...args: readonly unknown[]) => ({ name, args });

  /** These tests only read, so all of them run in the second in which one of the passes expires. */
  describe.each(WALLETS)('a wallet $state', ({ wallet, isValid }) => {
    it(isValid ? 'sends and receives' : 'neither sends nor receives', async () => {
      expect([await read('canSend', wallet), await read('canReceive', wallet)]).toEqual([isValid, isValid]);
      expect([
        await read('canTransfer', wallet, SECOND_HOLDER, 1n),
        await read('canTransfer', SECOND_HOLDER, wallet, 1n),
      ]).toEqual([isValid, isValid]);
      const [send, receive] = [refusal('ERC7943CannotSend', wallet), refusal('ERC7943CannotReceive', wallet)];
      expect(await simulate(wallet, 'transfer', SECOND_HOLDER, 1n)).toEqual(isValid ? undefined : send);
      expect(await simulate(SECOND_HOLDER, 'transfer', wallet, 1n)).toEqual(isValid ? undefined : receive);
      expect(await simulate(OWNER, 'mint', wallet, 1n)).toEqual(isValid ? undefined : receive);
      expect(await simulate(OWNER, 'forcedTransfer', SECOND_HOLDER, wallet, 1n)).toEqual(isValid ? undefined : receive);
    });

    it('gives its tokens to another wallet if the owner forces it', async () => {
      expect(await simulate(OWNER, 'forcedTransfer', wallet, SECOND_HOLDER, MINTED)).toBeUndefined();
    });
  });

  it('a view answers for every account and amount, without a revert', async () => {
    for (const account of [zeroAddress, token.address, GATEWAY, STRANGER, `0x${'f'.repeat(40)}` as const]) {
      const views = [read('canSend', account), read('canReceive', account), read('getFrozenTokens', account)];
      expect(await Promise.all(views)).toEqual([false, false, 0n]);
      for (const amount of [0n, maxUint256]) {
        expect(await read('canTransfer', account, HOLDER, amount)).toBe(false);
        expect(await read('canTransfer', HOLDER, account, amount)).toBe(false);
      }
    }
  });

  it('supports the interface of fungible tokens, ERC-20 and ERC-165, and no other one', async () => {
    const ids = ['0x3edbb4c4', '0x36372b07', '0x01ffc9a7', '0xffffffff', '0xbf1ef5fe', '0x41c4fbad', '0x00000000'];
    const found = await Promise.all(ids.map((id) => read('supportsInterface', id)));
    expect(found).toEqual([true, true, true, false, false, false, false]);
  });

  describe('frozen tokens', () => {
    const send = (by: Address, functionName: string, ...args: readonly unknown[]) =>
      on.chain.sendAs(by, token, functionName, ...args);
    const freeze = (amount: bigint) => send(OWNER, 'setFrozenTokens', HOLDER, amount);
    const eventsOf = async (sent: ReturnType<typeof send>) =>
      (await sent).logs.map(({ topics, data }) => decodeEventLog({ abi: token.abi, topics, data }));
    const balanceOf = (account: Address) => read('balanceOf', account);
    beforeAll(async () => {
      token = await fresh();
    });

    it.each<[bigint, bigint]>([
      [0n, MINTED],
      [400n, 600n],
      [MINTED, 0n],
      [MINTED + 1n, 0n],
      [maxUint256, 0n],
    ])('%i of a thousand leave %i to transfer', async (frozen, left) => {
      expect(await eventsOf(freeze(frozen))).toEqual([
        { eventName: 'Frozen', args: { account: HOLDER, amount: frozen } },
      ]);
      expect(await read('getFrozenTokens', HOLDER)).toBe(frozen);
      for (const amount of [0n, left, left + 1n, MINTED]) {
        const isAllowed = amount <= left;
        expect([amount, await read('canTransfer', HOLDER, SECOND_HOLDER, amount)]).toEqual([
          amount,
          isAllowed || frozen === 0n,
        ]);
        if (amount > MINTED) continue;
        const expected = isAllowed ? undefined : refusal('ERC7943InsufficientUnfrozenBalance', HOLDER, amount, left);
        expect(await simulate(HOLDER, 'transfer', SECOND_HOLDER, amount)).toEqual(expected);
      }
      // More than the balance is refused by the token itself, whether tokens are frozen or not.
      const tooMuch = refusal('Error', 'ERC20: transfer amount exceeds balance');
      expect(await simulate(HOLDER, 'transfer', SECOND_HOLDER, MINTED + 1n)).toEqual(tooMuch);
      expect(await simulate(OWNER, 'forcedTransfer', HOLDER, SECOND_HOLDER, MINTED + 1n)).toEqual(tooMuch);
    });

    it('stay frozen for an account with an allowance', async () => {
      await freeze(400n);
      await send(HOLDER, 'approve', SPENDER, MINTED);
      const take = (amount: bigint) => simulate(SPENDER, 'transferFrom', HOLDER, SECOND_HOLDER, amount);
      expect([await take(600n), await take(601n)]).toEqual([
        undefined,
        refusal('ERC7943InsufficientUnfrozenBalance', HOLDER, 601n, 600n),
      ]);
      // The pass of an account that only moves the tokens of others does not count.
      expect(await read('canSend', SPENDER)).toBe(false);
    });

    it('are unfrozen before a forced transfer takes them, as far as it takes them', async () => {
      await freeze(400n);
      expect(await eventsOf(send(OWNER, 'forcedTransfer', HOLDER, SECOND_HOLDER, 500n))).toEqual([
        { eventName: 'Transfer', args: { from: HOLDER, to: SECOND_HOLDER, value: 500n } },
        { eventName: 'ForcedTransfer', args: { from: HOLDER, to: SECOND_HOLDER, amount: 500n } },
      ]);
      expect(await read('getFrozenTokens', HOLDER)).toBe(400n);
      expect(await eventsOf(send(OWNER, 'forcedTransfer', HOLDER, SECOND_HOLDER, 300n))).toEqual([
        { eventName: 'Frozen', args: { account: HOLDER, amount: 200n } },
        { eventName: 'Transfer', args: { from: HOLDER, to: SECOND_HOLDER, value: 300n } },
        { eventName: 'ForcedTransfer', args: { from: HOLDER, to: SECOND_HOLDER, amount: 300n } },
      ]);
      expect([await balanceOf(HOLDER), await balanceOf(SECOND_HOLDER)]).toEqual([200n, MINTED + 800n]);
      await freeze(maxUint256);
      expect((await eventsOf(send(OWNER, 'forcedTransfer', HOLDER, SECOND_HOLDER, 200n)))[0]).toEqual({
        eventName: 'Frozen',
        args: { account: HOLDER, amount: maxUint256 - 200n },
      });
    });

    it('and forced transfers are for the owner alone', async () => {
      for (const [name, ...args] of [
        ['setFrozenTokens', HOLDER, 1n],
        ['forcedTransfer', HOLDER, SECOND_HOLDER, 1n],
        ['mint', HOLDER, 1n],
      ] as const)
        expect(await simulate(STRANGER, name, ...args)).toEqual(refusal('NotOwner', STRANGER));
    });
  });

  describe('a gateway that fails', () => {
    const doubts = { reverts: 2, 'burns its gas': 4, 'returns 2': 6, 'returns nothing': 12, 'returns 700 kB': 13 };
    it.each(Object.entries(doubts))('and %s means no, and no view reverts', async (_, mode) => {
      const made = await fresh();
      const gateway = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
      await on.chain.sendAs(OWNER, made, 'setGate', gateway.address, OURS);
      await on.chain.send(gateway, 'setMode', mode);
      const views = [
        ['canSend', HOLDER],
        ['canReceive', HOLDER],
        ['canTransfer', HOLDER, SECOND_HOLDER, 1n],
      ] as const;
      for (const [name, ...args] of views) expect(await on.chain.read(made, name, ...args)).toBe(false);
      expect(await on.chain.simulateAs(HOLDER, made, 'transfer', SECOND_HOLDER, 1n)).toEqual(
        refusal('ERC7943CannotSend', HOLDER),
      );
    });

    it('because it has no code is refused when it is set, and means no when its code is gone', async () => {
      await expect(on.chain.deploy(TOKEN, 'A', 'A', STRANGER, OURS, OWNER)).rejects.toThrow('reverted');
      const made = await fresh();
      const gateway = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
      await on.chain.send(gateway, 'setMode', 1);
      await on.chain.sendAs(OWNER, made, 'setGate', gateway.address, OURS);
      expect(await on.chain.read(made, 'canSend', HOLDER)).toBe(true);
      await callNode(on.chain.url, 'anvil_setCode', [gateway.address, '0x']);
      expect(await on.chain.read(made, 'canSend', HOLDER)).toBe(false);
    });
  });
});
