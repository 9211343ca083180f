import { generateKeyPairSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import * as v from 'valibot';
import { privateKeyToAddress } from 'viem/accounts';
import { kmsKey } from '../../src/chain/signing/kms-key.ts';
import { ethereumSecret, type SigningKey, solanaSecret } from '../../src/chain/signing/signing-key.ts';
import { EthereumKey, SolanaKey } from '../../src/config/gatekeeper.ts';
import { isKmsText, parseKmsText } from '../../src/config/kms.ts';
import { secret } from '../../src/lib/secret.ts';
import type { Chain } from '../../src/network/network.ts';
import { CHAINS } from '../../src/network/networks.ts';
import { canonicalWallet } from '../../src/network/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { codeOf, writeNewFile } from '../files.ts';
import { credentialsIn, demandCredentials } from '../kms/credentials.ts';
import { readVariables } from '../nodes/open-nodes.ts';
import type { NodeSource } from '../nodes/options.ts';

/** The keys in the operator's files, one for each kind of chain. Each is of an account that may change a gatekeeper network. */
export type AuthorityKeys = Readonly<Partial<Record<Chain, SigningKey>>>;

const READABLE_BY_OTHERS = 0o077;

/**
 * Reads the files. Throws Failure if one is not a key, or if other users may read it. No message quotes a file. A file may have the
 * reference of a key in a KMS instead; its credentials are among the secrets of the nodes' environment.
 */
export function readKeyFiles(files: readonly string[], source: NodeSource): AuthorityKeys {
  const keys = files.map((file) => readKeyFile(file, source));
  const chains = keys.flatMap((each) => Object.keys(each));
  if (new Set(chains).size < chains.length) throw new Failure(`two key files are for ${chains[0]}: give one`, 2);
  return Object.assign({}, ...keys);
}

function readKeyFile(file: string, source: NodeSource): AuthorityKeys {
  const text = readPrivately(file).trim();
  if (isKmsText(text)) return readReference(file, text, source);
  const ethereum = v.safeParse(EthereumKey, text);
  if (ethereum.success)
    return { ethereum: ethereumSecret(privateKeyToAddress(ethereum.output), secret(ethereum.output)) };
  const solana = v.safeParse(SolanaKey, text, { abortPipeEarly: true });
  if (solana.success && text.startsWith('['))
    return { solana: solanaSecret(base58.encode(solana.output.subarray(32)), secret(solana.output)) };
  throw new Failure(
    `${file} is no key: it must have 32 bytes in hex, the JSON array of solana-keygen, or the reference of a key in a KMS`,
    2,
  );
}

function readReference(file: string, text: string, source: NodeSource): AuthorityKeys {
  const parsed = parseKmsText(text);
  const chain = CHAINS.find((each) => parsed !== undefined && canonicalWallet(each, parsed.address) !== undefined);
  if (parsed === undefined || chain === undefined)
    throw new Failure(`${file} has no reference with an address: write what \`npm run key\` prints`, 2);
  const key = demandCredentials(parsed.key, credentialsIn(secretsOf(source)));
  const address = canonicalWallet(chain, parsed.address) as string;
  return { [chain]: kmsKey(address, key, chain) };
}

/** Returns the secrets of the environment, or the variables of this process. */
function secretsOf(source: NodeSource) {
  return source.type === 'urls' ? process.env : readVariables(source).secrets;
}

/** Returns the content of a file that only its owner may read. Throws Failure if others may. */
export function readPrivately(file: string): string {
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
  const { text, address } = newSolanaKey();
  writeNewFile(file, text, { mode: 0o600 });
  return address;
}

/** Returns a new key pair in the form of solana-keygen, and its public key. */
export function newSolanaKey(): { readonly text: string; readonly address: string } {
  const pair = generateKeyPairSync('ed25519');
  // Both DERs end with the 32 bytes (RFC 8410). The export of a new key as JWK can hang Node 20.
  const seed = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32);
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  return { text: JSON.stringify([...seed, ...publicKey]), address: base58.encode(publicKey) };
}
