import fc from 'fast-check';
import { CHAIN_OF, type ChainNetwork, WALLETS } from '../world/networks.ts';
import { isChange } from '../world/requests.ts';
import { client, type Kinds, kind, nameOf, network, passPath, pathOf, wallet } from './kind.ts';

/** Requests that wait, that repeat others, that name references, and that concern many passes. */

const REFERENCES = ['order 1', 'order 2'];
const reference = fc.constantFrom(...REFERENCES);
/** Some of the wallets, as bits. */
const wallets = fc.integer({ min: 1, max: 2 ** WALLETS.sepolia.length - 1 });
/** Whether the request names its first wallet twice. */
const isTwice = fc.constantFrom(0, 0, 1);

const WAITING = ['issuance', 'issuance', 'freeze', 'unfreeze', 'revocation', 'reading'] as const;
type Waiting = (typeof WAITING)[number];

/** Returns the method and the body of such a request for an existing pass. */
const CHANGES: Readonly<Record<Exclude<Waiting, 'issuance'>, readonly [method: string, body?: object]>> = {
  freeze: ['PATCH', { state: 'FROZEN' }],
  unfreeze: ['PATCH', { state: 'ACTIVE' }],
  revocation: ['DELETE'],
  reading: ['GET'],
};

/** Returns the numbers of these wallets in words. */
const numbersOf = (bits: number) =>
  WALLETS.sepolia.flatMap((_, index) => (bits & (1 << index) ? index : [])).join(', ');

/** Returns an item for each of these wallets. */
function itemsOf(on: ChainNetwork, bits: number, twice: number, fields: object): object[] {
  const items = WALLETS[on]
    .filter((_, index) => bits & (1 << index))
    .map((walletAddress) => ({ chain: { type: CHAIN_OF[on], network: on }, walletAddress, ...fields }));
  return twice ? [...items, items[0] as object] : items;
}

export const REQUEST_STEPS: Kinds = {
  'wait for the chain': kind(
    { weight: 6, prompt: 2 },
    [client, network, wallet, fc.constantFrom<Waiting>(...WAITING), fc.constantFrom(2, 10, 20)],
    (who, on, index, request, seconds) =>
      `${nameOf(who)} waits ${seconds} s for the pass of wallet ${index} on ${on}: ${request}`,
    (world, who, on, index, request, seconds) => {
      const ask = (method: string, path: string, body?: unknown) =>
        world.requests.ask(nameOf(who), method, path, body, { waits: seconds });
      if (request === 'issuance') return ask('POST', pathOf(on), { walletAddress: WALLETS[on][index] });
      const [method, body] = CHANGES[request];
      return ask(method, passPath(world, who, on, index), body);
    },
  ),
  'many changes': kind(
    { weight: 4, prompt: 2 },
    [client, network, wallet, fc.integer({ min: 2, max: 4 })],
    (who, on, index, count) =>
      `${nameOf(who)} freezes and unfreezes the pass of wallet ${index} on ${on}, ${count} times at once`,
    (world, who, on, index, count) => {
      for (let n = 0; n < count; n += 1)
        world.requests.ask(nameOf(who), 'PATCH', passPath(world, who, on, index), {
          state: n % 2 ? 'ACTIVE' : 'FROZEN',
        });
    },
  ),
  repeat: kind(
    { weight: 2 },
    [client],
    (who) => `${nameOf(who)} repeats its last change`,
    (world, who) => {
      const last = world.requests.asked.findLast((each) => each.client === nameOf(who) && isChange(each));
      if (last) world.requests.ask(nameOf(who), last.method, last.path, last.body);
    },
  ),
  'issue many': kind(
    { weight: 3, prompt: 2 },
    [client, network, wallets, isTwice],
    (who, on, bits, twice) =>
      `${nameOf(who)} issues passes of the wallets ${numbersOf(bits)} on ${on} with one request${twice ? ', one of them twice' : ''}`,
    (world, who, on, bits, twice) =>
      world.requests.ask(nameOf(who), 'POST', '/passes', { items: itemsOf(on, bits, twice, {}) }),
  ),
  'update many': kind(
    { weight: 2, prompt: 2 },
    [client, network, wallets, fc.constantFrom('FROZEN', 'ACTIVE', 'ACTIVE', 'REVOKED'), isTwice],
    (who, on, bits, state, twice) =>
      `${nameOf(who)} sets the passes of the wallets ${numbersOf(bits)} on ${on} to ${state} with one request${twice ? ', one of them twice' : ''}`,
    (world, who, on, bits, state, twice) =>
      world.requests.ask(nameOf(who), 'PATCH', '/passes', { items: itemsOf(on, bits, twice, { state }) }),
  ),
  'issue with a reference': kind(
    { weight: 4 },
    [client, network, wallet, reference],
    (who, on, index, text) => `${nameOf(who)} issues a pass of wallet ${index} on ${on} with the reference "${text}"`,
    (world, who, on, index, text) =>
      world.requests.ask(nameOf(who), 'POST', pathOf(on), { walletAddress: WALLETS[on][index], reference: text }),
  ),
  reference: kind(
    { weight: 5, prompt: 1 },
    [client, network, wallet, fc.constantFrom(...REFERENCES, '')],
    (who, on, index, text) =>
      `${nameOf(who)} ${text === '' ? 'removes the reference of' : `gives the reference "${text}" to`} the pass of wallet ${index} on ${on}`,
    (world, who, on, index, text) =>
      world.requests.ask(nameOf(who), 'PATCH', passPath(world, who, on, index), {
        reference: text === '' ? null : text,
      }),
  ),
};
