import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { Network } from '../network/networks.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Backend } from './backend.ts';
import { callObject } from './call-object.ts';

/** What is abandoned: the waiting issuances of a network, or of one gatekeeper network on it. */
export interface AbandonRequest {
  readonly network: Network;
  /** Names of all signers of the network. */
  readonly signers: readonly SignerName[];
  readonly gatekeeperNetwork: GatekeeperNetwork | undefined;
}

export interface Abandonment {
  /** Issuances that this request has ended. */
  readonly abandoned: number;
  /** Issuances that are left because bytes were signed for them: these may still be mined. */
  readonly signed: number;
  /** Whether issuances are left that another request can end. */
  readonly more: boolean;
}

const REQUEST_MAX_ISSUANCES = 500;
/** A signer first finishes the run that is under way, so this is longer than for other calls. */
const SIGNER_TIMEOUT_MS = 8_000;

/** Ends a slice of the waiting issuances, each with its signer. Their passes become REJECTED. May be repeated at any time. */
export async function abandonIssuances(
  { network, signers, gatekeeperNetwork }: AbandonRequest,
  { signerObject, queue }: Backend,
): Promise<Abandonment> {
  const limit = Math.ceil(REQUEST_MAX_ISSUANCES / Math.max(1, signers.length));
  const results = await Promise.all(
    signers.map(async (name) => {
      const abandon = async () => signerObject(name).abandonIssuances(gatekeeperNetwork, limit);
      return { name, result: await callObject(abandon, 'signer', name, SIGNER_TIMEOUT_MS) };
    }),
  );
  const messages = results.flatMap(({ name, result }) =>
    (result?.ended ?? []).map(({ pass, ...key }) => ({
      pass: { ...key, chain: network.chain, network: network.network },
      news: { signer: name, id: pass },
    })),
  );
  // Without the messages, the signers announce these outcomes, and the passes ask for them.
  await sendProcessPasses(queue, messages).catch((fault) => logFault('abandon', fault, { count: messages.length }));
  return {
    abandoned: messages.length,
    signed: results.reduce((sum, { result }) => sum + (result?.signed ?? 0), 0),
    more: results.some(({ result }) => result === undefined || result.waiting > 0),
  };
}
