import { type Abi, type Address, encodeFunctionData, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from '../../../ops/network/gateway-build.ts';
import { contractOfBuild } from '../../../ops/network/slim-build.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { compileSolidity } from '../../../tools/contracts/compile.ts';
import { AUTHORITY } from '../../../tools/localnet/ethereum/contract-node.ts';
import { PARTNERS } from '../../../tools/localnet/oauth/partners.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { tableRows, textOf } from '../../unit/documents/markdown.ts';
import { GUIDE, guideBlock } from '../../unit/documents/pass-guide.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { publishedContract } from '../packages/contracts/published-contract.ts';
import { signVerdict, VERDICTS } from '../packages/contracts/verdict-message.ts';
import { compileExamples } from './guide-code.ts';
import { type OwnChain, startOwnChain } from './own-chain.ts';

/** The examples of the guide "Require a pass" for Ethereum-type networks and its traps, on a chain whose blocks the test makes. */

interface Examples {
  readonly viem: { hasPass(wallet: string): Promise<boolean> };
  readonly twoNodes: { hasPass(wallet: string): Promise<boolean> };
  readonly checker: {
    permissionsOf(checker: string, wallet: string, token: string): Promise<{ swap: boolean; addLiquidity: boolean }>;
  };
  readonly registry: { isVerified(registry: string, wallet: string): Promise<boolean> };
}

/** A contract of the guide, deployed for the gatekeeper network, and the error with which it refuses a wallet. */
interface Door {
  readonly address: Address;
  readonly abi: Abi;
  readonly refusal: RegExp;
}

const REFUSALS = { PassGate: /NoPass/, Gated: /IsGated__InvalidGatewayToken/ };

const SLOT = 1n;
/** An account of the node that is no authority of the gatekeeper network. */
const STRANGER: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';

describe.each(BUILDS)('on the contract %s', (build) => {
  const CONTRACT = contractOfBuild(build);
  const state = openStateFolder();
  let chain: OwnChain;
  let load: Awaited<ReturnType<typeof compileExamples<Examples>>>;
  let examples: Examples;
  let doors: Record<keyof typeof REFUSALS, Door>;
  let checker: Address;
  let registry: Address;
  /** The token of the guide, and an account with tokens and a pass. */
  let fund: { readonly address: Address; readonly abi: Abi };
  const INVESTOR = freshWallet('sepolia') as string as Address;
  const aWallet = () => freshWallet('sepolia') as string as Address;

  beforeAll(async () => {
    chain = await startOwnChain([PARTNERS[0]?.gatekeeperNetwork ?? ''], build);
    const tabs = { viem: 'viem', twoNodes: 'Two nodes', checker: 'Checker', registry: 'Registry' };
    load = await compileExamples<Examples>(state.folder, tabs, CONTRACT);
    examples = await load({ ETHEREUM_RPC_URL: chain.url, SECOND_RPC_URL: chain.url });
    doors = { PassGate: await openDoor('PassGate'), Gated: await openDoor('Gated') };
    checker = await chain.deploy(publishedContract('UniswapAllowlistChecker'), [CONTRACT, SLOT, zeroAddress]);
    registry = await chain.deploy(publishedContract('PassIdentityRegistry'), [CONTRACT, SLOT, zeroAddress]);
    const example = compileSolidity({ 'Fund.sol': guideBlock('solidity', 'PassTransfers') }).contract(
      'Fund.sol',
      'Fund',
    );
    fund = { address: await chain.deploy(example, [CONTRACT, SLOT]), abi: example.abi };
    await chain.mint(INVESTOR, SLOT);
    await sendAs(AUTHORITY, fund, 'mint', INVESTOR, 1_000n);
  });
  afterAll(async () => {
    await chain?.stop();
    state.close();
  });

  async function openDoor(name: keyof typeof REFUSALS, gateway: Address = CONTRACT): Promise<Door> {
    const compiled = compileSolidity({ 'Door.sol': guideBlock('solidity', name) }).contract('Door.sol', 'Door');
    const address = await chain.deploy(compiled, [gateway, SLOT]);
    return { address, abi: compiled.abi, refusal: REFUSALS[name] };
  }

  /** Whether the contract admits the wallet. Throws if it fails otherwise than by refusing. */
  async function enters({ address, abi, refusal }: Door, wallet: Address): Promise<boolean> {
    try {
      return (await chain.node.readContract({ address, abi, functionName: 'enter', account: wallet })) === true;
    } catch (error) {
      if (refusal.test(String(error))) return false;
      throw error;
    }
  }

  async function sendAs(account: Address, { address, abi }: typeof fund, functionName: string, ...args: unknown[]) {
    const data = encodeFunctionData({ abi, functionName, args });
    return chain.gasOf(account, address, data);
  }

  /** Whether the token of the guide lets the wallet receive tokens. Throws if it fails otherwise than by refusing. */
  async function receivesTokens(wallet: Address): Promise<boolean> {
    const transfer = { ...fund, functionName: 'transfer', args: [wallet, 1n], account: INVESTOR };
    try {
      await chain.node.simulateContract(transfer);
      return true;
    } catch (error) {
      if (/ERC7943CannotReceive/.test(String(error))) return false;
      throw error;
    }
  }

  /** Expects the same answer of each example. */
  async function expectAll(wallet: Address, isAdmitted: boolean, what?: string): Promise<void> {
    const { swap, addLiquidity } = await examples.checker.permissionsOf(checker, wallet, CONTRACT);
    const answers = {
      viem: await examples.viem.hasPass(wallet),
      twoNodes: await examples.twoNodes.hasPass(wallet),
      PassGate: await enters(doors.PassGate, wallet),
      Gated: await enters(doors.Gated, wallet),
      ...{ swap, addLiquidity },
      PassTransfers: await receivesTokens(wallet),
      registry: await examples.registry.isVerified(registry, wallet),
    };
    expect(answers, what).toEqual(Object.fromEntries(Object.keys(answers).map((way) => [way, isAdmitted])));
  }

  describe('a check on an Ethereum-type network', () => {
    it('admits a wallet exactly while its gateway token is active', async () => {
      const wallet = aWallet();
      await expectAll(wallet, false, 'none');
      await chain.mint(wallet, SLOT);
      await expectAll(wallet, true, 'issued');
      for (const change of ['freeze', 'unfreeze', 'revoke'] as const) {
        await chain.change(change, wallet, SLOT);
        await expectAll(wallet, change === 'unfreeze', change);
      }
    });

    it('admits in the second of the expiry, and refuses in the next one', async () => {
      const { timestamp } = await chain.node.getBlock();
      const [wallet, expiry] = [aWallet(), timestamp + 1_000n];
      await chain.mint(wallet, SLOT, expiry);
      for (const [time, isAdmitted] of [
        [expiry - 1n, true],
        [expiry, true],
        [expiry + 1n, false],
      ] as const) {
        await chain.makeBlockAt(time);
        await expectAll(wallet, isAdmitted, `${time - expiry} s after the expiry`);
      }
    });

    if (build === 'protocol')
      it('admits a wallet with two gateway tokens until the last of them is revoked', async () => {
        const wallet = aWallet();
        await chain.mint(wallet, SLOT);
        await chain.mint(wallet, SLOT);
        await chain.change('revoke', wallet, SLOT, 0);
        await expectAll(wallet, true);
        await chain.change('freeze', wallet, SLOT, 1);
        await expectAll(wallet, false);
      });

    it('refuses a gateway token of another gatekeeper network, which a stranger may create', async () => {
      const wallet = aWallet();
      await chain.createNetwork(77n, STRANGER);
      await chain.mint(wallet, 77n, 0n, STRANGER);
      await expectAll(wallet, false);
    });

    it('admits everybody whom a stranger chooses on a network where the slot number is unused', async () => {
      const other = await startOwnChain([], build);
      try {
        const wallet = aWallet();
        await other.createNetwork(SLOT, STRANGER);
        await other.mint(wallet, SLOT, 0n, STRANGER);
        const { viem } = await load({ ETHEREUM_RPC_URL: other.url, SECOND_RPC_URL: other.url });
        expect(await viem.hasPass(wallet)).toBe(true);
      } finally {
        await other.stop();
      }
    });

    it('asks two nodes, so that one that lies admits nobody', async () => {
      const liar = await startFaultProxy(chain.url, async ({ body }) => {
        const calls: { id: number } | { id: number }[] = JSON.parse(body);
        const answerTo = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: `0x${'1'.padStart(64, '0')}` });
        const answers = Array.isArray(calls) ? calls.map(answerTo) : answerTo(calls);
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answers) };
      });
      const wallet = aWallet();
      const { viem } = await load({ ETHEREUM_RPC_URL: liar.url, SECOND_RPC_URL: liar.url });
      expect(await viem.hasPass(wallet)).toBe(true);
      for (const urls of [
        { ETHEREUM_RPC_URL: liar.url, SECOND_RPC_URL: chain.url },
        { ETHEREUM_RPC_URL: chain.url, SECOND_RPC_URL: liar.url },
      ]) {
        const { twoNodes } = await load(urls);
        expect(await twoNodes.hasPass(wallet)).toBe(false);
      }
      liar.stop();
    });

    it('fails at an address without code instead of admitting the wallet', async () => {
      const empty = await startFaultProxy(chain.url, async ({ body }) => {
        const { id } = JSON.parse(body);
        const headers = { 'content-type': 'application/json' };
        return { status: 200, headers, body: JSON.stringify({ jsonrpc: '2.0', id, result: '0x' }) };
      });
      const { viem, twoNodes } = await load({ ETHEREUM_RPC_URL: empty.url, SECOND_RPC_URL: chain.url });
      await expect(viem.hasPass(aWallet())).rejects.toThrow(/returned no data/);
      await expect(twoNodes.hasPass(aWallet())).rejects.toThrow(/returned no data/);
      empty.stop();
    });

    it(
      build === 'protocol' ? 'costs in a contract as much gas as the guide says' : 'costs less gas than the guide says',
      async () => {
        const wallet = aWallet();
        await chain.mint(wallet, SLOT);
        const rows = tableRows(textOf(GUIDE));
        const gasOf = ({ address, abi }: Door) =>
          chain.gasOf(wallet, address, encodeFunctionData({ abi, functionName: 'enter' }));
        for (const [name, door] of Object.entries(doors)) {
          const gas = await gasOf(door);
          const row = rows.find(([way = '', cost = '']) => way.startsWith(`[\`${name}\`]`) && cost.includes('gas'));
          const [, documented = ''] = /^([\d,]+) gas in each call$/.exec(row?.[1] ?? '') ?? [];
          const documentedGas = Number(documented.replaceAll(',', ''));
          if (build === 'protocol') expect(Math.round(gas / 1_000) * 1_000).toBe(documentedGas);
          else expect(gas).toBeLessThan(documentedGas / 2);
        }
        const before = await gasOf(doors.Gated);
        await chain.mint(wallet, 77n, 0n, STRANGER);
        // Only the contract of the protocol walks all gateway tokens of the wallet.
        const more = (await gasOf(doors.Gated)) - before;
        if (build === 'protocol') expect(more).toBeGreaterThan(5_000);
        else expect(more).toBe(0);
      },
    );

    it('reverts in a contract whose gateway has no code, and says so while PassGate is deployed', async () => {
      const empty = aWallet();
      await expect(openDoor('PassGate', empty)).rejects.toThrow('the deployment is reverted');
      const gated = await openDoor('Gated', empty);
      await expect(enters(gated, aWallet())).rejects.toThrow(/reverted/);
    });
  });
});

