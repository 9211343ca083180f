import { base58 } from '@scure/base';
import { type Alteration, type Answer, alteredNodes } from '../chain/altered-nodes.ts';
import { devnet } from '../chain/solana/node.ts';
import { configureObject } from '../configure-object.ts';
import { bindings } from '../consumer/deliver.ts';
import { aMessage, aQueue, reconcileWith } from '../consumer/reconciliation-night.ts';
import { nodeOf, type TestWatcher, variablesFor } from './a-watcher.ts';

/** Nodes of devnet that show some transactions otherwise than they are. */

export type AlterTransaction = (answer: Omit<Answer, 'id'>) => Omit<Answer, 'id'>;

/** Opens an endpoint that shows a transaction as the map says, and otherwise alters what the node says. */
export function withTransactions({ refuse, alter }: Alteration = {}) {
  const altered = new Map<string, AlterTransaction>();
  const { urls } = alteredNodes(nodeOf('devnet'), {
    ...(refuse && { refuse }),
    alter: (call, answer) => {
      const [signature] = call.params;
      if (call.method === 'getTransaction') return altered.get(String(signature))?.(answer) ?? answer;
      return alter?.(call, answer) ?? answer;
    },
  });
  return { urls: urls.map((url) => url()), altered };
}

export const hidingNull: AlterTransaction = () => ({ result: null });

export const shownAsFailed: AlterTransaction = ({ result }) => ({
  result: { ...result, meta: { ...result.meta, err: 'AccountInUse' } },
});

/** An instruction of a newer program with the tag 9 in place of each of the program's own. */
export const unknownInstruction: AlterTransaction = ({ result }) => {
  const { message } = result.transaction;
  const { program } = devnet().network;
  const data = base58.encode(Uint8Array.of(9));
  const instructions = message.instructions.map((each: { programIdIndex: number }) =>
    message.accountKeys[each.programIdIndex] === program ? { ...each, data } : each,
  );
  return { result: { ...result, transaction: { ...result.transaction, message: { ...message, instructions } } } };
};

/** Keeps the messages of the watcher of devnet back. Returns a function that runs the reconciliation that it has asked for. */
export async function holdReconciliation({ object, network }: TestWatcher, urls: readonly string[]) {
  const { env, bodies } = aQueue();
  await configureObject(object, { ...variablesFor({ network, urls }), PASS_QUEUE: env.PASS_QUEUE });
  return async (): Promise<void> => {
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift())
      await reconcileWith(env, [aMessage(body).message]);
    await bindings.DB.exec('DELETE FROM runs');
  };
}
