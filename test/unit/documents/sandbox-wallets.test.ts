import { expect, it } from 'vitest';
import { SANDBOX_CASES, sandboxWallet } from '../../../src/network/sandbox.ts';
import { textOf } from '../package-files.ts';

it('docs/partners/sandbox.md lists the wallets of all cases', () => {
  const rows = textOf('docs/partners/sandbox.md').matchAll(/^\| ([a-z-]+) \| `(0x\d{40})` \| `(Sandbox\w+)` \| \S/gm);
  expect([...rows].map(([, name, ethereum, solana]) => [name, ethereum, solana])).toEqual(
    SANDBOX_CASES.map((name) => [name, sandboxWallet(name, 'ethereum'), sandboxWallet(name, 'solana')]),
  );
});
