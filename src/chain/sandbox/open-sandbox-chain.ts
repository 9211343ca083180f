import type { Network } from '../../network/network.ts';
import { type ChainPort, pairAll, pairUp, type Question, RpcFault } from '../port.ts';
import type { Rent } from '../rent.ts';
import { type Answered, type Asked, type NodeMethod, type SandboxNodes, signSimulated } from './simulated-node.ts';

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
  const ask = <M extends NodeMethod>(method: M, ...asked: Asked<M>): Promise<Answered<M>> =>
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
