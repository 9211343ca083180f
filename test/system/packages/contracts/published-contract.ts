import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTS, type CompiledContract } from '../../../../tools/contracts/compile.ts';

/** Returns one of our contracts as the package publishes it. `test/unit/tools/contracts.test.ts` compares it with its source. */
export const publishedContract = (name: string): CompiledContract =>
  JSON.parse(readFileSync(join(CONTRACTS, 'artifacts', `${name}.json`), 'utf8'));
