import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { guideBlock } from '../../unit/documents/pass-guide.ts';
import { compile, installClient, linkPackages } from '../packages/client/install-client.ts';

/** The packages that the examples in TypeScript use, besides the client. */
const PACKAGES = ['viem', '@solana/kit'];
const OPTIONS = [
  ...['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck'],
  ...['--target', 'es2022', '--module', 'nodenext'],
];

/** Loads the compiled examples with these variables of the environment, which they read while they load. */
type Load<Modules> = (env: Readonly<Record<string, string>>) => Promise<Modules>;

/**
 * Compiles examples of the guide as a partner does, each as a module of its own.
 * @param tabs The name of each example by the name of its module.
 * @param contract The contract that the examples ask.
 */
export async function compileExamples<Modules>(
  folder: string,
  tabs: Readonly<Record<keyof Modules & string, string>>,
  contract: string = OWNERLESS_CONTRACT,
): Promise<Load<Modules>> {
  await installClient(folder);
  linkPackages(folder, PACKAGES);
  // Vitest leaves modules in this folder to Node, which resolves their imports as it does for a partner.
  const examples = join(folder, 'node_modules/examples');
  mkdirSync(examples, { recursive: true });
  const types = join(examples, 'node.d.ts');
  writeFileSync(types, 'declare const process: { readonly env: Record<string, string | undefined> };');
  const names = Object.keys(tabs) as (keyof Modules & string)[];
  const files = names.map((name) => join(examples, `${name}.mts`));
  for (const [at, name] of names.entries()) {
    const example = guideBlock('ts', tabs[name]).replaceAll(OWNERLESS_CONTRACT, contract);
    writeFileSync(files[at] as string, example);
  }
  await compile(folder, [...OPTIONS, types, ...files]);
  let loads = 0;
  return async (env) => {
    const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, env);
    try {
      loads += 1;
      const modules = names.map(async (name) => {
        const { href } = pathToFileURL(join(examples, `${name}.mjs`));
        return [name, await import(`${href}?load=${loads}`)];
      });
      return Object.fromEntries(await Promise.all(modules)) as Modules;
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  };
}
