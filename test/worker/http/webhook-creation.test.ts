import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createWebhook, listWebhooks } from '../../../src/http/routes/webhooks.ts';
import { webhookName } from '../../../src/message/hand-over.ts';
import { type Backend, openBackend } from '../../../src/operations/backend.ts';
import { MAX_WEBHOOKS } from '../../../src/store/feed.ts';
import { openStore } from '../../../src/store/store.ts';
import { eventually } from '../../eventually.ts';
import { aFeed } from '../webhook-object/a-webhook.ts';

/** A request that creates a webhook may end at any of its calls: by a release, a CPU limit, or because the client left. */

const bindings = env as Env;
const backend = openBackend(bindings, openStore(bindings));

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** Calls the backend. The call with that number ends the request: it never returns, and does its work first or not at all. */
function endingAt(call: number, doesWork: boolean) {
  let calls = 0;
  let working = 0;
  const names: string[] = [];
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, property) {
        const member = Reflect.get(target, property, target);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls > call || (calls === call && !doesWork)) return new Promise(() => {});
          working += 1;
          try {
            const result = await Reflect.apply(member, target, args);
            return calls >= call ? new Promise(() => {}) : result;
          } finally {
            working -= 1;
          }
        };
      },
    });
  const cutOff: Backend = {
    ...backend,
    store: wrap(backend.store),
    webhookObject(gatekeeperNetwork, id) {
      names.push(webhookName(gatekeeperNetwork, id));
      return wrap(backend.webhookObject(gatekeeperNetwork, id));
    },
  };
  return { cutOff, names, wasReached: () => calls >= call, isCut: () => calls >= call && working === 0 };
}

const anOwner = async () => {
  const feed = await aFeed();
  return { feed, owner: { gatekeeperNetwork: feed.gatekeeperNetwork as never } };
};
const settings = () => ({
  url: `${inject('webhookReceiver')}/${crypto.randomUUID()}`,
  types: undefined,
  description: undefined,
});
const received = async (url: string) => ((await (await fetch(url)).json()) as unknown[]).length;

describe.each([
  ['before it has its effect', false],
  ['after its work, before the answer', true],
])('the creation of a webhook, cut off at each call %s', (_, doesWork) => {
  it('leaves nothing, or a listed webhook', async () => {
    let calls = 0;
    let left = 0;
    for (;;) {
      const { feed, owner } = await anOwner();
      const wanted = settings();
      const { cutOff, names, wasReached, isCut } = endingAt(calls + 1, doesWork);
      const created = createWebhook(owner, wanted, 0, cutOff);
      await Promise.race([created, eventually(() => expect(isCut()).toBe(true))]);
      if (!wasReached()) break;
      calls += 1;
      const listed = new Set((await listWebhooks(owner.gatekeeperNetwork, backend))?.map(({ id }) => id));
      await feed.publish(1);
      for (const name of new Set(names)) {
        const object = bindings.WEBHOOKS.getByName(name);
        const isListed = listed.has(name.slice(name.indexOf('/') + 1));
        expect((await object.read()) !== undefined, `call ${calls}`).toBe(isListed);
        await runDurableObjectAlarm(object);
        expect(await received(wanted.url), `call ${calls}`).toBe(isListed ? 1 : 0);
        if (isListed) left += 1;
        else
          await runInDurableObject(object, async (_object, { storage }) => {
            expect(await storage.getAlarm(), `call ${calls}`).toBeNull();
            expect(storage.kv.get('webhook'), `call ${calls}`).toBeUndefined();
          });
      }
      // The cut takes no place.
      for (let place = listed.size; place < MAX_WEBHOOKS; place += 1)
        expect(await createWebhook(owner, settings(), 0, backend), `call ${calls}`).toMatchObject({
          status: 'enabled',
        });
      expect(await listWebhooks(owner.gatekeeperNetwork, backend)).toHaveLength(MAX_WEBHOOKS);
    }
    expect(calls).toBeGreaterThanOrEqual(4);
    expect(left).toBeGreaterThanOrEqual(1);
  });
});

it('a list that is read while a webhook is created does not drop the webhook', async () => {
  const { owner } = await anOwner();
  const [created] = await Promise.all([
    createWebhook(owner, settings(), 0, backend),
    ...Array.from({ length: 5 }, () => listWebhooks(owner.gatekeeperNetwork, backend)),
  ]);
  expect((await listWebhooks(owner.gatekeeperNetwork, backend))?.map(({ id }) => id)).toEqual([
    (created as { id: string }).id,
  ]);
});
