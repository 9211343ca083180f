import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { FETCH_PROGRAM_HINT } from './runtime/gateway-addresses.ts';

const PROGRAM_VARIABLE = 'SOLANA_GATEWAY_PROGRAM';

/**
 * The file with the gateway program that the localnet's Solana node is to run: that of `--solana-program`, or of the
 * environment variable; undefined: its emulation. Throws Failure where the file is not there.
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
