import { CONTRACT_BUILDS, type CodeStanding, type ContractControl } from '../../src/chain/ethereum/contract-control.ts';
import { OWNERLESS_CONTRACT } from '../../src/network/networks.ts';
import { IMMUTABLE_LOADERS, type ProgramControl, UPGRADEABLE_LOADER } from './program-control.ts';

/** Whom the passes of a network depend on, beside its chain and the authorities of the gatekeeper network. */
export interface Verdict {
  /** `you`: only accounts that the operator has named. */
  readonly verdict: 'nobody' | 'you' | 'somebody-else';
  /** Each sentence names an account or a fact, and what follows from it. */
  readonly reasons: readonly string[];
}

/** Each verdict as a reader sees it. */
export const VERDICTS: Readonly<Record<Verdict['verdict'], string>> = {
  nobody: 'nobody',
  you: 'you',
  'somebody-else': 'somebody else',
};

const SLIM_REASON = 'its code has no owner, no upgrade and no forwarder. It was tested, not audited';

const isIn = (addresses: readonly string[], address: string) =>
  addresses.some((each) => each.toLowerCase() === address.toLowerCase());

/**
 * Judges a contract. That nobody controls it follows from its code alone, which has no owner (SlimGateway), or from its code and its
 * address, which is derived from the creation without a super admin. Pure.
 * @param own Accounts that the operator has named.
 */
export function judgeContract(
  contract: string,
  code: CodeStanding,
  { codeHash, superAdmins, forwarders }: Omit<ContractControl, 'implementation'>,
  own: readonly string[],
): Verdict {
  const powers = [
    ...superAdmins.map(
      (account) => [account, 'is a super admin: it can replace the code, and act as any account'] as const,
    ),
    ...forwarders.map(
      (account) => [account, 'is a forwarder: it can act as any gatekeeper and any authority'] as const,
    ),
  ];
  const sentences = powers.map(([account, power]) => `${account} ${power}`);
  if (code === 'unknown')
    return {
      verdict: 'somebody-else',
      reasons: ['the code is unknown, so it may let anybody do anything', ...sentences],
    };
  if (codeHash === CONTRACT_BUILDS.slimGateway.codeHash) return { verdict: 'nobody', reasons: [SLIM_REASON] };
  const isOwnerless = contract.toLowerCase() === OWNERLESS_CONTRACT.toLowerCase() && code === 'public-build';
  if (isOwnerless && powers.length === 0)
    return { verdict: 'nobody', reasons: ['its address proves that it was created without a super admin'] };
  const hasStranger = powers.some(([account]) => !isIn(own, account));
  if (superAdmins.length === 0)
    return {
      verdict: 'somebody-else',
      reasons: [...sentences, 'no known account is its super admin: name others with --known, or use --scan-logs'],
    };
  return { verdict: hasStranger ? 'somebody-else' : 'you', reasons: sentences };
}

/** Judges the program of a Solana network. Pure. */
export function judgeProgram({ loader, upgradeAuthority }: ProgramControl, own: readonly string[]): Verdict {
  if (loader !== UPGRADEABLE_LOADER && !IMMUTABLE_LOADERS.includes(loader))
    return {
      verdict: 'somebody-else',
      reasons: [`its loader ${loader} is unknown, so anybody may be able to replace it`],
    };
  if (upgradeAuthority === null) return { verdict: 'nobody', reasons: ['it has no upgrade authority'] };
  const reasons = [`${upgradeAuthority} is its upgrade authority: it can replace the program`];
  return { verdict: isIn(own, upgradeAuthority) ? 'you' : 'somebody-else', reasons };
}
