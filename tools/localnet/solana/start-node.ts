import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { Node, NodeOptions } from '../state/node.ts';

/** The timing of the node, if it differs from the real network. */
export interface BlockPace {
  /** Milliseconds between blocks; 0: only `localnet_advance` makes blocks. */
  readonly slotMs?: number;
  /** How many blocks must follow a block until it is confirmed, and until it is finalized. */
  readonly confirmed?: number;
  readonly finalized?: number;
}

const NODE_PROGRAM = join(import.meta.dirname, 'node.ts');
/** It only ends a start that hangs. */
const START_TIMEOUT_MS = 60_000;

/** Starts a Solana chain with the gateway program and the gatekeepers. */
export async function startSolanaNode(options: NodeOptions, { slotMs, ...depths }: BlockPace = {}): Promise<Node> {
  const { network, port, state, solanaProgram } = options;
  const given = Object.entries({ network, port, state, program: solanaProgram, 'slot-ms': slotMs, ...depths });
  const args = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
  const started = Promise.withResolvers<boolean>();
  const child = await startChild(process.execPath, [NODE_PROGRAM, ...args], {
    onLine: (line) => line.startsWith(`${network} answers`) && started.resolve(true),
  });
  const tooLate = sleep(START_TIMEOUT_MS, false, { ref: false });
  if (!(await Promise.race([started.promise, child.ended.then(() => false), tooLate]))) {
    await child.stop();
    const said = child.lastLines.findLast((line) => line.trim() !== '') ?? 'it said nothing';
    throw new Failure(`${network}: the Solana node did not start: ${said}`);
  }
  return { network, rpcUrl: `http://127.0.0.1:${port}`, pid: child.pid, ended: child.ended, stop: child.stop };
}
