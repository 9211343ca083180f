import { parseSignerName, type SignerName } from '../network/signer-name.ts';
import { CHAIN_RULES } from './chain-rules.ts';
import type { Pass } from './pass.ts';

/** What this service has of the key that issued a pass, or is to issue it. */
export type IssuerKey = 'in-service' | 'missing' | 'compromised';

/**
 * The pass with another signer for its next steps. The signer until now keeps tracking the steps that it did. Where only the
 * issuing gatekeeper freezes, the token now counts as another gatekeeper's.
 */
export function changeSigner(pass: Pass, signer: SignerName): Pass {
  const { key, signer: before, onChain, past } = pass;
  const isOthers = CHAIN_RULES[key.chain].onlyIssuerFreezes && onChain.state !== 'NONE' && !onChain.foreign;
  return {
    ...pass,
    signer,
    past: past?.map((step) => ({ signer: before, ...step })),
    onChain: isOthers ? { ...onChain, foreign: true, issuer: parseSignerName(before).address } : onChain,
  };
}

/**
 * Whether the chain keeps the service from changes of the pass, other than its revocation, because its issuer is compromised:
 * its token is on chain, or may be on its way there.
 */
export function isUpToCompromised({ key, onChain, step }: Pass, issuerKey: IssuerKey): boolean {
  const mayHaveToken = onChain.state !== 'NONE' || step !== undefined;
  return CHAIN_RULES[key.chain].onlyIssuerFreezes && issuerKey === 'compromised' && mayHaveToken;
}
