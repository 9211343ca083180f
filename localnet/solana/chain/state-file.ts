import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '@solana/kit';
import { Failure } from '../../../scripts/failure.ts';
import type { Account } from '../runtime/runtime.ts';
import { BLOCKHASH_BLOCKS, newest } from './blocks.ts';
import type { Landed, Ledger } from './ledger.ts';

/** What outlives the node. Of the chain only where it stands: after a restart all of it is final. */
export interface Kept {
  readonly slot: number;
  readonly height: number;
  /** Undefined: one that is gone. */
  readonly accounts: ReadonlyMap<Address, Account | undefined>;
  readonly landed: ReadonlyMap<string, Landed>;
}

const FORM = 1;

/** Writes everything in one file, whole or not at all. */
export async function keep(file: string, { chain, accounts, landed }: Ledger): Promise<void> {
  const { slot, height } = newest(chain);
  const state = {
    form: FORM,
    savedAt: Date.now(),
    slot: Math.max(slot, chain.lastSlot),
    height,
    // Those that are gone too: they may be among what every chain begins with.
    accounts: [...accounts].map(([address, versions]) => {
      const account = versions.at(-1)?.account;
      return [address, account ? accountOut(account) : null];
    }),
    landed: [...landed].map(([signature, each]) => [signature, { ...each, wire: base64(each.wire) }]),
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.unfinished`, JSON.stringify(state));
  await rename(`${file}.unfinished`, file);
}

/**
 * What was kept; undefined when there is no such file. The chain has gone on meanwhile, by a slot every `slotMs`, and at
 * least so far that no blockhash of before is good: which blocks were made after the last writing, nobody knows.
 * Throws Failure when the file is damaged.
 */
export async function restored(file: string, slotMs: number): Promise<Kept | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(`${file} cannot be read (${error.code})`);
  });
  if (text === undefined) return undefined;
  try {
    const { form, savedAt, slot, height, accounts, landed } = JSON.parse(text);
    if (form !== FORM) throw new Error('another form');
    const passed = slotMs === 0 ? 0 : Math.floor((Date.now() - savedAt) / slotMs);
    const ahead = Math.max(passed, BLOCKHASH_BLOCKS + 1);
    return {
      slot: slot + ahead,
      height: height + ahead,
      accounts: new Map(
        accounts.map(([address, account]: [Address, AccountOut | null]) => [
          address,
          account ? accountIn(account) : undefined,
        ]),
      ),
      landed: new Map(landed.map(([signature, each]: [string, LandedOut]) => [signature, landedIn(each)])),
    };
  } catch (error) {
    throw new Failure(`${file} is damaged (${(error as Error).message}): remove it to begin anew`);
  }
}

type AccountOut = ReturnType<typeof accountOut>;
type LandedOut = Omit<Landed, 'wire'> & { readonly wire: string };

function accountOut({ lamports, data, owner, executable }: Account) {
  return { lamports: String(lamports), data: base64(data), owner, executable };
}

function accountIn({ lamports, data, owner, executable }: AccountOut): Account {
  return { lamports: BigInt(lamports), data: bytes(data), owner, executable };
}

function landedIn(landed: LandedOut): Landed {
  return { ...landed, error: landed.error, wire: bytes(landed.wire) };
}

function base64(data: Uint8Array): string {
  return Buffer.from(data).toString('base64');
}

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}
