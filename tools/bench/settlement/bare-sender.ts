import { join } from 'node:path';
import { slotOf } from '../../../src/network/slot.ts';
import { startChild } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import { GATEKEEPER_KEYS } from '../../localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../localnet/solana/gatekeepers.ts';
import type { LocalnetFacts } from '../../localnet/state/localnet-facts.ts';
import { PARTNER } from '../dataset.ts';
import type { SettlementNetwork } from './localnet.ts';

/** A key that the service does not have, so that neither uses nonces of the other. */
const SENDERS = {
  sepolia: ['bare-sender.ts', GATEKEEPER_KEYS[3], String(slotOf(PARTNER.gatekeeperNetwork))],
  devnet: ['bare-sender-on-solana.ts', SOLANA_GATEKEEPER_KEYS[3], PARTNER.gatekeeperNetwork],
} as const;

/** Has a separate process issue `count` passes, and returns the seconds that it took. */
export async function sendBare({ rpc }: LocalnetFacts, network: SettlementNetwork, count: number): Promise<number> {
  const [program, key, slot] = SENDERS[network];
  const file = join(import.meta.dirname, '..', 'peers', program);
  const args = ['--no-warnings', file, rpc[network] ?? '', key, slot, String(count)];
  const sender = await startChild(process.execPath, args);
  const code = await sender.ended;
  const seconds = Number(sender.lastLines.at(-1));
  if (code === 0 && seconds > 0) return seconds;
  throw new Failure(`the bare sender of ${network} failed: ${sender.lastLines.join('\n')}`);
}
