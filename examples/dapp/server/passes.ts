import { createGatepass, type Gatepass, GatepassProblem, type Pass, type PassKey } from '@gatepass/client';
import { Refusal } from './refusal.ts';
import type { Network, Settings } from './settings.ts';

/** The part of a pass that the page gets. */
export interface PassAnswer {
  readonly state: string;
  readonly onChainState: string;
  readonly expiryTimestamp?: number;
}

/** The service answers after this time even if the pass is not on chain yet. The page then follows the chain. */
const WAIT_SECONDS = 10;

/** Issues and renews passes. Only this process has the credentials. */
export function createPasses({ gatepass: service, lifetimeSeconds, renewalSeconds, deniedWallets }: Settings) {
  const gatepass: Gatepass = createGatepass(service);
  const keyOf = ({ chain, name }: Network, walletAddress: string) =>
    ({ chain: { type: chain, network: name }, walletAddress }) as PassKey;

  async function request(key: PassKey): Promise<Pass> {
    const now = Math.floor(Date.now() / 1000);
    const expiryTimestamp = now + lifetimeSeconds;
    const options = { wait: WAIT_SECONDS };
    const before = await gatepass.get(key);
    const ends = before?.expiryTimestamp;
    if (before?.state === 'ACTIVE' && (ends === undefined || ends > now + renewalSeconds)) return before;
    // POST renews only an expired pass. PATCH also renews one that is about to expire.
    if (before?.state === 'ACTIVE') return gatepass.update(key, { expiryTimestamp }, options);
    if (before?.state === 'REQUESTED') return (await gatepass.get(key, options)) ?? before;
    return gatepass.issue(key, { expiryTimestamp, ...options });
  }

  return {
    /** Issues the pass of the wallet, or renews it if it is near its end. A repeated call changes nothing. */
    async request(network: Network, walletAddress: string): Promise<PassAnswer> {
      // Your own rules belong here: the result of an identity check, a list of members, a payment.
      if (deniedWallets.some((denied) => isSame(network, denied, walletAddress)))
        throw new Refusal(403, 'not_eligible', 'this wallet gets no pass: the rules of the dApp exclude it');
      return answerOf(await request(keyOf(network, walletAddress)).catch(refuse));
    },

    /** Returns the pass of the wallet; undefined if it has none. */
    async find(network: Network, walletAddress: string): Promise<PassAnswer | undefined> {
      const pass = await gatepass.get(keyOf(network, walletAddress)).catch(refuse);
      return pass && answerOf(pass);
    },
  };
}

export type Passes = ReturnType<typeof createPasses>;

/** Addresses on Ethereum-type networks are equal in any case. */
const isSame = ({ chain }: Network, one: string, other: string) =>
  chain === 'ethereum' ? one.toLowerCase() === other.toLowerCase() : one === other;

function answerOf({ state, onChainState, expiryTimestamp }: Pass): PassAnswer {
  return { state, onChainState, ...(expiryTimestamp !== undefined && { expiryTimestamp }) };
}

/** These refusals concern the person before the page. All others are faults between the two servers. */
const FOR_THE_PAGE = ['pass_frozen', 'pass_revoked', 'invalid_wallet'];

function refuse(fault: unknown): never {
  if (fault instanceof GatepassProblem) {
    if (FOR_THE_PAGE.includes(fault.code)) throw new Refusal(409, fault.code, fault.detail);
    // Two requests at once: the other one has just requested the pass with its own expiry.
    if (fault.code === 'expiry_differs') throw new Refusal(409, 'requested', 'the pass is being issued');
    console.error(`the service refuses: ${fault.message} (request ${fault.requestId})`);
  } else console.error(`no answer of the service: ${fault instanceof Error ? fault.message : fault}`);
  throw new Refusal(503, 'unavailable', 'passes cannot be issued now');
}
