import { randomBytes } from 'node:crypto';
import { address, getBase58Encoder, getUtf8Encoder, signatureBytes, verifySignature } from '@solana/kit';
import { getAddress, isHex, verifyMessage } from 'viem';
import { Refusal } from './refusal.ts';

/**
 * A wallet signs a message once, and its browser gets a session. Without it, anybody could ask for the passes of wallets of others.
 * It is in memory: use your own sessions and their store, and Sign-In with Ethereum (ERC-4361) or with Solana if you have them.
 */

export interface Wallet {
  readonly chain: 'ethereum' | 'solana';
  readonly walletAddress: string;
}

/** A wallet has this time to sign. */
const CHALLENGE_MAX_AGE_MS = 5 * 60_000;
const SESSION_MAX_AGE_MS = 24 * 3600_000;
/** The oldest entry leaves when one more arrives, so that nobody fills the memory. */
const ENTRIES_MAX_COUNT = 10_000;

export function createSessions(now: () => number = Date.now) {
  const challenges = new Map<string, Wallet & { readonly until: number }>();
  const sessions = new Map<string, { readonly wallets: Set<string>; readonly until: number }>();

  return {
    /** Returns a text for the wallet to sign. It names the origin, so that no other page can use the signature here. */
    challenge(origin: string, { chain, walletAddress }: Wallet): string {
      const wallet = { chain, walletAddress: normalized(chain, walletAddress) };
      const message = `${origin} asks you to prove that this wallet is yours. This costs nothing.\n\nWallet: ${
        wallet.walletAddress
      }\nNonce: ${randomBytes(16).toString('hex')}`;
      add(challenges, message, { ...wallet, until: now() + CHALLENGE_MAX_AGE_MS });
      return message;
    },

    /** Returns the session in which the wallet has proved its owner. Each challenge is valid once. */
    async open(message: string, signature: string, earlier: string | undefined): Promise<string> {
      const challenge = challenges.get(message);
      challenges.delete(message);
      if (challenge === undefined || challenge.until < now())
        throw new Refusal(401, 'challenge_unknown', 'ask for a new challenge');
      if (!(await isSigned(challenge, message, signature)))
        throw new Refusal(401, 'signature_wrong', 'the signature is not that of the wallet');
      const open = earlier === undefined ? undefined : sessions.get(earlier);
      const wallets = new Set(open !== undefined && open.until >= now() ? open.wallets : []).add(idOf(challenge));
      if (earlier !== undefined) sessions.delete(earlier);
      const id = randomBytes(32).toString('base64url');
      add(sessions, id, { wallets, until: now() + SESSION_MAX_AGE_MS });
      return id;
    },

    /** Returns the wallet in its usual form if the session contains it; undefined otherwise. */
    find(session: string | undefined, { chain, walletAddress }: Wallet): Wallet | undefined {
      const wallet = { chain, walletAddress: normalized(chain, walletAddress) };
      const open = session === undefined ? undefined : sessions.get(session);
      return open !== undefined && open.until >= now() && open.wallets.has(idOf(wallet)) ? wallet : undefined;
    },
  };
}

export type Sessions = ReturnType<typeof createSessions>;

const idOf = ({ chain, walletAddress }: Wallet) => `${chain}:${walletAddress}`;

function add<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  if (entries.size >= ENTRIES_MAX_COUNT) entries.delete(entries.keys().next().value ?? '');
  entries.set(key, value);
}

function normalized(chain: Wallet['chain'], walletAddress: string): string {
  try {
    return chain === 'ethereum' ? getAddress(walletAddress) : address(walletAddress);
  } catch {
    throw new Refusal(400, 'invalid_wallet', 'this is no wallet of that chain');
  }
}

/** Signatures of contracts (ERC-1271) need your node: viem's `publicClient.verifyMessage` checks those too. */
async function isSigned({ chain, walletAddress }: Wallet, message: string, signature: string): Promise<boolean> {
  try {
    if (chain === 'ethereum')
      return isHex(signature) && (await verifyMessage({ address: walletAddress as `0x${string}`, message, signature }));
    const bytes = getBase58Encoder().encode(walletAddress);
    const key = await crypto.subtle.importKey('raw', new Uint8Array(bytes), 'Ed25519', false, ['verify']);
    const signed = signatureBytes(Uint8Array.from(Buffer.from(signature, 'base64')));
    return await verifySignature(key, signed, getUtf8Encoder().encode(message));
  } catch {
    return false;
  }
}
