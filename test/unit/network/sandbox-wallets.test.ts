import { expect, it } from 'vitest';
import { CHAINS } from '../../../src/network/networks.ts';
import { SANDBOX_CASES, sandboxCaseOf, sandboxWallet } from '../../../src/network/sandbox.ts';
import { canonicalWallet } from '../../../src/network/wallet.ts';

const WALLETS = CHAINS.flatMap((chain) => SANDBOX_CASES.map((name) => ({ chain, name })));

it.each(WALLETS)('the wallet "$name" is a canonical address on $chain and names its case', ({ chain, name }) => {
  const wallet = sandboxWallet(name, chain);
  expect(canonicalWallet(chain, wallet)).toBe(wallet);
  expect(sandboxCaseOf(wallet)).toBe(name);
});

it('no two cases share a wallet, and other wallets have no case', () => {
  expect(new Set(WALLETS.map(({ chain, name }) => sandboxWallet(name, chain))).size).toBe(WALLETS.length);
  for (const wallet of ['0x5555555555555555555555555555555555555500', '0x5555555555555555555555555555555555555599', ''])
    expect(sandboxCaseOf(wallet)).toBeUndefined();
});

it('the wallets keep their addresses, because partners write them down', () => {
  expect(CHAINS.map((chain) => SANDBOX_CASES.map((name) => sandboxWallet(name, chain)))).toMatchInlineSnapshot(`
    [
      [
        "SandboxTakesAMinute111111111111111111111111",
        "SandboxRejected1111111111111111111111111111",
        "SandboxReorged11111111111111111111111111111",
        "SandboxReorgedAndDropped1111111111111111111",
        "SandboxNeverFunded1111111111111111111111111",
        "SandboxNodeAway1111111111111111111111111111",
        "SandboxExpires11111111111111111111111111111",
        "SandboxAnnounced111111111111111111111111111",
        "SandboxRevoked11111111111111111111111111111",
        "SandboxFrozen111111111111111111111111111111",
        "SandboxAdopted11111111111111111111111111111",
        "SandboxQuotaExceeded11111111111111111111111",
        "SandboxRateLimited1111111111111111111111111",
      ],
      [
        "0x5555555555555555555555555555555555555501",
        "0x5555555555555555555555555555555555555502",
        "0x5555555555555555555555555555555555555503",
        "0x5555555555555555555555555555555555555504",
        "0x5555555555555555555555555555555555555505",
        "0x5555555555555555555555555555555555555506",
        "0x5555555555555555555555555555555555555507",
        "0x5555555555555555555555555555555555555508",
        "0x5555555555555555555555555555555555555509",
        "0x5555555555555555555555555555555555555510",
        "0x5555555555555555555555555555555555555511",
        "0x5555555555555555555555555555555555555512",
        "0x5555555555555555555555555555555555555513",
      ],
    ]
  `);
});
