import { bytesToHex, encodeBase58, keccak256 } from '../../lib/bytes.ts';
import type { Chain, Network } from '../../network/network.ts';
import type { Observation } from '../../pass/adopt.ts';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import {
  type BroadcastResult,
  type ChainPort,
  type FinalNonce,
  type InclusionStatus,
  type InFlightTransaction,
  type Lifetime,
  type Nonces,
  type PrepareResult,
  pairAll,
  pairUp,
  type Question,
  type Reading,
  type ReadyCall,
  type Rent,
  RpcFault,
  type SenderAccount,
  type Signed,
} from '../port.ts';

/** The part of a chain port that the object of a sandbox answers: plain data, one answer for each item, in order. */
export interface SimulatedNode {
  prepare(steps: readonly Step[]): SimulatedPreparation;
  read(questions: readonly Question[]): Reading[];
  observe(questions: readonly Question[]): Observation[];
  broadcast(transactions: readonly Pick<Signed, 'identifier' | 'bytes'>[]): BroadcastResult[];
  track(transactions: readonly Tracked[]): InclusionStatus[];
  account(): SenderAccount;
  finalNonce(): FinalNonce | undefined;
}

export type Tracked = Omit<InFlightTransaction, 'step' | 'signedAtMs'>;

export interface SimulatedPreparation {
  readonly results: SimulatedResult[];
  readonly nonces?: Nonces;
  readonly lifetime?: Lifetime;
}

/** The result of a preparation without its functions. */
export type SimulatedResult = Exclude<PrepareResult, ReadyCall> | SimulatedCall;

export interface SimulatedCall {
  readonly type: 'ready';
  readonly call: string;
  readonly expectedOnChain: OnChain;
}

/** A question to the simulated node of a network. */
export type NodeMethod = keyof SimulatedNode;
export type Arguments<M extends NodeMethod> = Parameters<SimulatedNode[M]>;
export type Answered<M extends NodeMethod> = ReturnType<SimulatedNode[M]>;

/** The object of a sandbox, as its adapter calls it. */
interface SandboxNodes {
  ask<M extends NodeMethod>(
    network: { readonly chain: Chain; readonly network: string },
    method: M,
    asked: Arguments<M>,
  ): Promise<Answered<M>>;
}

/** The content of a simulated transaction. A real chain has signed bytes in place of its JSON. */
export interface SimulatedTransaction {
  readonly network: string;
  /** The call as `prepare` returned it; empty: it only uses its nonce. */
  readonly call: string;
  readonly nonce?: number | undefined;
  readonly blockhash?: string | undefined;
  readonly lastBlock?: number | undefined;
}

/** Returns the signed transaction. As on the real chains, the same content has the same identifier. */
function signSimulated(
  chain: Chain,
  network: string,
  call: string,
  nonce: number | undefined,
  lifetime?: Lifetime | undefined,
): Signed {
  const { blockhash, lastValidBlockHeight: lastBlock } = lifetime ?? {};
  const bytes = JSON.stringify({ network, call, nonce, blockhash, lastBlock } satisfies SimulatedTransaction);
  return { identifier: identifierOf(chain, bytes), bytes, maxCost: 0, lastValidBlockHeight: lastBlock };
}

/** Returns a hash of the text in the form of the chain: 32 bytes in hexadecimal digits, or 64 bytes in base58. */
export function identifierOf(chain: Chain, text: string): string {
  const hash = hashOf(text);
  return chain === 'ethereum' ? bytesToHex(hash) : encodeBase58(new Uint8Array([...hash, ...keccak256(hash)]));
}

export const hashOf = (text: string): Uint8Array => keccak256(new TextEncoder().encode(text));

const NO_RENT: Rent = { shown: 0, highest: 0 };

/** Returns the port of a simulated network. The object of the sandbox answers, and a signature is a hash. */
export function openSandboxChain(
  { chain, network }: Pick<Network, 'chain' | 'network'>,
  gatekeeperNetwork: string,
  { SANDBOXES }: Pick<Env, 'SANDBOXES'>,
): ChainPort {
  // The generated type of the stub loses the type parameter of `ask`.
  const sandbox = SANDBOXES.getByName(gatekeeperNetwork) as unknown as SandboxNodes;
  return portOf(sandbox, { chain, network });
}

export function portOf(sandbox: SandboxNodes, { chain, network }: Pick<Network, 'chain' | 'network'>): ChainPort {
  const ask = <M extends NodeMethod>(method: M, ...asked: Arguments<M>): Promise<Answered<M>> =>
    sandbox.ask({ chain, network }, method, asked).catch((fault: unknown) => {
      throw new RpcFault(`the sandbox does not answer: ${fault}`);
    });
  return {
    async prepare(requests) {
      const { results, ...conditions } = await ask(
        'prepare',
        requests.map(({ step }) => step),
      );
      const { lifetime: current } = conditions;
      const opened = results.map((result, index) => {
        if (result.type !== 'ready') return result;
        const { call } = result;
        const createsAccount = chain === 'solana' && requests[index]?.step.kind === 'issue';
        return {
          ...result,
          maxCost: 0,
          rent: createsAccount ? NO_RENT : undefined,
          findViolation: () => undefined,
          sign: async (nonce: number | undefined, lifetime = current) =>
            signSimulated(chain, network, call, nonce, lifetime),
        };
      });
      return { ...conditions, results: pairUp(requests, opened) };
    },
    read: async (questions) => pairUp(questions, await ask('read', questions.map(questionOf))),
    observe: async (questions) => pairUp(questions, await ask('observe', questions.map(questionOf))),
    async broadcast(transactions) {
      const signed = transactions.map(({ signed: { identifier, bytes } }) => ({ identifier, bytes }));
      return pairUp(transactions, await ask('broadcast', signed));
    },
    async track(transactions) {
      const asked = transactions.map(({ identifiers, includedIn, nonce, lastValidBlockHeight }) => ({
        identifiers,
        includedIn,
        nonce,
        lastValidBlockHeight,
      }));
      return pairUp(transactions, await ask('track', asked));
    },
    account: () => ask('account'),
    finalNonce: () => ask('finalNonce'),
    // Every price is right, so a higher one would not help.
    replaceTransactions: async (transactions) => pairAll(transactions, undefined),
    signGapFillers: async (nonces) =>
      chain === 'solana' ? [] : nonces.map((nonce) => [nonce, signSimulated(chain, network, '', nonce)]),
  };
}

const questionOf = ({ key, contract, known }: Question): Question => ({ key, contract, known });
