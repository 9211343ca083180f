import { createHash } from 'node:crypto';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Block } from '../../../tools/localnet/solana/chain/blocks.ts';
import { readTransaction, type SentTransaction } from '../../../tools/localnet/solana/chain/sent-transaction.ts';
import {
  expireFeatureAccountOf,
  GATEWAY_PROGRAM,
  gatekeeperAccountOf,
  gatewayTokenAccountOf,
} from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';

/** The transactions of everybody but the service: other gatekeepers, strangers, owners and authorities. kit encodes them. */

export type Version = 'legacy' | 0 | 1;

/** A change of the token at an index of a wallet, the first by default. */
interface TokenCall {
  readonly kind: 'issue' | 'freeze' | 'unfreeze' | 'revoke' | 'set-expiry' | 'burn' | 'expire';
  readonly wallet: Address;
  readonly network: Address;
  readonly index?: number;
  /** Unix seconds, for `issue` and `set-expiry`. Without it, an issued token never expires. */
  readonly expiry?: number;
}

/** The authority of a gatekeeper network admits or removes a gatekeeper. */
interface GatekeeperCall {
  readonly kind: 'add-gatekeeper' | 'remove-gatekeeper';
  readonly gatekeeper: Address;
  readonly network: Address;
}

export type OthersCall = TokenCall | GatekeeperCall;

/** Pays the fees and rents of all others. */
export const OTHERS_PAYER: Address = getAddressDecoder().decode(new Uint8Array(32).fill(7));
const RENT_SYSVAR: Address = address('SysvarRent111111111111111111111111111111111');
const SYSTEM_PROGRAM: Address = address('11111111111111111111111111111111');

/** The tag of each instruction, and the state that it sets. */
const TAGS = {
  'add-gatekeeper': [0],
  issue: [1],
  unfreeze: [2, 0],
  freeze: [2, 1],
  revoke: [2, 2],
  'set-expiry': [3],
  'remove-gatekeeper': [4],
  expire: [7, 0],
  burn: [8],
} as const;

const [READ, WRITE, SIGN, PAY] = [
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
];

/** Returns the seed of a wallet's token at that index. */
export const seedOf = (index: number): Uint8Array =>
  new Uint8Array(new BigUint64Array([BigInt(index)]).buffer).reverse();

export function instructionOf(sender: Address, call: OthersCall): Instruction {
  const accounts = accountsOf(sender, call).map(([each, role]) => ({ address: each, role }));
  return {
    programAddress: GATEWAY_PROGRAM,
    accounts,
    data: Uint8Array.from([...TAGS[call.kind], ...argumentsOf(call)]),
  };
}

function accountsOf(sender: Address, call: OthersCall): (readonly [Address, AccountRole])[] {
  const { network } = call;
  if ('gatekeeper' in call) {
    const account = gatekeeperAccountOf(call.gatekeeper, network);
    const payer = [OTHERS_PAYER, call.kind === 'add-gatekeeper' ? PAY : WRITE] as const;
    const given = [payer, [account, WRITE], [call.gatekeeper, READ], [sender, SIGN]] as const;
    return call.kind === 'remove-gatekeeper' ? [...given] : [...given, [RENT_SYSVAR, READ], [SYSTEM_PROGRAM, READ]];
  }
  const token = gatewayTokenAccountOf(call.wallet, seedOf(call.index ?? 0), network);
  if (call.kind === 'expire')
    return [
      [token, WRITE],
      [sender, SIGN],
      [expireFeatureAccountOf(network), READ],
    ];
  const account = gatekeeperAccountOf(sender, network);
  if (call.kind !== 'issue')
    return [
      [token, WRITE],
      [sender, SIGN],
      [account, READ],
      ...(call.kind === 'burn' ? [[OTHERS_PAYER, WRITE] as const] : []),
    ];
  return [
    [OTHERS_PAYER, PAY],
    [token, WRITE],
    [call.wallet, READ],
    [account, READ],
    [sender, SIGN],
    [network, READ],
    [RENT_SYSVAR, READ],
    [SYSTEM_PROGRAM, READ],
  ];
}

function argumentsOf(call: OthersCall): Iterable<number> {
  if (call.kind === 'expire') return getAddressEncoder().encode(call.network);
  if (call.kind === 'set-expiry') return int64(call.expiry ?? 0);
  if (call.kind !== 'issue') return [];
  const { index = 0, expiry } = call;
  return [...(index === 0 ? [0] : [1, ...seedOf(index)]), ...(expiry === undefined ? [0] : [1, ...int64(expiry)])];
}

const int64 = (value: number) => new Uint8Array(new BigInt64Array([BigInt(Math.floor(value))]).buffer);

/** The limits of a transaction of version 1, which has none by default. */
const LIMITS = { computeUnitLimit: 1_400_000, loadedAccountsDataSizeLimit: 1_000_000 };

/**
 * Returns a transaction without real signatures, because the world has no keys of others.
 * @param number Makes its signature unique.
 */
export function transactionOf(
  instructions: readonly Instruction[],
  { blockhash, height }: Pick<Block, 'blockhash' | 'height'>,
  version: Version,
  number: number,
): SentTransaction {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: BigInt(height) };
  const empty =
    version === 1
      ? setTransactionMessageConfig(LIMITS, createTransactionMessage({ version }))
      : createTransactionMessage({ version });
  const { messageBytes, signatures } = compileTransaction(
    pipe(
      empty,
      (message) => setTransactionMessageFeePayer(OTHERS_PAYER, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  );
  const signed = Object.keys(signatures).map((signer) => {
    const signature = createHash('sha512').update(`${number} ${signer}`).update(new Uint8Array(messageBytes)).digest();
    return [signer, new Uint8Array(signature) as SignatureBytes];
  });
  const transaction = { messageBytes, signatures: Object.fromEntries(signed) };
  return readTransaction(new Uint8Array(getTransactionEncoder().encode(transaction)));
}