it('the door of the guide for signed verdicts admits the wallet that a verdict names, until the verdict ends', async () => {
  // No gateway contract is asked on this chain.
  const chain = await startOwnChain([]);
  try {
    const key = generatePrivateKey();
    const [wallet, other] = [freshWallet('sepolia'), freshWallet('sepolia')] as string[] as [Address, Address];
    const verdicts = await chain.deploy(VERDICTS, [AUTHORITY, privateKeyToAddress(key)]);
    const { abi, bytecode } = compileSolidity({ 'Door.sol': guideBlock('solidity', 'PassVerdicts') }).contract(
      'Door.sol',
      'Door',
    );
    const address = await chain.deploy({ abi, bytecode }, [verdicts]);
    const { timestamp } = await chain.node.getBlock();
    const pass = { passChainId: 11_155_111n, gateway: OWNERLESS_CONTRACT, gatekeeperNetwork: SLOT } as const;
    const times = { issuedAt: timestamp, notAfter: timestamp + 600n };
    const domain = { chainId: 11_155_111, verifyingContract: address };
    const { signature } = await signVerdict(key, { ...pass, ...times, wallet }, domain);
    const enter = (account: Address, notAfter = times.notAfter) => {
      const args = [times.issuedAt, notAfter, signature];
      return chain.node.readContract({ address, abi, functionName: 'enter', args, account });
    };
    expect(await enter(wallet)).toBe(true);
    await expect(enter(other)).rejects.toThrow('no valid verdict');
    await expect(enter(wallet, times.notAfter - 1n)).rejects.toThrow('no valid verdict');
    await chain.makeBlockAt(times.notAfter);
    expect(await enter(wallet)).toBe(true);
    await chain.makeBlockAt(times.notAfter + 1n);
    await expect(enter(wallet)).rejects.toThrow('no valid verdict');
  } finally {
    await chain.stop();
  }
});
