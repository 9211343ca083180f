import { describe, expect, it } from 'vitest';
import { correctChecksum } from '../../../../packages/cli/src/csv/wallet.ts';
import { demandWallet } from '../../../../packages/cli/src/wallet-argument.ts';
import { runCli, variablesAt } from './run-cli.ts';

/** An example of EIP-55, and the same digits with one letter in the other case. */
const RIGHT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const WRONG = '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ADVICE = `the checksum is wrong. If every digit is right, the address is ${RIGHT}`;

describe('an Ethereum address with a wrong checksum', () => {
  it('has a right one, unless the address itself is malformed', () => {
    expect(correctChecksum(WRONG)).toBe(RIGHT);
    for (const text of [RIGHT, RIGHT.toLowerCase(), '0x12', `0x${'0'.repeat(40)}`, `${WRONG}0`, ''])
      expect(correctChecksum(text), text).toBeUndefined();
  });

  it.each([
    ['issue', WRONG, '--network', 'sepolia'],
    ['get', WRONG],
    ['get', WRONG, '--network', 'sepolia'],
    ['search', '--wallet', WRONG],
    ['audit', WRONG, '--network', 'sepolia'],
  ])('is refused by gatepass %s with the right one, before anything is sent', async (...args) => {
    // Nothing listens at this port.
    const ran = await runCli(args, variablesAt(9));
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`: ${ADVICE}\n`) });
  });

  it('is named by the chain if the command line names it', () => {
    expect(() => demandWallet(WRONG, 'ethereum')).toThrow(
      'is not a wallet address of the chain ethereum: the checksum',
    );
    expect(() => demandWallet(RIGHT, 'solana')).toThrow(/is not a wallet address of the chain solana$/);
    expect(() => demandWallet('nonsense')).toThrow('"nonsense" is not a wallet address');
    expect(demandWallet(RIGHT.toLowerCase())).toBe(RIGHT);
  });
});
