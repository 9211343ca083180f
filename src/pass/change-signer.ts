import { parseSignerName, type SignerName } from '../network/signer-name.ts';
import { CHAIN_RULES } from './chain-rules.ts';
import type { Pass } from './pass.ts';

/** Whether this service can sign with the key that issued a pass or will issue it. */
export type IssuerKey = 'in-service' | 'missing' | 'compromised';

/**
 * Returns the pass with another signer for its next steps. The previous signer keeps tracking the steps that it did. On a
 * chain where only the issuing gatekeeper freezes, the token now counts as issued by another gatekeeper.
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
 * Whether the service can only revoke the pass, because the chain reserves other changes to the issuer, and the issuer's key
 * is compromised. False if the pass has no token on chain and no step that may create one.
 */
export function isUpToCompromised({ key, onChain, step }: Pass, issuerKey: IssuerKey): boolean {
  const mayHaveToken = onChain.state !== 'NONE' || step !== undefined;
  return CHAIN_RULES[key.chain].onlyIssuerFreezes && issuerKey === 'compromised' && mayHaveToken;
}
