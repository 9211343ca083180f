import { describe, expect, it } from 'vitest';
import { secret } from '../../../src/lib/secret.ts';
import { log, logFault } from '../../../src/log/log.ts';
import { inspect } from './inspect.ts';

const PLANTED = 'planted-7f3a';

it('returns the value of a secret when it is called', () => {
  expect(secret(PLANTED)()).toBe(PLANTED);
});

it.each`
  way                                | show
  ${'JSON'}                          | ${(held: unknown) => JSON.stringify({ held })}
  ${'concatenation'}                 | ${(held: unknown) => `${held}`}
  ${'inspection'}                    | ${(held: unknown) => inspect({ held }, { depth: null, showHidden: true })}
  ${'own properties'}                | ${(held: object) => JSON.stringify(Object.entries(held))}
  ${'an error message'}              | ${(held: unknown) => new Error(String(held)).message}
  ${'an error that it caused'}       | ${(held: unknown) => inspect(new Error('x', { cause: held }), { depth: null, showHidden: true })}
  ${'a clone or a message'}          | ${(held: unknown) => errorTextOf(() => structuredClone({ held }))}
  ${'a thrown value'}                | ${(held: unknown) => errorTextOf(() => throwValue(held))}
  ${'the error of a missing method'} | ${(held: unknown) => errorTextOf(() => (held as { trim(): void }).trim())}
`('does not show the value of a secret in $way', ({ show }) => {
  const shown = show(secret(PLANTED));
  expect(String(shown)).not.toContain(PLANTED);
});

function errorTextOf(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    return `${thrown} ${(thrown as Error).stack}`;
  }
  throw new Error('nothing was thrown');
}

function throwValue(what: unknown): never {
  throw what;
}

describe('log and logFault', () => {
  const linesOf = (print: () => void): string => {
    const { log: real, error } = console;
    const lines: string[] = [];
    console.log = (line: string) => lines.push(line);
    console.error = (line: string) => lines.push(line);
    try {
      print();
    } finally {
      Object.assign(console, { log: real, error });
    }
    return lines.join('\n');
  };

  it('prints no value of a secret, even where a cast hides its type', () => {
    const held = { key: secret(PLANTED) } as never;
    const lines = linesOf(() => {
      log('request.answered', held);
      logFault('request.failed', held, held);
      logFault('request.failed', secret(PLANTED) as never);
      logFault(
        'request.failed',
        Object.assign(new Error('it failed'), { key: secret(PLANTED), url: PLANTED, cause: PLANTED }),
      );
    });
    expect(lines.split('\n')).toHaveLength(4);
    expect(lines).not.toContain(PLANTED);
    expect(lines).toContain('"error":"Error: it failed"');
  });

  it('prints a fault in one line and cuts it off after 500 characters', () => {
    const said = `one\ntwo\u2028{"at":"forged"}\r${'x'.repeat(100_000)}`;
    const line = linesOf(() => logFault('request.failed', new Error(said), { reason: 'a\nb' }));
    expect(line.split('\n')).toHaveLength(1);
    expect(JSON.parse(line)).toMatchObject({
      event: 'request.failed',
      error: `Error: ${said}`.slice(0, 500),
      reason: 'a\nb',
    });
  });
});
