/** `npm run contracts` compiles the contracts and writes `packages/contracts/artifacts/`. With `--check`, it fails if a file is out of date. */
import { join } from 'node:path';
import { artifacts } from './contracts/artifacts.ts';
import { CONTRACTS } from './contracts/compile.ts';
import { writeGenerated } from './generated-file.ts';

for (const [name, text] of artifacts())
  writeGenerated(
    join(CONTRACTS, 'artifacts', name),
    `packages/contracts/artifacts/${name} does not match the sources: run \`npm run contracts\``,
    () => text,
  );
