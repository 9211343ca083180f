import { describe, expect, it, vi } from 'vitest';
import {
  type BroadcastResult,
  type ChainPort,
  type Lifetime,
  type PrepareResult,
  type Reading,
  type ReadyCall,
  RpcFault,
  type Signed,
} from '../../../src/chain/port.ts';
import { refused as aRefusal, notNow } from '../../../src/chain/reasons.ts';
import { type Witness, withSecondOpinion } from '../../../src/chain/second-opinion.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { aPassKey, CONTRACT } from '../pass/a-pass.ts';
import { type Answers, anEndpoint, DISAGREE, portOver } from './endpoints.ts';

/** How the service compares the answers of several endpoints of a network. */

const KNOWN: OnChain = { state: 'ACTIVE', asOf: 100 };
const NONE = (asOf = 120): OnChain => ({ state: 'NONE', asOf });
const ACTIVE: OnChain = { state: 'ACTIVE', asOf: 120 };
const UNANSWERED = 'no second endpoint confirms that the wallet has no valid token';

describe('an endpoint with unreadable answers', () => {
  const broken = { readFinal: 0, read: 0, prepare: 0, track: 0, finalNonce: 0, account: 0 };
  const unreadable = new Proxy(broken as unknown as Witness, {
    get: (_, name) => (String(name).startsWith('is') ? () => false : async () => Object(null).nothing.there),
  });

  it('counts as an endpoint that does not answer, and is logged', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ready = {
      type: 'ready',
      call: 'x',
      expectedOnChain: ACTIVE,
      maxCost: 1,
      findViolation: () => undefined,
    } as unknown as PrepareResult;
    const reading: Reading = { type: 'read', onChain: ACTIVE };
    const honest = anEndpoint({ final: NONE(), reading, result: ready, account: { balance: 1n } });
    for (const endpoints of [
      [unreadable, honest],
      [honest, unreadable],
    ]) {
      const port = withSecondOpinion({ ...(honest as unknown as ChainPort) }, endpoints);
      const question = { key: aPassKey(), contract: CONTRACT, known: KNOWN };
      expect(await port.prepare([{ step: { key: aPassKey() } as Step }], 0)).toMatchObject({ results: [[{}, ready]] });
      expect(await port.read([question])).toEqual([[question, reading]]);
      expect(await port.account()).toEqual({ balance: 1n });
    }
    expect(logged.mock.calls.flat().join()).toContain('endpoint.unreadable');
    logged.mockRestore();
  });
});

it('returns the highest nonces of the account that two endpoints show', async () => {
  const accountAt = (latest: number, pending: number) => ({ account: { balance: 1n, nonces: { latest, pending } } });
  const { port } = portOver(accountAt(3, 9), accountAt(5, 6));
  expect(await port.account()).toEqual({ balance: 1n, nonces: { latest: 5, pending: 9 } });
});

it.each([
  [[2_000, 20_000], 2_000],
  [[20_000, 2_000], 2_000],
  [[20_000, undefined], 20_000],
])(
  'of the times between blocks %j, the shortest counts, so that no endpoint alone delays a replacement',
  async (times, ms) => {
    const readBlockMs = (time: number | undefined) => async () => time ?? Promise.reject(new RpcFault('no connection'));
    const witnesses = times.map((time) => ({ ...anEndpoint({}), readBlockMs: readBlockMs(time) }));
    const port = withSecondOpinion(witnesses[0] as unknown as ChainPort, witnesses);
    expect(await port.readBlockMs?.()).toBe(ms);
  },
);

