import { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { Signed } from '../../../../src/chain/port.ts';

/** Returns the content of signed bytes. */
export function readBytes({ bytes }: Pick<Signed, 'bytes'>) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(bytes));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version !== 0) throw new Error('of another version');
  const accounts = message.staticAccounts;
  return {
    accounts,
    signers: Object.keys(signatures),
    payer: accounts[0],
    lookups: message.addressTableLookups ?? [],
    calls: message.instructions.map(({ programAddressIndex, accountIndices = [], data }) => ({
      program: accounts[programAddressIndex],
      accounts: accountIndices.map((index) => accounts[index]),
      data: [...(data ?? [])],
    })),
  };
}
