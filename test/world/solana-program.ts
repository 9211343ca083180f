import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../scripts/failure.ts';

const VARIABLE = 'SOLANA_GATEWAY_PROGRAM';

/**
 * The file with the gateway program that the world's Solana node is to run: that of `--solana-program`, or of the
 * environment variable; undefined: its emulation. Throws Failure where the file is not there.
 */
export function solanaProgramFile(named: string | undefined): string | undefined {
  const file = named ?? (process.env[VARIABLE] || undefined);
  if (file === undefined) return undefined;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    const source = named === undefined ? VARIABLE : '--solana-program';
    const dump = 'solana program dump -u m gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs gateway.so';
    throw new Failure(`${source}: there is no file "${file}"; \`${dump}\` fetches the program`, 2);
  }
  return resolve(file);
}