describe('a transaction that the signer sends', () => {
  const transaction = { signed: { bytes: '0x' } as Signed };
  const accepted: BroadcastResult = { type: 'accepted' };
  const refused: BroadcastResult = notNow('broadcast-refused', 'nonce too low');
  const unpaid: BroadcastResult = notNow('no-funds');
  const send = async (...endpoints: Answers[]) => {
    const { port, endpoints: asked } = portOver(...endpoints);
    const [[, result] = []] = await port.broadcast([transaction]);
    const calls = asked.map(({ broadcast }) => vi.mocked(broadcast).mock.calls.length);
    return [result, ...calls];
  };

  it.each`
    first                               | second                                | result
    ${{ sends: accepted }}              | ${{ sends: accepted }}                | ${[accepted, 1, 1]}
    ${{ sends: accepted }}              | ${{ sends: refused }}                 | ${[accepted, 1, 1]}
    ${{ sends: refused }}               | ${{ sends: accepted }}                | ${[accepted, 1, 1]}
    ${{ sends: unpaid }}                | ${{ sends: refused }}                 | ${[unpaid, 1, 1]}
    ${{ sends: unpaid, cooling: true }} | ${{ sends: refused }}                 | ${[refused, 1, 1]}
    ${{ sends: accepted }}              | ${{}}                                 | ${[accepted, 1, 1]}
    ${{}}                               | ${{ sends: refused }}                 | ${[refused, 1, 1]}
    ${{ sends: refused }}               | ${{ sends: accepted, hanging: true }} | ${[refused, 1, 0]}
  `('reaches every endpoint that does not hang: $result', async ({ first, second, result }) => {
    expect(await send(first, second)).toEqual(result);
  });

  it('goes to one after another if no endpoint answers alone', async () => {
    expect(await send({ sends: accepted, hanging: true }, { hanging: true })).toEqual([accepted, 1, 0]);
    await expect(send({}, {})).rejects.toThrow('no connection');
  });
});

describe('a reading', () => {
  async function read(reading: Reading, endpoints: Answers[], known: OnChain | undefined = KNOWN) {
    const question = { key: aPassKey(), contract: CONTRACT, known };
    const { port } = portOver(...endpoints.map((each, index) => (index === 0 ? { reading, ...each } : each)));
    const [[asked, result] = []] = await port.read([question]);
    expect(asked).toBe(question);
    return result;
  }
  const absent: Reading = { type: 'read', onChain: NONE(130) };

  it.each`
    what                                               | endpoints                                                       | result
    ${'its final block if only one endpoint exists'}   | ${[{ final: NONE() }]}                                          | ${{ type: 'read', onChain: NONE() }}
    ${'the final blocks of two endpoints'}             | ${[{ final: NONE() }, { reading: absent, final: NONE(121) }]}   | ${{ type: 'read', onChain: NONE() }}
    ${'two of three endpoints if one does not answer'} | ${[{ final: undefined }, { final: NONE() }, { final: NONE() }]} | ${{ type: 'read', onChain: NONE() }}
  `('believes that a token is gone by $what', async ({ endpoints, result }) => {
    expect(await read(absent, endpoints)).toEqual(result);
  });

  it.each`
    what                                             | endpoints                                 | result
    ${'the final block still shows it'}              | ${[{ final: ACTIVE }]}                    | ${{ type: 'not-final' }}
    ${'a second endpoint shows it'}                  | ${[{ final: NONE() }, { final: ACTIVE }]} | ${{ type: 'not-final' }}
    ${'the final block is older than the known one'} | ${[{ final: NONE(99) }]}                  | ${{ type: 'not-final' }}
    ${'the second endpoint does not answer'}         | ${[{ final: NONE() }, {}]}                | ${{ type: 'unreadable', why: UNANSWERED }}
    ${'the second endpoint is behind'}               | ${[{ final: NONE() }, { behind: true }]}  | ${{ type: 'unreadable', why: UNANSWERED }}
    ${'no endpoint answers'}                         | ${[{}]}                                   | ${{ type: 'unreadable', why: UNANSWERED }}
  `('does not believe that a token is gone when $what', async ({ endpoints, result }) => {
    expect(await read(absent, endpoints)).toEqual(result);
  });

  it('does not believe that others revoked a token until a final block shows it', async () => {
    const revoked: Reading = { type: 'read', onChain: { state: 'REVOKED', asOf: 130 } };
    expect(await read(revoked, [{ final: ACTIVE }])).toEqual({ type: 'not-final' });
  });

  it('does not believe a change that only one of two endpoints shows', async () => {
    const frozen: Reading = { type: 'read', onChain: { state: 'FROZEN', asOf: 130 } };
    const active: Reading = { type: 'read', onChain: ACTIVE };
    expect(await read(frozen, [{}, { reading: active }])).toEqual({ type: 'unreadable', why: DISAGREE });
    expect(await read(frozen, [{}, { reading: { type: 'read', onChain: { state: 'FROZEN', asOf: 129 } } }])).toBe(
      frozen,
    );
    // A dead endpoint delays nothing. A reading that shows the known state needs no second opinion.
    expect(await read(frozen, [{}, {}])).toBe(frozen);
    expect(await read(active, [{}, { reading: frozen }])).toBe(active);
  });

  it.each<[Reading, OnChain | undefined]>([
    [{ type: 'read', onChain: ACTIVE }, KNOWN],
    [{ type: 'read', onChain: NONE() }, { state: 'NONE' }],
    [{ type: 'unreadable', why: 'away' }, KNOWN],
  ])('needs no final block for %j if %j is known', async (reading, known) => {
    const { port, endpoints } = portOver({ reading }, { reading });
    const [[, result] = []] = await port.read([{ key: aPassKey(), contract: CONTRACT, known }]);
    expect(result).toEqual(reading);
    for (const { readFinal } of endpoints) expect(readFinal).not.toHaveBeenCalled();
  });
});

