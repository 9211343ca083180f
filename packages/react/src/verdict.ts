/** Fetches signed verdicts for calls of contracts. An entry of its own, because most pages need none. */
import { type SignedVerdict, signedVerdict, type VerdictOptions } from '@gatepass/client/verify';
import { useGateway } from './gateway-context.ts';

export { type SignedVerdict, signedVerdict, VerdictNotSigned, type VerdictOptions } from '@gatepass/client/verify';

/** The service that signs, and the contract that demands a signature. */
export type VerdictFor = Omit<VerdictOptions, 'gatekeeperNetwork' | 'walletAddress'>;

/**
 * Returns a function that fetches a signed verdict on the pass of the wallet, for a call of the contract. It rejects as `signedVerdict` of the
 * client, and without a wallet. Throws outside of a `GatewayProvider`.
 */
export function useSignedVerdict(options: VerdictFor): () => Promise<SignedVerdict> {
  const { wallet, gatekeeperNetwork } = useGateway();
  return async () => {
    if (wallet === undefined || gatekeeperNetwork === undefined) throw new Error('the provider has no wallet');
    return signedVerdict({ ...options, gatekeeperNetwork, walletAddress: wallet });
  };
}
