import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../../terminal/failure.ts';
import { FETCH_PROGRAM_HINT } from './runtime/gateway-addresses.ts';

const PROGRAM_VARIABLE = 'SOLANA_GATEWAY_PROGRAM';

/**
 * Returns the file with the gateway program for the localnet's Solana node, from `--solana-program` or the environment variable;
 * undefined means the emulation. Throws Failure if the file does not exist.
 */
export function findSolanaProgram(named: string | undefined): string | undefined {
  const file = named ?? (process.env[PROGRAM_VARIABLE] || undefined);
  if (file === undefined) return undefined;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    const source = named === undefined ? PROGRAM_VARIABLE : '--solana-program';
    throw new Failure(`${source}: there is no file "${file}"; ${FETCH_PROGRAM_HINT}`, 2);
  }
  return resolve(file);
}
