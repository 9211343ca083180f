import { generateKeyPairSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { base58, base64urlnopad } from '@scure/base';
import * as v from 'valibot';
import { privateKeyToAddress } from 'viem/accounts';
import { Failure } from '../../scripts/failure.ts';
import { EthereumKey, SolanaKey } from '../../src/config/gatekeeper.ts';
import { type Secret, secret } from '../../src/lib/secret.ts';
import { codeOf, writeNewFile } from '../files.ts';

/** A key of an account that may change a gatekeeper network. */
interface AuthorityKey<Key> {
  readonly address: string;
  readonly key: Secret<Key>;
}

/** The keys in the operator's files, one for each kind of chain. */
export interface AuthorityKeys {
  readonly ethereum?: AuthorityKey<`0x${string}`>;
  /** 64 bytes: the seed and the public key. */
  readonly solana?: AuthorityKey<Uint8Array>;
}

const READABLE_BY_OTHERS = 0o077;

/** Reads the files. Throws Failure if one is not a key, or if other users may read it. No message quotes a file. */
export function readKeyFiles(files: readonly string[]): AuthorityKeys {
  const keys = files.map(readKeyFile);
  const chains = keys.flatMap((each) => Object.keys(each));
  if (new Set(chains).size < chains.length) throw new Failure(`two key files are for ${chains[0]}: give one`, 2);
  return Object.assign({}, ...keys);
}

function readKeyFile(file: string): AuthorityKeys {
  const text = readPrivately(file).trim();
  const ethereum = v.safeParse(EthereumKey, text);
  if (ethereum.success)
    return { ethereum: { address: privateKeyToAddress(ethereum.output), key: secret(ethereum.output) } };
  const solana = v.safeParse(SolanaKey, text, { abortPipeEarly: true });
  if (solana.success && text.startsWith('['))
    return { solana: { address: base58.encode(solana.output.subarray(32)), key: secret(solana.output) } };
  throw new Failure(`${file} is no key: it must have 32 bytes in hex, or the JSON array of solana-keygen`, 2);
}

function readPrivately(file: string): string {
  let open: number | undefined;
  try {
    open = openSync(file, 'r');
    const status = fstatSync(open);
    if (!status.isFile()) throw new Failure(`${file} is not a file`, 2);
    if ((status.mode & READABLE_BY_OTHERS) === 0) return readFileSync(open, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} cannot be read (${codeOf(error)})`, 2);
  } finally {
    if (open !== undefined) closeSync(open);
  }
  throw new Failure(`other users may read ${file}: run \`chmod 600 ${file}\``, 2);
}

/** Writes a new key pair in the form of solana-keygen, and returns its public key. Throws Failure if the file exists. */
export function createKeyFile(file: string): string {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, publicKey] = [base64urlnopad.decode(d), base64urlnopad.decode(x)];
  writeNewFile(file, JSON.stringify([...seed, ...publicKey]), { mode: 0o600 });
  return base58.encode(publicKey);
}
