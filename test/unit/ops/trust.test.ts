import { type Address, address } from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { describe, expect, it } from 'vitest';
import { formatTrust, isTrusted } from '../../../ops/network/trust.ts';
import { parseProgramData, programDataOf, UPGRADEABLE_LOADER } from '../../../ops/trust/program-control.ts';
import { judgeContract, judgeProgram } from '../../../ops/trust/verdict.ts';
import { CONTRACT_BUILDS } from '../../../src/chain/ethereum/contract-control.ts';
import { CIVIC_ACCOUNTS } from '../../../src/chain/ethereum/read-control.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';

const [CIVIC = '0x'] = CIVIC_ACCOUNTS;
const OTHER = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
const OWN = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const NONE = { codeHash: CONTRACT_BUILDS.gatewayToken.codeHash, superAdmins: [], forwarders: [] };
const SLIM = { ...NONE, codeHash: CONTRACT_BUILDS.slimGateway.codeHash };

describe('judgeContract', () => {
  it.each([
    ['the ownerless address with the public build', OWNERLESS_CONTRACT, 'public-build', NONE, 'nobody'],
    ['the ownerless address in lower case', OWNERLESS_CONTRACT.toLowerCase(), 'public-build', NONE, 'nobody'],
    ['the ownerless address with accepted code', OWNERLESS_CONTRACT, 'accepted', NONE, 'somebody-else'],
    ['the ownerless address with unknown code', OWNERLESS_CONTRACT, 'unknown', NONE, 'somebody-else'],
    [
      'the ownerless address with an admin',
      OWNERLESS_CONTRACT,
      'public-build',
      { ...NONE, superAdmins: [CIVIC] },
      'somebody-else',
    ],
    [
      'the ownerless address with a forwarder',
      OWNERLESS_CONTRACT,
      'public-build',
      { ...NONE, forwarders: [OWN] },
      'somebody-else',
    ],
    ['any address with the code of SlimGateway', OTHER, 'public-build', SLIM, 'nobody'],
    ['another address without a known admin', OTHER, 'public-build', NONE, 'somebody-else'],
    ['an admin of the operator', OTHER, 'public-build', { ...NONE, superAdmins: [OWN] }, 'you'],
    ['an admin of the operator, and accepted code', OTHER, 'accepted', { ...NONE, superAdmins: [OWN] }, 'you'],
    ['an admin of the operator, and unknown code', OTHER, 'unknown', { ...NONE, superAdmins: [OWN] }, 'somebody-else'],
    ['a second admin who is another', OTHER, 'public-build', { ...NONE, superAdmins: [OWN, CIVIC] }, 'somebody-else'],
    [
      'a forwarder who is another',
      OTHER,
      'public-build',
      { ...NONE, superAdmins: [OWN], forwarders: [CIVIC] },
      'somebody-else',
    ],
    [
      'a forwarder of the operator without a known admin',
      OTHER,
      'public-build',
      { ...NONE, forwarders: [OWN] },
      'somebody-else',
    ],
  ] as const)('judges %s', (_, contract, code, control, verdict) => {
    const judged = judgeContract(contract, code, control, [OWN.toLowerCase()]);
    expect(judged.verdict).toBe(verdict);
    for (const account of [...control.superAdmins, ...control.forwarders])
      expect(judged.reasons.some((reason) => reason.startsWith(account))).toBe(true);
  });
});

describe('judgeProgram', () => {
  const program = { loader: UPGRADEABLE_LOADER, upgradeAuthority: 'an authority', deployedAt: 1 };
  it.each([
    ['an upgrade authority of somebody else', program, 'somebody-else'],
    ['an upgrade authority of the operator', { ...program, upgradeAuthority: 'mine' }, 'you'],
    ['no upgrade authority', { ...program, upgradeAuthority: null }, 'nobody'],
    [
      'a loader that never replaces programs',
      { loader: 'BPFLoader2111111111111111111111111111111111', upgradeAuthority: null, deployedAt: null },
      'nobody',
    ],
    ['an unknown loader', { loader: 'another', upgradeAuthority: null, deployedAt: null }, 'somebody-else'],
  ])('judges %s', (_, control, verdict) => {
    expect(judgeProgram(control, ['mine']).verdict).toBe(verdict);
  });
});

describe('the accounts of a Solana program', () => {
  const machine = new LiteSVM();
  const accountAt = (at: Address) => {
    const account = machine.getAccount(at);
    if (!account.exists) throw new Error(`${at} does not exist`);
    return { ...account, owner: account.programAddress };
  };
  const dataAt = programDataOf(accountAt(address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')));

  it('are read as the virtual machine of Solana writes them', () => {
    const data = accountAt(dataAt);
    expect(data.owner).toBe(UPGRADEABLE_LOADER);
    expect(data.data.length).toBeGreaterThan(45);
    expect(parseProgramData(data)).toEqual({ upgradeAuthority: null, deployedAt: expect.any(Number) });
  });

  it('say who can replace the program, also if nobody can', () => {
    const bytes = (has: number) => new Uint8Array([3, 0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, has, ...new Array(32).fill(0)]);
    const account = (data: Uint8Array, owner = UPGRADEABLE_LOADER) => ({ owner, executable: false, data });
    expect(parseProgramData(account(bytes(1)))).toEqual({ upgradeAuthority: '1'.repeat(32), deployedAt: 263 });
    expect(parseProgramData(account(bytes(0)))).toEqual({ upgradeAuthority: null, deployedAt: 263 });
    for (const wrong of [
      undefined,
      account(bytes(1), 'another'),
      account(bytes(1).slice(0, 44)),
      account(bytes(1).fill(2, 0, 1)),
    ])
      expect(() => parseProgramData(wrong)).toThrow('cannot be read');
    expect(() => programDataOf(account(bytes(1)))).toThrow('cannot be read');
  });
});

describe('the lines of trust', () => {
  const common = { network: 'sepolia', address: OTHER, reasons: ['a reason'], authorities: [], gatekeepers: [] };
  it('say what one endpoint alone shows', () => {
    const trust = {
      ...common,
      verdict: 'nobody',
      confirmed: false,
      loader: 'x',
      upgradeAuthority: null,
      deployedAt: null,
      endpoints: 1,
    } as const;
    expect(formatTrust(trust)).toEqual([
      `sepolia (${OTHER}): nobody`,
      '  a reason',
      '  last deployed in slot unknown',
      '  only one endpoint shows it',
    ]);
    expect(isTrusted(trust)).toBe(true);
    const besideASilentOne = { ...trust, endpoints: 2 };
    expect(formatTrust(besideASilentOne)).toContain('  only one of 2 endpoints shows it');
    expect(isTrusted(besideASilentOne)).toBe(false);
  });

  it('say why a network could not be read, which is not trusted', () => {
    expect(formatTrust({ network: 'sepolia', error: 'the nodes do not answer' })).toEqual([
      'sepolia: the nodes do not answer',
    ]);
    expect(isTrusted({ network: 'sepolia', error: 'the nodes do not answer' })).toBe(false);
  });
});
