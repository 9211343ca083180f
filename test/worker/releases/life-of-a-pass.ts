import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { sendProcessPasses, sendReconcile } from '../../../src/message/queue.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { passIdOf } from '../../../src/pass/step.ts';
import { defaultContract } from '../../default-contract.ts';
import { mine } from '../chain/ethereum/node.ts';

const { PASSES, SIGNERS, QUOTAS } = env as Env;

/** The calls and messages between Worker, consumer, objects and queue, and their stored values, by name. */
export type Shapes = Record<string, unknown>;

/** Takes a pass from its issuance to a waiting freeze on the real node, and returns every shape on the way. */
export async function liveThrough(key: PassKey, clientId: string): Promise<Shapes> {
  const shapes: Shapes = {};
  const pass = PASSES.getByName(passName(key));
  const record = <T>(name: string, args: readonly unknown[], result: T): T => {
    shapes[name] = { args, result };
    return result;
  };
  const request = { key, shard: 'DB', contract: defaultContract(key), client: clientId, lifetime: 3_600, waits: false };
  const quota = { clientId, daily: 5 };
  record('PassObject.issue', [request, quota], await pass.issue(request, quota));
  const unknown = { ...request, key: { ...key, network: 'unknown' } };
  record('PassObject.issue refused', [unknown], await PASSES.getByName(passName(unknown.key)).issue(unknown));
  const pinned = record('PassObject.pinStep', [], await pass.pinStep());
  const signer = SIGNERS.getByName(pinned?.signer ?? '');
  const submission = { pass: passIdOf(pinned?.step?.id ?? ''), step: pinned?.step, vanished: [] };
  const sent = record('SignerObject.submit', [[submission]], await signer.submit([submission]));
  record('PassObject.recordAnswers sent', [sent], await pass.recordAnswers(sent));
  await mine();
  await runInDurableObject(signer, (object) => object.alarm());
  const confirmed = record(
    'SignerObject.submit for news',
    [[{ pass: submission.pass }]],
    await signer.submit([{ pass: submission.pass }]),
  );
  const recorded = record('PassObject.recordAnswers confirmed', [confirmed], await pass.recordAnswers(confirmed));
  const marks = confirmed.map(({ step: id, revision }) => ({ id, revision }));
  record('SignerObject.acknowledge', [marks], await signer.acknowledge(marks));
  const { version = 0, eventsInFeed = 0 } = recorded?.publication ?? {};
  const published = { version, eventsInFeed };
  record('PassObject.markPublished', [published], await pass.markPublished(published));
  record('PassObject.awaitSettlement', [0], await pass.awaitSettlement(0));
  const onChain = record('PassObject.readOnChain', [], await pass.readOnChain());
  const question = {
    pass: submission.pass,
    key,
    contract: request.contract,
    known: onChain?.question.known ?? { state: 'NONE' as const },
  };
  const [reading] = record('SignerObject.readPasses', [[question]], await signer.readPasses([question]));
  const found = reading?.type === 'read' ? reading.onChain : { state: 'NONE' as const };
  record('PassObject.adopt', [{ final: found }], await pass.adopt({ final: found }));
  const update = { client: clientId, state: 'FROZEN' } as const;
  record('PassObject.update', [update], await pass.update(update));
  record('PassObject.update refused', [update], await PASSES.getByName(`${passName(key)}y`).update(update));
  const freeze = record('PassObject.pinStep freeze', [], await pass.pinStep());
  const waiting = { pass: submission.pass, step: freeze?.step, vanished: [] };
  record('SignerObject.submit freeze', [[waiting]], await signer.submit([waiting]));
  record('PassObject.inspect', [], await pass.inspect());
  const stuck = {
    id: freeze?.step?.id ?? '',
    gatekeeperNetwork: key.gatekeeperNetwork,
    kind: 'freeze',
    rank: 0,
  } as const;
  record('SignerObject.stuckReasons', [[stuck]], await signer.stuckReasons([stuck]));
  record('SignerObject.retryNow', [[stuck]], await signer.retryNow([stuck]));
  record(
    'SignerObject.listPassesAfter',
    ['', 1_000],
    await signer
      .listPassesAfter('', 1_000)
      .then((all) => all.filter((each) => each.key.wallet === key.wallet).slice(0, 1)),
  );
  record('SignerObject.status', [], await signer.status());
  record('PassObject.redrive', [], await pass.redrive());
  record('PassObject.readPublication', [], await pass.readPublication());
  record('PassObject.readForRebuild', [], await pass.readForRebuild());
  const nobodys = 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' as GatekeeperNetwork;
  const selected = { kinds: ['issue'], gatekeeperNetwork: nobodys } as const;
  record('SignerObject.endWaitingSteps', [selected, 10], await signer.endWaitingSteps(selected, 10));
  record('SignerObject.begin', [], await signer.begin());
  record('QuotaObject.countPass', ['a pass', 5], await QUOTAS.getByName(clientId).countPass('a pass', 5));
  shapes.messages = await messagesOf(key, pinned?.signer ?? '', submission.pass);
  shapes['stored pass'] = await runInDurableObject(pass, (_, { storage }) => Object.fromEntries(storage.kv.list()));
  shapes['stored step'] = await runInDurableObject(signer, (_, { storage: { sql } }) =>
    sql.exec('SELECT * FROM step WHERE wallet = ? ORDER BY seq', key.wallet).toArray(),
  );
  shapes['stored by the signer'] = await runInDurableObject(signer, (_, { storage }) =>
    Object.fromEntries(storage.kv.list()),
  );
  shapes['stored quota'] = await runInDurableObject(QUOTAS.getByName(clientId), (_, { storage }) => ({
    ...Object.fromEntries(storage.kv.list()),
    counted: storage.sql.exec('SELECT * FROM counted ORDER BY pass').toArray(),
  }));
  return shapes;
}

/** Returns the bodies of the queue's messages. */
async function messagesOf(key: PassKey, signer: string, id: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  const queue = {
    send: async (body: unknown) => void bodies.push(body),
    sendBatch: async (all: Iterable<MessageSendRequest>) => void bodies.push(...[...all].map(({ body }) => body)),
  } as unknown as Queue;
  await sendProcessPasses(queue, [{ pass: key }, { pass: key, news: { signer: signer as never, id } }]);
  await sendReconcile(queue, 1_800_000_000);
  return bodies;
}
