import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { HOW_TO_FETCH } from './runtime/gateway-addresses.ts';

const VARIABLE = 'SOLANA_GATEWAY_PROGRAM';

/**
 * The file with the gateway program that the localnet's Solana node is to run: that of `--solana-program`, or of the
 * environment variable; undefined: its emulation. Throws Failure where the file is not there.
 */
export function solanaProgramFile(named: string | undefined): string | undefined {
  const file = named ?? (process.env[VARIABLE] || undefined);
  if (file === undefined) return undefined;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    const source = named === undefined ? VARIABLE : '--solana-program';
    throw new Failure(`${source}: there is no file "${file}"; ${HOW_TO_FETCH}`, 2);
  }
  return resolve(file);
}
