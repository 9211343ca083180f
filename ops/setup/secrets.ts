import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { Failure } from '../../terminal/failure.ts';
import { nodeUrl } from '../../terminal/option-values.ts';
import { readText } from '../files.ts';
import { newSolanaKey } from '../network/key-files.ts';
import { ask } from './ask.ts';
import { type KeyChoice, keyChoice, type SetupOptions } from './options.ts';

/** A line of the file of secrets. */
type Secret = readonly [name: string, value: string];

/** The addresses of new keys, and the file. No key is printed. */
interface NewSecrets {
  readonly text: string;
  readonly lines: readonly string[];
}

/** Asks for the keys and endpoints, and creates the new keys. Nothing is written yet. Throws Failure if no chain has a key. */
export async function askForSecrets(options: SetupOptions): Promise<NewSecrets> {
  const [ethereum = '', solana = '', rpc = ''] = await ask([
    {
      option: '--ethereum-key',
      text: 'Key for Ethereum-type networks: new, none, or a reference',
      given: textOf(options.ethereumKey),
      check: keyChoice,
    },
    {
      option: '--solana-key',
      text: 'Key for Solana: new, none, or a reference',
      given: textOf(options.solanaKey),
      check: keyChoice,
    },
    {
      option: '--rpc NETWORK=URL',
      text: 'Endpoints of the networks, like sepolia=https://node.acme.com, with a space between two',
      given: options.rpc?.map((pair) => pair.join('=')).join(' '),
      check: nodeUrls,
    },
  ]);
  if (ethereum === 'none' && solana === 'none')
    throw new Failure('one chain needs a key: --ethereum-key or --solana-key', 2);
  const endpoints = Object.groupBy(options.rpc ?? nodeUrls(rpc), ([network]) => network);
  const urls = Object.entries(endpoints).map(([network, pairs = []]) => [network, pairs.map(([, url]) => url)]);
  const keys = [ethereumSecret(ethereum), solanaSecret(solana)].flatMap((each) => each ?? []);
  const secrets: Secret[] = [
    ...keys.map(({ secret }) => secret),
    ...kmsCredentials(options),
    ['RPC_ENDPOINTS', JSON.stringify(Object.fromEntries(urls))],
  ];
  return {
    text: secrets.map(([name, value]) => `${name}='${value}'\n`).join(''),
    lines: keys.map(({ line }) => line),
  };
}

/** Returns what the file of secrets will have, without a key and without the URL of an endpoint, which may contain one. */
export function plannedSecrets({ ethereumKey, solanaKey, kmsCredentials: credentials, rpc }: SetupOptions): string[] {
  const keyOf = (choice: KeyChoice | undefined) =>
    choice === 'new' ? 'a new key' : (textOf(choice) ?? 'the setup asks');
  const networks = rpc?.map(([network]) => network).join(', ');
  return [
    `ETHEREUM_GATEKEEPER_KEY: ${keyOf(ethereumKey)}`,
    `SOLANA_GATEKEEPER_KEY: ${keyOf(solanaKey)}`,
    ...(credentials === undefined ? [] : [`KMS_CREDENTIALS: from ${credentials}`]),
    `RPC_ENDPOINTS: ${networks === undefined ? 'the setup asks' : `for ${networks}`}`,
  ];
}

const nodeUrls = (text: string) => text.split(/\s+/).map(nodeUrl);
const textOf = (choice: KeyChoice | undefined) => (typeof choice === 'object' ? choice.reference : choice);

interface Key {
  readonly secret: Secret;
  readonly line: string;
}

function ethereumSecret(choice: string): Key | undefined {
  if (choice === 'none') return undefined;
  if (choice !== 'new')
    return { secret: ['ETHEREUM_GATEKEEPER_KEY', choice], line: `Ethereum-type networks: ${choice}` };
  const key = generatePrivateKey();
  return {
    secret: ['ETHEREUM_GATEKEEPER_KEY', key],
    line: `Ethereum-type networks: a new key, ${privateKeyToAddress(key)}`,
  };
}

function solanaSecret(choice: string): Key | undefined {
  if (choice === 'none') return undefined;
  if (choice !== 'new') return { secret: ['SOLANA_GATEKEEPER_KEY', choice], line: `Solana: ${choice}` };
  const { text, address } = newSolanaKey();
  return { secret: ['SOLANA_GATEKEEPER_KEY', text], line: `Solana: a new key, ${address}` };
}

function kmsCredentials({ kmsCredentials: file }: SetupOptions): Secret[] {
  return file === undefined ? [] : [['KMS_CREDENTIALS', readText(file, '--kms-credentials').trim()]];
}

/** Writes the file for this user only, in one piece. It is never overwritten: it may be the only copy of a key. */
export function writeSecrets(file: string, text: string): void {
  if (existsSync(file)) throw new Failure(`${file} exists already`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(partial, file);
}
