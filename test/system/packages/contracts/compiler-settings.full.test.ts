import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { COMPILER_VERSION, CONTRACTS, compileSolidity } from '../../../../tools/contracts/compile.ts';
import { AUTHORITY } from '../../../../tools/localnet/ethereum/contract-node.ts';
import { compileWith, GATEWAY, OURS, useContractChain, walletOf } from './contract-chain.ts';
import { signVerdict } from './verdict-message.ts';

/** The base as dApps compile it, with settings of their own. */

const [HOLDER, FROZEN] = [1, 2].map(walletOf) as [Address, Address];
const on = useContractChain((chain) => chain.issue([{ wallet: HOLDER }, { wallet: FROZEN, fate: 'frozen' }]));

describe.each<[string, object]>([
  ['without the optimizer', { optimizer: { enabled: false } }],
  ['with few runs of the optimizer, for the newest upgrade', { optimizer: { enabled: true, runs: 1 } }],
  ['by the intermediate language', { viaIR: true, optimizer: { enabled: true, runs: 200 } }],
])('a gate that is compiled %s', (_, settings) => {
  const compilation = compileWith(settings);
  const gates = (name: string) => compilation.contract('Gates.sol', name);

  it('admits exactly the holders of a valid pass', async () => {
    const door = await on.chain.deploy(gates('FixedDoor'), GATEWAY, OURS);
    expect(await on.chain.simulateAs(HOLDER, door, 'enter')).toBeUndefined();
    expect(await on.chain.simulateAs(FROZEN, door, 'enter')).toEqual({
      name: 'NoPass',
      args: [FROZEN, GATEWAY, OURS],
    });
  });

  it('means no in every doubt, and no limit of gas turns yes into no', async () => {
    const gateway = await on.chain.deploy(compilation.contract('BadGateway.sol', 'BadGateway'));
    const door = await on.chain.deploy(gates('OwnedDoor'), gateway.address, OURS, AUTHORITY);
    // The numbers are those of the modes in `solidity/BadGateway.sol`.
    for (const mode of [0, 2, 4, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17]) {
      await on.chain.send(gateway, 'setMode', mode);
      expect([mode, await on.chain.read(door, 'hasPass', HOLDER)]).toEqual([mode, false]);
    }
    await on.chain.send(gateway, 'setMode', 18);
    const data = encodeFunctionData({ abi: door.abi, functionName: 'hasPass', args: [HOLDER] });
    const answers = new Set<unknown>();
    for (let gas = 1_980_000n; gas < 2_120_000n; gas += 997n)
      answers.add(
        await on.chain.node.call({ to: door.address, data, gas }).then(
          (found) => found.data,
          () => 'reverted',
        ),
      );
    expect(answers).toEqual(new Set(['reverted', `0x${'1'.padStart(64, '0')}`]));
  });

  it('answers in a token, in an identity registry and about a signed verdict as with our settings', async () => {
    const tokens = compileSolidity({ 'all.sol': TOKENS }, { settings });
    expect(tokens.warnings).toEqual([]);
    const { deploy, read, node } = on.chain;
    const published = (name: string) => tokens.contract(`@gatepass/contracts/${name}.sol`, name);
    const token = await deploy(published('PassToken'), 'Acme Fund', 'ACME', GATEWAY, OURS, AUTHORITY);
    const registry = await deploy(published('PassIdentityRegistry'), GATEWAY, OURS, AUTHORITY);
    expect([await read(token, 'canSend', HOLDER), await read(token, 'canSend', FROZEN)]).toEqual([true, false]);
    expect([await read(registry, 'isVerified', HOLDER), await read(registry, 'isVerified', FROZEN)]).toEqual([
      true,
      false,
    ]);
    const key = generatePrivateKey();
    const verdicts = await deploy(published('PassVerdicts'), AUTHORITY, privateKeyToAddress(key));
    const issuedAt = BigInt(await on.chain.time());
    const pass = { passChainId: 1n, gateway: GATEWAY, gatekeeperNetwork: OURS, wallet: HOLDER } as const;
    const domain = { chainId: 31_337, verifyingContract: HOLDER };
    const { verdict, signature } = await signVerdict(key, { ...pass, issuedAt, notAfter: issuedAt + 600n }, domain);
    const ask = (account: Address) =>
      node.readContract({ ...verdicts, functionName: 'isValid', args: [verdict, signature], account });
    expect([await ask(HOLDER), await ask(FROZEN)]).toEqual([true, false]);
  });
});

const TOKENS = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.13;
import "@gatepass/contracts/PassIdentityRegistry.sol";
import "@gatepass/contracts/PassToken.sol";
import "@gatepass/contracts/PassVerdicts.sol";`;

/** A block explorer gets the sources, and the settings of the artifact. */
it.each(readdirSync(join(CONTRACTS, 'artifacts')))('the settings in %s make its code of the sources alone', (file) => {
  const { contractName, sourceName, compiler, bytecode, deployedBytecode } = JSON.parse(
    readFileSync(join(CONTRACTS, 'artifacts', file), 'utf8'),
  );
  const names = readdirSync(CONTRACTS).filter((name) => name.endsWith('.sol'));
  const sources = Object.fromEntries(names.map((name) => [name, readFileSync(join(CONTRACTS, name), 'utf8')]));
  const again = compileSolidity(sources, { settings: compiler.settings }).contract(sourceName, contractName);
  expect(again).toMatchObject({ bytecode, deployedBytecode });
  expect(compiler.version).toBe(COMPILER_VERSION);
});
