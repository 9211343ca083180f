/** `npm run plots` draws the pictures of numbers in the documents. With `--check`, it fails if a file is not the picture of today's numbers. */
import { fileURLToPath } from 'node:url';
import { writeGenerated } from './generated-file.ts';
import { PLOTS } from './plots/plots.ts';

for (const [file, draw] of Object.entries(PLOTS))
  writeGenerated(
    fileURLToPath(import.meta.resolve(`../${file}`)),
    `${file} does not show the newest numbers: run \`npm run plots\``,
    draw,
  );
