import type { ConnectedWallet } from './wallets/wallet.ts';

/** The calls of the page to its own back end, which alone can issue passes. */

/** The pass as the back end knows it. All but `signedIn` is absent if the wallet has none, or has not signed in this browser. */
export interface BackEndPass {
  readonly signedIn: boolean;
  readonly state?: string;
}

/** The back end refuses. The code is that of its answer. */
export class BackEndRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Asks for the pass of the wallet, or for its renewal. The first time, the wallet signs that it is the person's. A wallet that the rules
 * exclude gets the state `REJECTED`, as a pass that the chain refuses does.
 */
export async function requestPass(wallet: ConnectedWallet, network: string): Promise<Pick<BackEndPass, 'state'>> {
  const { signedIn } = await findPass(wallet.walletAddress, network);
  if (!signedIn) await signIn(wallet);
  try {
    return await post(`/pass/${network}/${wallet.walletAddress}`, {});
  } catch (fault) {
    if (fault instanceof BackEndRefusal && fault.code === 'not_eligible') return { state: 'REJECTED' };
    throw fault;
  }
}

async function signIn({ chain, walletAddress, sign }: ConnectedWallet): Promise<void> {
  const { message } = await post<{ message: string }>('/challenge', { chain, walletAddress });
  await post('/session', { message, signature: await sign(message) });
}

export async function findPass(walletAddress: string, network: string, signal?: AbortSignal): Promise<BackEndPass> {
  return read(await fetch(`/pass/${network}/${walletAddress}`, { signal: signal ?? null }));
}

async function post<Body>(path: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  return read(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function read<Body>(answer: Response): Promise<Body> {
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const { code = 'unexpected_answer', message = `the back end answers ${answer.status}` } = body;
  throw new BackEndRefusal(code, message);
}
