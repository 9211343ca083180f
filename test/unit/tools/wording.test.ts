import { expect, it } from 'vitest';
import { hitsIn } from '../../../tools/wording.ts';

it.each`
  file        | content
  ${'a.md'}   | ${'# Title\n\nRead the rows. What is no bookmark\ndoes no harm.'}
  ${'a.md'}   | ${'- first\n- So many may wait for one pass'}
  ${'a.ts'}   | ${'// The gateway takes\n// at the most one.\nexport {};'}
  ${'a.ts'}   | ${'/**\n * Stores rows.\n *\n * Whoever asks\n * gets them.\n */'}
  ${'a.ts'}   | ${"throw new Error('the signer goes on with the next one');"}
  ${'a.ts'}   | ${'const text = `the passes are signed anew in a minute`;'}
  ${'a.toml'} | ${'name = "x"\n# It stays for ever.'}
  ${'a.sql'}  | ${'-- The behaviour of rows.\nSELECT 1;'}
  ${'a.html'} | ${'<p>Of these, <b>one</b> is chosen.</p>'}
  ${'a.ts'}   | ${'function aimOf(request) {}'}
  ${'a.ts'}   | ${'class A { #wishes = 1; }'}
  ${'a.mjs'}  | ${'const { askedExpiry } = pass;'}
  ${'a.ts'}   | ${'const UNHELD_MAX_MS = 1;'}
`('finds a planted wording in $file: $content', ({ file, content }) => {
  expect(hitsIn(file, content)).not.toEqual([]);
});

it('names the line where the paragraph starts and the better wording', () => {
  expect(hitsIn('a.ts', 'let a;\n\n/** Waits.\n * It stays for ever. */')).toEqual([
    { line: 3, words: 'for ever.', better: 'forever' },
  ]);
});

it.each`
  file      | content
  ${'a.md'} | ${'A pass names the wallet. What happens when it expires?'}
  ${'a.md'} | ${'`what is no bookmark` and\n\n```sh\n# what is this for ever\n```'}
  ${'a.ts'} | ${"const forEver = { 'for ever': 1 }; // the value that is read"}
  ${'a.ts'} | ${'export const anew = what.at(the.most);'}
  ${'a.ts'} | ${'// The change goes on chain.'}
  ${'a.ts'} | ${'const order = claims.inOrder;'}
`('finds nothing in $file: $content', ({ file, content }) => {
  expect(hitsIn(file, content)).toEqual([]);
});
