import { createRequire } from 'node:module';
import { type Address, zeroAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { BUILDS } from '../../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../../ops/network/slim-build.ts';
import type { CompiledContract } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { compiled, type Deployed, OURS, walletOf } from './contract-chain.ts';
import { SECOND_HOLDER, usePassStates, WALLETS, walletWith } from './pass-states.ts';
import { publishedContract } from './published-contract.ts';

/** The identity registry of passes behind the token of T-REX (ERC-3643), whose bytecode is that of its own package. */

const REGISTRY = publishedContract('PassIdentityRegistry');
const trexContract = (path: string): CompiledContract =>
  createRequire(import.meta.url)(`@tokenysolutions/t-rex/artifacts/contracts/${path}.json`);
const OWNER = walletOf(11);
/** An account without a pass that moves the tokens of others. */
const SPENDER = walletOf(12);
const error = (text: string) => ({ name: 'Error', args: [text] });
const NOT_POSSIBLE = error('Transfer not possible');
const NOT_VERIFIED = error('Identity is not verified.');

describe.each(BUILDS)('on the contract %s', (build) => {
  const GATEWAY = contractOfBuild(build);
  let registry: Deployed;
  let compliance: Deployed;
  let token: Deployed;
  const on = usePassStates(build, async (chain) => {
    registry = await chain.deploy(REGISTRY, GATEWAY, OURS, OWNER);
    compliance = await chain.deploy(trexContract('compliance/modular/ModularCompliance.sol/ModularCompliance'));
    await chain.send(compliance, 'init');
    token = await chain.deploy(trexContract('token/Token.sol/Token'));
    await chain.send(token, 'init', registry.address, compliance.address, 'Acme', 'ACME', 18, zeroAddress);
    await chain.send(token, 'addAgent', AUTHORITY);
    await chain.send(token, 'unpause');
    // Every wallet has tokens of a time in which anybody has a pass.
    const open = await chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
    await chain.send(open, 'setMode', 1);
    await chain.sendAs(OWNER, registry, 'setGate', open.address, OURS);
    for (const wallet of [...WALLETS.map((each) => each.wallet), SECOND_HOLDER])
      await chain.send(token, 'mint', wallet, 1_000n);
    await chain.sendAs(OWNER, registry, 'setGate', GATEWAY, OURS);
    await chain.sendAs(SECOND_HOLDER, token, 'approve', SPENDER, 1_000n);
  });
  const simulate = (by: Address, functionName: string, ...args: readonly unknown[]) =>
    on.chain.simulateAs(by, token, functionName, ...args);

  describe.each(WALLETS)('a wallet $state', ({ wallet, isValid }) => {
    it(isValid ? 'receives tokens without an identity of its own' : 'receives no tokens', async () => {
      expect(await on.chain.read(registry, 'isVerified', wallet)).toBe(isValid);
      const refusal = isValid ? undefined : NOT_POSSIBLE;
      expect(await simulate(SECOND_HOLDER, 'transfer', wallet, 1n)).toEqual(refusal);
      expect(await simulate(SPENDER, 'transferFrom', SECOND_HOLDER, wallet, 1n)).toEqual(refusal);
      expect(await simulate(AUTHORITY, 'forcedTransfer', SECOND_HOLDER, wallet, 1n)).toEqual(
        isValid ? undefined : NOT_POSSIBLE,
      );
      expect(await simulate(AUTHORITY, 'mint', wallet, 1n)).toEqual(isValid ? undefined : NOT_VERIFIED);
    });

    it('sends its tokens, because the token asks about the wallet that receives', async () => {
      expect(await simulate(wallet, 'transfer', SECOND_HOLDER, 1n)).toBeUndefined();
    });
  });

  it('an agent of the token stops a wallet that must not send', async () => {
    const wallet = walletWith('with a frozen pass');
    await on.chain.send(token, 'setAddressFrozen', wallet, true);
    expect(await simulate(wallet, 'transfer', SECOND_HOLDER, 1n)).toEqual(error('wallet is frozen'));
  });

  it('a wallet is recovered by a forced transfer: the registry has no identities', async () => {
    const [lost, next] = [walletWith('with a revoked pass'), walletWith('with an active pass')];
    // The identity contract of an investor, which says yes to everything.
    const identity = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
    await on.chain.send(identity, 'setMode', 1);
    expect(await simulate(AUTHORITY, 'recoveryAddress', lost, next, identity.address)).toEqual({
      name: 'no reason',
      args: [],
    });
    await on.chain.send(token, 'forcedTransfer', lost, next, 1_000n);
    expect(await on.chain.read(token, 'balanceOf', lost)).toBe(0n);
  });

  it('a module of the token that asks for a country lets nobody receive tokens', async () => {
    const path = 'compliance/modular/modules/CountryAllowModule.sol/CountryAllowModule';
    const { address } = await on.chain.deploy(trexContract(path));
    const transfer = () => simulate(SECOND_HOLDER, 'transfer', walletWith('with an active pass'), 1n);
    await on.chain.send(compliance, 'addModule', address);
    expect(await transfer()).toEqual({ name: 'no reason', args: [] });
    await on.chain.send(compliance, 'removeModule', address);
    expect(await transfer()).toBeUndefined();
  });

  it.each<[string, number]>([
    ['reverts', 2],
    ['burns its gas', 4],
    ['returns 2', 6],
    ['returns nothing', 12],
  ])('a gateway that %s means that nobody receives tokens', async (_, mode) => {
    const gateway = await on.chain.deploy(compiled.contract('BadGateway.sol', 'BadGateway'));
    await on.chain.sendAs(OWNER, registry, 'setGate', gateway.address, OURS);
    await on.chain.send(gateway, 'setMode', mode);
    expect(await on.chain.read(registry, 'isVerified', SECOND_HOLDER)).toBe(false);
    const wallet = walletWith('with an active pass');
    expect(await simulate(wallet, 'transfer', SECOND_HOLDER, 1n)).toEqual(NOT_POSSIBLE);
    await on.chain.sendAs(OWNER, registry, 'setGate', GATEWAY, OURS);
    expect(await simulate(wallet, 'transfer', SECOND_HOLDER, 1n)).toBeUndefined();
  });

  it('a gateway without code is refused when the registry is deployed', async () => {
    await expect(on.chain.deploy(REGISTRY, walletOf(12), OURS, OWNER)).rejects.toThrow('reverted');
  });
});
