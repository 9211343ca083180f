import { parseSignerName, type SignerName } from '../network/signer-name.ts';
import { CHAIN_RULES } from './chain-rules.ts';
import type { Pass } from './pass.ts';

/** Whether this service can sign with the key that issued a pass, or is to issue it. */
export type IssuerKey = 'in-service' | 'missing' | 'compromised';

/**
 * Returns the pass with another signer for its next steps. The signer until now keeps tracking the steps that it did. On a chain
 * where only the issuing gatekeeper freezes, the token now counts as another gatekeeper's.
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
 * Whether the service can only revoke the pass, because the chain leaves other changes to the issuer, and the issuer's key is
 * compromised. This needs a token that is on chain, or may be on its way there.
 */
export function isUpToCompromised({ key, onChain, step }: Pass, issuerKey: IssuerKey): boolean {
  const mayHaveToken = onChain.state !== 'NONE' || step !== undefined;
  return CHAIN_RULES[key.chain].onlyIssuerFreezes && issuerKey === 'compromised' && mayHaveToken;
}
