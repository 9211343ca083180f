import { join } from 'node:path';
import { startChild } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { Hardfork, Node, NodeOptions } from '../state/node.ts';
import { awaitNode } from './await-node.ts';

interface HardhatOptions extends Pick<NodeOptions, 'network' | 'port' | 'state'> {
  readonly hardfork: Hardfork;
  readonly blockGasLimit: number;
  /**
   * Maximum gas of a transaction, as nodes had it before Glamsterdam (EIP-7825: 16,777,216). Undefined: as much as a block. EIP-8037 no
   * longer counts the gas of new state for that maximum, but hardhat 3.18 still does.
   */
  readonly transactionGasCap?: number | undefined;
}

/** Starts a chain with that id and the rules of the hardfork. It mines every transaction at once, and keeps the chain in memory only. */
export async function startHardhatChain(chainId: number, options: HardhatOptions): Promise<Node> {
  const { network, port, state, hardfork, blockGasLimit, transactionGasCap = 'none' } = options;
  if (state !== undefined) throw new Failure(`${network}: hardhat keeps no chain, so --state cannot have one`, 2);
  if (!isInstalled()) throw new Failure('hardhat is one of the packages of the tests: run `npm ci`');
  const program = join(import.meta.dirname, 'hardhat-process.ts');
  const settings = [chainId, port, hardfork, blockGasLimit, transactionGasCap].map(String);
  const child = await startChild(process.execPath, [program, ...settings], {
    env: { HARDHAT_DISABLE_TELEMETRY: 'true' },
  });
  return awaitNode({ program: 'hardhat', network, chainId, port }, child);
}

/** `npm ci --omit=dev` leaves hardhat out. */
function isInstalled(): boolean {
  try {
    return import.meta.resolve('hardhat/hre') !== '';
  } catch {
    return false;
  }
}
