import { type Address, decodeEventLog, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import { compiled, type Deployed, OTHER, OURS, useContractChain, walletOf } from './contract-chain.ts';

/** The bases and the library, as dApps use them. */

describe.each(BUILDS)('on the contract %s', (build) => {
  const GATEWAY = contractOfBuild(build);
  const on = useContractChain(async (chain) => {
    await chain.issue([
      { wallet: HOLDER },
      { wallet: FROZEN, fate: 'frozen' },
      { wallet: OF_OTHER, network: OTHER },
      ...(build === 'protocol' ? [{ wallet: TWO, fate: 'revoked' } as const] : []),
      { wallet: TWO },
    ]);
  }, build);
  const [HOLDER, FROZEN, OF_OTHER, TWO, NOBODY] = [1, 2, 3, 4, 5].map(walletOf) as [
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const [OWNER, NEXT, STRANGER] = [11, 12, 13].map(walletOf) as [Address, Address, Address];

  const gates = (name: string) => compiled.contract('Gates.sol', name);
  const ownedDoor = (owner: Address = OWNER) => on.chain.deploy(gates('OwnedDoor'), GATEWAY, OURS, owner);
  const gateOf = async (door: Deployed) => [
    await on.chain.read(door, 'gateway'),
    await on.chain.read(door, 'gatekeeperNetwork'),
  ];

  describe.each(['FixedDoor', 'OwnedDoor', 'LibraryDoor'])('%s', (name) => {
    it('admits the holders of a valid pass, and refuses all others with the reason', async () => {
      const args = name === 'OwnedDoor' ? [OWNER] : [];
      const door = await on.chain.deploy(gates(name), GATEWAY, OURS, ...args);
      for (const wallet of [HOLDER, TWO]) await on.chain.sendAs(wallet, door, 'enter');
      for (const wallet of [FROZEN, OF_OTHER, NOBODY])
        await expect(on.chain.sendAs(wallet, door, 'enter')).rejects.toMatchObject({
          revert: { name: 'NoPass', args: [wallet, GATEWAY, OURS] },
        });
      expect(await on.chain.read(door, 'visits')).toBe(2n);
    });
  });

  describe('a fixed gate', () => {
    it('asks about its caller, and not about the account that signed: a holder can be lured into any contract', async () => {
      const door = await on.chain.deploy(gates('FixedDoor'), GATEWAY, OURS);
      const visitor = await on.chain.deploy(gates('Visitor'));
      expect(await on.chain.simulateAs(HOLDER, door, 'enter')).toBeUndefined();
      expect(
        await on.chain.simulateAs(
          HOLDER,
          { ...door, ...visitor, abi: [...visitor.abi, ...door.abi] },
          'visit',
          door.address,
        ),
      ).toEqual({
        name: 'NoPass',
        args: [visitor.address, GATEWAY, OURS],
      });
    });

    it('has no function that changes it', () => {
      const functions = gates('FixedDoor').abi.filter(({ type }) => type === 'function');
      expect(functions.map((each) => 'name' in each && each.name).toSorted()).toEqual(
        ['enter', 'gatekeeperNetwork', 'gateway', 'hasPass', 'requirePass', 'visits'].toSorted(),
      );
    });

    it('refuses a gateway that is no contract, or not a gateway, already when it is deployed', async () => {
      for (const gateway of [zeroAddress, STRANGER, `0x${'2'.padStart(40, '0')}`] as const)
        await expect(on.chain.deploy(gates('FixedDoor'), gateway, OURS)).rejects.toThrow();
      await expect(on.chain.deploy(gates('FixedDoor'), (await ownedDoor()).address, OURS)).rejects.toThrow();
    });
  });

  describe('a gate behind a proxy, which does not see what the constructor wrote', () => {
    it('refuses everybody, and has no owner whom anybody could become', async () => {
      const implementation = await ownedDoor();
      const proxy = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BareProxy'), implementation.address);
      const door = { ...implementation, address: proxy.address };
      expect(await on.chain.read(door, 'hasPass', HOLDER)).toBe(false);
      await expect(on.chain.sendAs(HOLDER, door, 'enter')).rejects.toMatchObject({
        revert: { name: 'NoPass', args: [HOLDER, zeroAddress, 0n] },
      });
      for (const name of ['acceptOwnership', 'renounceOwnership'])
        await expect(on.chain.sendAs(OWNER, door, name)).rejects.toThrow('NotOwner');
      await expect(on.chain.sendAs(OWNER, door, 'setGate', GATEWAY, OURS)).rejects.toThrow('NotOwner');
    });
  });

  describe('the owner of a gate', () => {
    it('changes gateway and gatekeeper network at once, which an event reports', async () => {
      const door = await ownedDoor();
      const { logs } = await on.chain.sendAs(OWNER, door, 'setGate', GATEWAY, OTHER);
      expect(logs.map(({ topics, data }) => decodeEventLog({ abi: door.abi, topics, data }))).toEqual([
        { eventName: 'GateChanged', args: { gateway: GATEWAY, gatekeeperNetwork: OTHER } },
      ]);
      expect(await gateOf(door)).toEqual([GATEWAY, OTHER]);
      await on.chain.sendAs(OF_OTHER, door, 'enter');
      await expect(on.chain.sendAs(HOLDER, door, 'enter')).rejects.toThrow('NoPass');
    });

    it('is the only account that may', async () => {
      const door = await ownedDoor();
      for (const [name, ...args] of [
        ['setGate', GATEWAY, OTHER],
        ['transferOwnership', STRANGER],
        ['renounceOwnership'],
        ['acceptOwnership'],
      ] as const)
        for (const from of [STRANGER, HOLDER])
          await expect(on.chain.sendAs(from, door, name, ...args)).rejects.toMatchObject({
            revert: { name: 'NotOwner', args: [from] },
          });
      expect([...(await gateOf(door)), await on.chain.read(door, 'owner')]).toEqual([GATEWAY, OURS, OWNER]);
    });

    it('cannot set an account without code, a contract of another kind, or an account that only delegates its code', async () => {
      const door = await ownedDoor();
      const delegating = walletOf(20);
      // It answers as a gateway does, until the holder of its key delegates to something else.
      const gateway = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
      await on.chain.node.setCode({ address: delegating, bytecode: `0xef0100${gateway.address.slice(2)}` });
      expect(await on.chain.read({ ...gateway, address: delegating }, 'mode')).toBe(0n);
      const refusal = (account: Address) =>
        on.chain.sendAs(OWNER, door, 'setGate', account, OURS).catch((error) => error.revert);
      for (const account of [zeroAddress, STRANGER, delegating, `0x${'4'.padStart(40, '0')}`] as const)
        expect(await refusal(account)).toEqual({ name: 'NotAContract', args: [account] });
      expect(await refusal(door.address)).toEqual({ name: 'NotAGateway', args: [door.address] });
      expect(await gateOf(door)).toEqual([GATEWAY, OURS]);
    });

    it('hands over in two steps: a wrong address never becomes the owner, and the name can be taken back', async () => {
      const door = await ownedDoor();
      const pending = () => on.chain.read(door, 'pendingOwner');
      await on.chain.sendAs(OWNER, door, 'transferOwnership', NEXT);
      expect([await pending(), await on.chain.read(door, 'owner')]).toEqual([NEXT, OWNER]);
      await expect(on.chain.sendAs(STRANGER, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await expect(on.chain.sendAs(OWNER, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await on.chain.sendAs(OWNER, door, 'transferOwnership', zeroAddress);
      await expect(on.chain.sendAs(NEXT, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await on.chain.sendAs(OWNER, door, 'transferOwnership', NEXT);
      await on.chain.sendAs(NEXT, door, 'acceptOwnership');
      expect([await pending(), await on.chain.read(door, 'owner')]).toEqual([zeroAddress, NEXT]);
      await expect(on.chain.sendAs(OWNER, door, 'setGate', GATEWAY, OTHER)).rejects.toThrow('NotOwner');
      await expect(on.chain.sendAs(NEXT, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await on.chain.sendAs(NEXT, door, 'setGate', GATEWAY, OTHER);
    });

    it('can leave: then nobody changes anything, also not an account that was named before', async () => {
      const door = await ownedDoor();
      await on.chain.sendAs(OWNER, door, 'transferOwnership', NEXT);
      await on.chain.sendAs(OWNER, door, 'renounceOwnership');
      expect(await on.chain.read(door, 'owner')).toBe(zeroAddress);
      await expect(on.chain.sendAs(NEXT, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await expect(on.chain.sendAs(OWNER, door, 'setGate', GATEWAY, OTHER)).rejects.toThrow('NotOwner');
      await on.chain.sendAs(HOLDER, door, 'enter');
    });

    it('may be nobody from the beginning', async () => {
      const door = await ownedDoor(zeroAddress);
      await expect(on.chain.sendAs(STRANGER, door, 'setGate', GATEWAY, OTHER)).rejects.toThrow('NotOwner');
      await expect(on.chain.sendAs(STRANGER, door, 'acceptOwnership')).rejects.toThrow('NotOwner');
      await on.chain.sendAs(HOLDER, door, 'enter');
    });
  });
});
