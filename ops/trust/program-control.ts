import { type Address, getAddressDecoder, getU32Decoder, getU64Decoder } from '@solana/kit';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { readAccounts, solanaRpc } from '../../src/chain/solana/rpc.ts';

/** Reads who can replace a Solana program. */

export interface ProgramControl {
  /** The program that loads it, and that decides who can replace it. */
  readonly loader: string;
  /** Null: nobody can replace it. */
  readonly upgradeAuthority: string | null;
  /** The slot of its last deployment; null: unknown. */
  readonly deployedAt: number | null;
}

/** Programs of these loaders never change. */
export const IMMUTABLE_LOADERS: readonly string[] = [
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
];
export const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** The kinds of accounts of the upgradeable loader, as the first 4 bytes say. */
const PROGRAM = 2;
const PROGRAM_DATA = 3;
/** ProgramData: the kind, the slot (u64), whether there is an upgrade authority (1 byte), its address, and then the code. */
const SLOT_AT = 4;
const HAS_AUTHORITY_AT = 12;
const AUTHORITY_AT = 13;
const PROGRAM_DATA_MIN_BYTES = 45;

/** An account as a reader needs it. */
interface ProgramAccount {
  readonly owner: string;
  readonly executable: boolean;
  readonly data: Parameters<ReturnType<typeof getU32Decoder>['decode']>[0];
}

/** Reads the final program and its data. Null: no program exists there. Throws RpcFault if the accounts cannot be read. */
export async function readProgramControl(send: JsonRpc, program: Address): Promise<ProgramControl | null> {
  const rpc = solanaRpc(send);
  const read = async (address: Address) =>
    (await readAccounts(rpc, [address], 'finalized')).accounts.get(address) as ProgramAccount | undefined;
  const account = await read(program);
  if (!account?.executable) return null;
  const { owner: loader } = account;
  if (loader !== UPGRADEABLE_LOADER) return { loader, upgradeAuthority: null, deployedAt: null };
  return { loader, ...parseProgramData(await read(programDataOf(account))) };
}

/** Returns the address of the account with the code of an upgradeable program. Throws RpcFault for any other account. */
export function programDataOf({ data }: ProgramAccount): Address {
  if (data.length < 36 || getU32Decoder().decode(data) !== PROGRAM) throw new RpcFault('the program cannot be read');
  return getAddressDecoder().decode(data, 4);
}

/** Returns the upgrade authority and the slot of the last deployment. Throws RpcFault for any other account. */
export function parseProgramData(account: ProgramAccount | undefined): Omit<ProgramControl, 'loader'> {
  const { owner, data } = account ?? { owner: '', data: new Uint8Array() };
  const isProgramData =
    owner === UPGRADEABLE_LOADER &&
    data.length >= PROGRAM_DATA_MIN_BYTES &&
    getU32Decoder().decode(data) === PROGRAM_DATA;
  if (!isProgramData) throw new RpcFault('the code of the program cannot be read');
  return {
    upgradeAuthority: data[HAS_AUTHORITY_AT] === 1 ? getAddressDecoder().decode(data, AUTHORITY_AT) : null,
    deployedAt: Number(getU64Decoder().decode(data, SLOT_AT)),
  };
}
