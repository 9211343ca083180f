import { codeBlocks, textOf } from './markdown.ts';

/** The examples of the guide "Require a pass", which tests take from it word by word. */

export const GUIDE = 'docs/partners/require-a-pass.md';

/** Returns the example in that language with that name. */
export function guideBlock(language: string, name: string): string {
  const [block, ...others] = codeBlocks(textOf(GUIDE), `${language} \\[${name}\\]`);
  if (block === undefined || others.length > 0) throw new Error(`the guide has not exactly one example ${name}`);
  return block;
}

/** Returns the public key that is this constant of the Rust example `pass.rs`. */
export function guideKey(name: string): string {
  const key = new RegExp(`^pub const ${name}: Pubkey = pubkey!\\("(\\w+)"\\);$`, 'm').exec(
    guideBlock('rust', 'pass\\.rs'),
  )?.[1];
  if (key === undefined) throw new Error(`the guide has no constant ${name}`);
  return key;
}
