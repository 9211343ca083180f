import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '@solana/kit';
import { Failure } from '../../../../terminal/failure.ts';
import type { Account } from '../runtime/runtime.ts';
import { BLOCKHASH_VALID_BLOCKS, newestBlock } from './blocks.ts';
import type { LandedTransaction, Ledger } from './ledger.ts';

/** The state that survives the node. Of the chain it is only the position, because after a restart all of it is final. */
export interface SavedChain {
  readonly slot: number;
  readonly height: number;
  /** Undefined: the account was deleted. */
  readonly accounts: ReadonlyMap<Address, Account | undefined>;
  readonly landed: ReadonlyMap<string, LandedTransaction>;
}

const FORMAT_VERSION = 1;

/** Writes everything to one file, atomically. */
export async function saveChain(file: string, { chain, accounts, landed }: Ledger): Promise<void> {
  const { slot, height } = newestBlock(chain);
  const state = {
    form: FORMAT_VERSION,
    savedAt: Date.now(),
    slot: Math.max(slot, chain.lastSlot),
    height,
    // Deleted accounts too, because they may be accounts of the genesis block.
    accounts: [...accounts].map(([address, versions]) => {
      const account = versions.at(-1)?.account;
      return [address, account ? serializeAccount(account) : null];
    }),
    landed: [...landed].map(([signature, each]) => [signature, { ...each, wire: encodeBase64(each.wire) }]),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.unfinished`, JSON.stringify(state));
  await rename(`${file}.unfinished`, file);
}

/**
 * Returns the stored state; undefined without a file. The chain has advanced in the meantime by a slot every `slotMs`, and at least so
 * far that no earlier blockhash is valid, because blocks after the last writing are unknown. Throws Failure if the file is damaged.
 */
export async function restoreChain(file: string, slotMs: number): Promise<SavedChain | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(`${file} cannot be read (${error.code})`);
  });
  if (text === undefined) return undefined;
  try {
    const { form, savedAt, slot, height, accounts, landed } = JSON.parse(text);
    if (form !== FORMAT_VERSION) throw new Error('another form');
    const passed = slotMs === 0 ? 0 : Math.floor((Date.now() - savedAt) / slotMs);
    const ahead = Math.max(passed, BLOCKHASH_VALID_BLOCKS + 1);
    return {
      slot: slot + ahead,
      height: height + ahead,
      accounts: new Map(
        accounts.map(([address, account]: [Address, StoredAccount | null]) => [
          address,
          account ? parseAccount(account) : undefined,
        ]),
      ),
      landed: new Map(landed.map(([signature, each]: [string, StoredLanded]) => [signature, parseLanded(each)])),
    };
  } catch (error) {
    throw new Failure(`${file} is damaged (${(error as Error).message}): remove it to start with a new chain`);
  }
}

type StoredAccount = ReturnType<typeof serializeAccount>;
type StoredLanded = Omit<LandedTransaction, 'wire'> & { readonly wire: string };

function serializeAccount({ lamports, data, owner, executable }: Account) {
  return { lamports: String(lamports), data: encodeBase64(data), owner, executable };
}

function parseAccount({ lamports, data, owner, executable }: StoredAccount): Account {
  return { lamports: BigInt(lamports), data: decodeBase64(data), owner, executable };
}

function parseLanded(landed: StoredLanded): LandedTransaction {
  return { ...landed, error: landed.error, wire: decodeBase64(landed.wire) };
}

function encodeBase64(data: Uint8Array): string {
  return Buffer.from(data).toString('base64');
}

function decodeBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
