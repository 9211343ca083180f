import { describe, expect, it } from 'vitest';
import { bookmarked } from '../../../client/src/bookmark.ts';
import type { Pass } from '../../../client/src/pass.ts';
import { untilSettled } from '../../../client/src/settled.ts';

/** What the client makes of answers, where it matters when they come. */

/** Calls through `bookmarked`, each answered when the test says so: with a bookmark, or with what it says instead. */
function calls() {
  const sent: (string | undefined)[] = [];
  const answers: ((answer: string | Response | Error) => void)[] = [];
  const send = bookmarked(({ headers }) => {
    sent.push(headers['gatepass-bookmark']);
    return new Promise((resolve, reject) => {
      answers.push((answer) => {
        if (answer instanceof Error) return reject(answer);
        resolve(answer instanceof Response ? answer : new Response('{}', { headers: { 'gatepass-bookmark': answer } }));
      });
    });
  });
  const call = (method: string) => {
    const coming = send({ url: 'https://api.example.com/pass/ethereum/sepolia', method, headers: {}, body: null });
    const answer = answers.at(-1);
    return async (told: string | Response | Error) => {
      answer?.(told);
      await coming.catch(() => undefined);
    };
  };
  return { sent, call };
}

describe('the bookmark', () => {
  it('is that of the last answer, while calls come one after the other', async () => {
    const { sent, call } = calls();
    await call('POST')('a');
    await call('GET')('b');
    await call('GET')('c');
    expect(sent).toEqual([undefined, 'a', 'b']);
  });

  it('is not taken from what was read beside another call: that may have seen less', async () => {
    const { sent, call } = calls();
    const read = call('GET');
    await call('POST')('changed');
    await read('old');
    call('GET');
    expect(sent.at(-1)).toBe('changed');
  });

  it('is none after changes beside each other, and the newest is asked for, until a call has come alone', async () => {
    const { sent, call } = calls();
    const [first, second] = [call('POST'), call('PATCH')];
    await second('b');
    await first('a');
    const third = call('GET');
    await third('c');
    call('GET');
    expect(sent.slice(2)).toEqual(['newest', 'c']);
  });

  it.each([
    new Error('the connection was reset'),
    new Response('', { status: 504 }),
    new Response('{}', { status: 409 }),
  ])('is none after a change of which it is not known what became, until the newest was read: %s', async (unknown) => {
    const { sent, call } = calls();
    await call('POST')('a');
    const read = call('GET');
    await call('PATCH')(unknown);
    await read('read before it');
    await call('GET')('c');
    call('GET');
    expect(sent.slice(3)).toEqual(['newest', 'c']);
  });

  it('stays what it was after a read without an answer', async () => {
    const { sent, call } = calls();
    await call('POST')('a');
    await call('GET')(new Error('the connection was reset'));
    await call('GET')(new Response('{}', { status: 404 }));
    call('GET');
    expect(sent.at(-1)).toBe('a');
  });
});

describe('a pass has settled', () => {
  const aPass = (id: string) => ({ id, state: 'ACTIVE', walletAddress: 'any' }) as Pass;

  it('when the service answers before its wait is over, and not when it does not say that it has waited', async () => {
    const begun = performance.now();
    const hasty = async () => ({ pass: aPass('hasty'), ready: undefined });
    const settled = async () => ({ pass: aPass('settled'), ready: 20 });
    expect(await untilSettled(hasty, settled, {})).toMatchObject({ id: 'settled' });
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it('not when the wait was over', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { pass: aPass('late'), ready: 1 };
    };
    const settled = async () => ({ pass: aPass('settled'), ready: 20 });
    expect(await untilSettled(late, settled, {})).toMatchObject({ id: 'settled' });
  });

  it('or else the time is over, and the pass is told as it was last seen', async () => {
    const late = async () => ({ pass: aPass('late'), ready: 0 });
    const silent = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const begun = performance.now();
    await expect(untilSettled(late, silent, { withinMs: 300 })).rejects.toMatchObject({
      name: 'PassNotSettled',
      pass: { id: 'late' },
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(295);
    const aborted = untilSettled(late, silent, { signal: AbortSignal.timeout(100) });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('waits no longer than there is time for', async () => {
    const waits: number[] = [];
    const ask = async ({ wait }: { wait: number }) => {
      waits.push(wait);
      return { pass: aPass('settled'), ready: wait };
    };
    for (const withinMs of [500, 5_000, 60_000]) await untilSettled(ask, ask, { withinMs });
    expect(waits).toEqual([1, 3, 20]);
  });
});
