import { configOf } from '../config/parse-config.ts';
import { hasKeyOf } from '../config/signers.ts';
import { formatSignerName } from '../network/signer-name.ts';
import type { Pass } from '../pass/pass.ts';

/**
 * The pass with the signer of the key that issued its token: on Solana no other can freeze and unfreeze it. Only where this
 * service has that key as well, and the signer until now has nothing of the pass: no step, and none that may leave the chain.
 */
export function reassignSigner(pass: Pass, env: Env): Pass {
  const { key, onChain, step, past = [] } = pass;
  if (onChain.issuer === undefined || step !== undefined || past.length > 0) return pass;
  const signer = formatSignerName(key.chain, key.network, onChain.issuer);
  if (!hasKeyOf(configOf(env), signer)) return pass;
  return { ...pass, signer, onChain: { ...onChain, foreign: undefined, issuer: undefined } };
}