it('reads a pass from the second endpoint when the first one does not answer for it', async () => {
  const reading: Reading = { type: 'read', onChain: { ...KNOWN, asOf: 120 } };
  const refused: Reading = { type: 'unreadable', why: 'the call could not be simulated', isUnanswered: true };
  const ask = async (...endpoints: Answers[]) =>
    (await portOver(...endpoints).port.read([{ key: aPassKey(), contract: CONTRACT, known: KNOWN }]))[0]?.[1];
  expect(await ask({ reading: refused }, { reading })).toEqual(reading);
  expect(await ask({ reading }, { reading: refused })).toEqual(reading);
  expect(await ask({ reading: refused }, { reading: refused })).toEqual(refused);
});

describe('a preparation', () => {
  const step = { id: 'a:1', kind: 'revoke', rank: 0, key: aPassKey(), contract: CONTRACT, known: KNOWN } satisfies Step;
  const ready = (call: string, maxCost = 5): PrepareResult => ({
    type: 'ready',
    call,
    maxCost,
    expectedOnChain: ACTIVE,
    findViolation: () => undefined,
    sign: async () => ({ identifier: call, bytes: '', maxCost: 0 }),
  });
  const above = (call: string): PrepareResult => ({
    ...(ready(call, 900) as ReadyCall),
    findViolation: () => 'its gas limit is above maxGas',
  });
  const tooDear = (call: string): PrepareResult => ({
    ...notNow('gas-price-too-high'),
    ready: ready(call, 900) as ReadyCall,
  });
  const found = (onChain: OnChain): PrepareResult => ({ type: 'found', onChain });
  const refused: PrepareResult = aRefusal('contract-refuses');
  const later: PrepareResult = notNow('token-changed');
  const unanswered: PrepareResult = { ...later, isUnanswered: true };
  const resultOf = async (...endpoints: Answers[]) =>
    (await portOver(...endpoints).port.prepare([{ step }], 0)).results[0]?.[1];

  it.each`
    first                | second               | result
    ${ready('mint')}     | ${ready('mint', 7)}  | ${{ type: 'ready', maxCost: 7 }}
    ${ready('mint', 7)}  | ${ready('mint')}     | ${{ type: 'ready', maxCost: 7 }}
    ${ready('mint')}     | ${undefined}         | ${{ type: 'ready', maxCost: 5 }}
    ${undefined}         | ${ready('mint')}     | ${{ type: 'ready', maxCost: 5 }}
    ${ready('revoke 7')} | ${ready('revoke 8')} | ${{ type: 'not-now', why: DISAGREE }}
    ${ready('mint')}     | ${found(ACTIVE)}     | ${{ type: 'not-now', why: DISAGREE }}
    ${found(ACTIVE)}     | ${ready('mint')}     | ${{ type: 'not-now', why: DISAGREE }}
    ${found(ACTIVE)}     | ${found(ACTIVE)}     | ${{ type: 'found' }}
    ${refused}           | ${ready('mint')}     | ${{ type: 'not-now', why: DISAGREE }}
    ${refused}           | ${refused}           | ${{ type: 'refused' }}
    ${later}             | ${ready('mint')}     | ${{ code: 'token-changed' }}
    ${ready('mint')}     | ${later}             | ${{ code: 'token-changed' }}
    ${unanswered}        | ${ready('mint')}     | ${{ type: 'ready' }}
    ${ready('mint')}     | ${unanswered}        | ${{ type: 'ready' }}
    ${unanswered}        | ${refused}           | ${{ type: 'refused' }}
    ${unanswered}        | ${later}             | ${later}
    ${unanswered}        | ${unanswered}        | ${unanswered}
  `('is $result when the endpoints answer with $first.type and $second.type', async ({ first, second, result }) => {
    expect(await resultOf({ result: first }, { result: second })).toMatchObject(result);
  });

  it.each`
    first                | second               | result
    ${ready('mint')}     | ${above('mint')}     | ${{ type: 'ready', maxCost: 5 }}
    ${above('mint')}     | ${ready('mint')}     | ${{ type: 'ready', maxCost: 5 }}
    ${ready('mint')}     | ${tooDear('mint')}   | ${{ type: 'ready', maxCost: 5 }}
    ${tooDear('mint')}   | ${ready('mint')}     | ${{ type: 'ready', maxCost: 5 }}
    ${ready('mint')}     | ${tooDear('revoke')} | ${{ type: 'not-now', code: 'gas-price-too-high' }}
    ${tooDear('revoke')} | ${above('mint')}     | ${{ type: 'not-now', code: 'gas-price-too-high' }}
    ${tooDear('mint')}   | ${tooDear('mint')}   | ${{ type: 'not-now', code: 'gas-price-too-high' }}
    ${tooDear('mint')}   | ${found(ACTIVE)}     | ${{ type: 'not-now', code: 'gas-price-too-high' }}
    ${above('mint')}     | ${above('mint')}     | ${{ type: 'ready', maxCost: 900 }}
  `('ignores a price or gas limit above a cap if the other endpoint shows less for the same call', async (row) => {
    const { first, second, result } = row;
    expect(await resultOf({ result: first }, { result: second })).toMatchObject(result);
  });

  it.each`
    first                | second               | third                | result
    ${ready('mint')}     | ${refused}           | ${ready('mint')}     | ${{ type: 'ready' }}
    ${ready('mint')}     | ${later}             | ${ready('mint')}     | ${{ type: 'ready' }}
    ${refused}           | ${ready('mint')}     | ${ready('mint')}     | ${{ type: 'ready' }}
    ${found(ACTIVE)}     | ${ready('mint')}     | ${found(ACTIVE)}     | ${{ type: 'found' }}
    ${ready('revoke 7')} | ${ready('revoke 8')} | ${ready('revoke 9')} | ${{ why: DISAGREE }}
    ${ready('mint')}     | ${found(ACTIVE)}     | ${refused}           | ${{ why: DISAGREE }}
    ${ready('mint')}     | ${refused}           | ${undefined}         | ${{ why: DISAGREE }}
    ${ready('mint')}     | ${refused}           | ${unanswered}        | ${{ why: DISAGREE }}
    ${ready('mint')}     | ${later}             | ${unanswered}        | ${{ code: 'token-changed' }}
  `('does what two of three endpoints show: $first.type, $second.type, $third.type', async (row) => {
    const { first, second, third, result } = row;
    const answers = [first, second, third].map((each) => ({ result: each }));
    expect(await resultOf(...answers)).toMatchObject(result);
  });

  describe('on a chain whose transactions name a block', () => {
    const FRESH = Math.floor(Date.now() / 1000) + 86_400;
    const at = (blockhash: string, lastValidBlockHeight: number, time = FRESH): Lifetime => ({
      blockhash,
      lastValidBlockHeight,
      time,
    });
    const shows = (lifetime: Lifetime, knows?: Answers['knows'], result = ready('mint')): Answers => ({
      result,
      lifetime,
      ...(knows && { knows }),
    });
    const A = at('a', 1_150);
    const LATE = Math.floor(Date.now() / 1000) - 12;
    const prepareOver = async (...endpoints: Answers[]) => {
      const { port, endpoints: asked } = portOver(...endpoints);
      const { results, lifetime } = await port.prepare([{ step }], 0);
      const calls = asked.map(({ lastHeightOf }) => vi.mocked(lastHeightOf).mock.calls.flat().join(''));
      return { result: results[0]?.[1], lifetime, calls };
    };

    it.each`
      what                                               | endpoints                                                                                         | chosen               | calls
      ${'both endpoints show the same block'}            | ${[shows(A), shows(A)]}                                                                           | ${A}                 | ${['', '']}
      ${'the second endpoint knows the block'}           | ${[shows(A), shows(at('b', 1_152), { a: 1_153 })]}                                                | ${at('a', 1_153)}    | ${['', 'a']}
      ${'the second endpoint is some blocks behind'}     | ${[shows(A, { b: 1_151 }), shows(at('b', 1_140), {})]}                                            | ${at('b', 1_151)}    | ${['b', 'a']}
      ${'only the third endpoint knows the block'}       | ${[shows(A), shows(at('b', 1_140), {}), { knows: { a: 1_150 } }]}                                 | ${A}                 | ${['', 'a', 'a']}
      ${'the first endpoint lies, and denies the other'} | ${[shows(A, {}), shows(at('b', 1_151), {}), { knows: { b: 1_151 } }]}                             | ${at('b', 1_151)}    | ${['b', 'a', 'ab']}
      ${'the first endpoint shows an end too early'}     | ${[shows(at('a', 1_001)), shows(at('b', 1_151), { a: 1_151 })]}                                   | ${at('a', 1_151)}    | ${['', 'a']}
      ${'it shows another end of the same block'}        | ${[shows(at('a', 1)), shows(A, { a: 1_151 }), { knows: { a: 1_152 } }]}                           | ${at('a', 1_152)}    | ${['a', 'a', 'aa']}
      ${'it shows a block without end'}                  | ${[shows(at('a', 1e15)), shows(at('b', 1_151), { a: 1_151 }), { knows: { a: 1_151, b: 1_151 } }]} | ${at('b', 1_151)}    | ${['b', 'a', 'ab']}
      ${'the second endpoint is a minute behind'}        | ${[shows(A, { b: 1_150 }), shows(at('b', 1_010, 1), {})]}                                         | ${A}                 | ${['', 'a']}
      ${'the first endpoint is 12 seconds behind'}       | ${[shows(at('b', 1_070, LATE), {}), shows(A, { b: 1_070 })]}                                      | ${A}                 | ${['a', '']}
      ${'the first endpoint is many minutes behind'}     | ${[shows(at('b', 10, 1), {}), shows(A)]}                                                          | ${A}                 | ${['a', '']}
      ${'no endpoint knows whether a block is valid'}    | ${[shows(A), shows(at('b', 1_151))]}                                                              | ${at('a', 1_151)}    | ${['b', 'a']}
      ${'the whole chain stands still'}                  | ${[shows(at('a', 1_150, 1)), shows(at('b', 1_151, 1), { a: 1_151 })]}                             | ${at('a', 1_151, 1)} | ${['', 'a']}
    `('$what: it signs with $chosen.blockhash until $chosen.lastValidBlockHeight', async (row) => {
      const { endpoints, chosen, calls } = row;
      expect(await prepareOver(...endpoints)).toMatchObject({ result: { type: 'ready' }, lifetime: chosen, calls });
    });

    it('waits if the ends of two endpoints are far apart and no other endpoint decides', async () => {
      const endless = shows(at('a', 1e15));
      expect(await prepareOver(endless, shows(A))).toMatchObject({ result: notNow('endpoints-disagree') });
      expect(await prepareOver(shows(A), endless)).toMatchObject({ result: notNow('endpoints-disagree') });
    });

    it('takes the blocks of two endpoints in turn if each denies that of the other', async () => {
      const { port } = portOver(shows(A, {}), shows(at('b', 1_151), {}));
      const hashes: (string | undefined)[] = [];
      for (let turn = 0; turn < 4; turn++) hashes.push((await port.prepare([{ step }], 0)).lifetime?.blockhash);
      expect(hashes).toEqual(['a', 'b', 'a', 'b']);
    });

    it('asks nobody about a block while nothing is to be signed', async () => {
      const endpoints = [shows(A, {}, later), shows(at('b', 1_151), {}, later)];
      expect(await prepareOver(...endpoints)).toMatchObject({ result: later, calls: ['', ''] });
    });
  });

  it.each`
    shown                  | unmined | nonces    | calls
    ${[[3, 3], [3, 3], 3]} | ${0}    | ${[3, 3]} | ${0}
    ${[[3, 6], [3, 3], 3]} | ${0}    | ${[3, 3]} | ${1}
    ${[[3, 3], [3, 6], 3]} | ${0}    | ${[3, 3]} | ${1}
    ${[[3, 3], [3, 6], 6]} | ${0}    | ${[3, 6]} | ${1}
    ${[[3, 0], [3, 3], 3]} | ${0}    | ${[3, 3]} | ${1}
    ${[[5, 5], [3, 3], 3]} | ${0}    | ${[3, 3]} | ${1}
    ${[[3, 6], [3, 3], 3]} | ${1}    | ${[3, 6]} | ${0}
    ${[[3, 6], [3, 3]]}    | ${0}    | ${[3, 6]} | ${0}
  `('shows the nonces $nonces if the endpoints show $shown, with $unmined unmined transactions', async (row) => {
    const { shown, unmined, nonces, calls } = row;
    const all = (shown as (number | readonly number[])[]).map((each): Answers => {
      const [latest = 0, pending = latest] = [each].flat();
      return { result: refused, account: { balance: 1n, nonces: { latest, pending } } };
    });
    const { port, endpoints } = portOver(...all);
    const [latest, pending] = nonces;
    expect((await port.prepare([{ step }], unmined)).nonces).toEqual({ latest, pending });
    expect(endpoints.flatMap(({ account }) => vi.mocked(account).mock.calls)).toHaveLength(calls);
  });

  it('asks the fourth endpoint if the third one does not answer, and no third one if the first two agree', async () => {
    const [mint, refusal] = [{ result: ready('mint') }, { result: refused }];
    expect(await resultOf(mint, refusal, {}, mint)).toMatchObject({ type: 'ready' });
    const { port, endpoints } = portOver(mint, mint, mint);
    await port.prepare([{ step }], 0);
    expect(endpoints[2]?.prepare).not.toHaveBeenCalled();
  });

  it('also asks an endpoint that has just failed, unless its failure took long', async () => {
    const [first, second] = [{ result: ready('mint') }, { result: ready('revoke') }];
    expect(await resultOf(first, { ...second, cooling: true })).toMatchObject({ why: DISAGREE });
    expect(await resultOf({ ...first, cooling: true }, second)).toMatchObject({ why: DISAGREE });
    expect(await resultOf(first, { ...second, cooling: true, hanging: true })).toMatchObject({ call: 'mint' });
    expect(await resultOf({ ...first, hanging: true }, second)).toMatchObject({ call: 'revoke' });
    expect(await resultOf({ ...first, hanging: true }, { ...second, hanging: true })).toMatchObject({ call: 'mint' });
  });

  it('ends a step without a valid token if a second endpoint confirms that, or if no second endpoint is configured', async () => {
    const none = found(NONE());
    expect(await resultOf({ result: none, final: NONE() }, { result: none, final: NONE() })).toBe(none);
    expect(await resultOf({ result: none, final: ACTIVE })).toBe(none);
  });

  it.each`
    what                 | second               | code
    ${'does not answer'} | ${{}}                | ${'absence-unconfirmed'}
    ${'shows a token'}   | ${{ final: ACTIVE }} | ${'absence-not-final'}
  `('lets the step wait while the second endpoint $what, and says why', async ({ second, code }) => {
    expect(await resultOf({ result: found(NONE()), final: NONE() }, second)).toEqual(notNow(code));
  });
});

it.each`
  first                              | second                             | nonce
  ${{ nonce: 9, time: 50, asOf: 5 }} | ${{ nonce: 7, time: 60, asOf: 6 }} | ${{ nonce: 7, time: 50, asOf: 5 }}
  ${{ nonce: 9, time: 50, asOf: 5 }} | ${undefined}                       | ${{ nonce: 9, time: 50, asOf: 5 }}
  ${{ nonce: 9, time: 50, asOf: 5 }} | ${'no-final-block'}                | ${{ nonce: 9, time: 50, asOf: 5 }}
`('returns the final nonce $nonce when the endpoints show $first and $second', async ({ first, second, nonce }) => {
  expect(await portOver({ nonce: first }, { nonce: second }).port.finalNonce()).toEqual(nonce);
});
