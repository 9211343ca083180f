import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readJson } from '../../../src/http/protocol/json-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a request whose sender stops after some bytes and never ends the body. */
function aStalledRequest(headers: Record<string, string>) {
  const cancel = vi.fn();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"limit":')), cancel });
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, duplex: 'half' };
  return { request: new Request('https://api.example/pass', init as RequestInit), cancel };
}

describe('readJson with a slow sender', () => {
  it.each([
    ['an unknown length', {}],
    ['a known length', { 'content-length': '20' }],
  ])('refuses a body of %s when its sender stops for ten seconds', async (_, headers) => {
    const { request } = aStalledRequest(headers);
    const answered = vi.fn();
    void readJson(request).then(answered);
    await vi.advanceTimersByTimeAsync(9_900);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(answered).toHaveBeenCalledWith({ code: 'body_timeout' });
  });

  it('stops reading a body that it refuses', async () => {
    const { request, cancel } = aStalledRequest({});
    void readJson(request);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('refuses a body after ten seconds even if single bytes arrive', async () => {
    let sent = 0;
    const trickle = new ReadableStream({
      async pull(stream) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        sent += 1;
        stream.enqueue(new Uint8Array([0x20]));
      },
    });
    const init = { method: 'POST', body: trickle, duplex: 'half' };
    const answered = vi.fn();
    void readJson(new Request('https://api.example/pass', init as RequestInit)).then(answered);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(answered).toHaveBeenCalledWith({ code: 'body_timeout' });
    expect(sent).toBeLessThan(13);
  });
});

it('leaves no timer behind for a body that arrives in time', async () => {
  const request = new Request('https://api.example/pass', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"limit":1}',
  });
  expect(await readJson(request)).toEqual({ value: { limit: 1 } });
  expect(vi.getTimerCount()).toBe(0);
});
