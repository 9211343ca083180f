import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askYesNo } from '../../../../packages/cli/src/ask-yes-no.ts';

/** Streams of a terminal. The input has the keys that somebody presses. */
function terminal(keys: string) {
  const setRawMode = () => input;
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode }) as unknown as NodeJS.ReadStream;
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream;
  output.resume();
  (input as unknown as PassThrough).write(keys);
  return { input, output };
}

describe('a question on the terminal', () => {
  it.each([
    ['y\r', true],
    ['YES\r', true],
    ['\r', false],
    ['yesterday\r', false],
    ['\u0004', false],
  ])('%j means %s', async (keys, isYes) => {
    const { input, output } = terminal(keys);
    expect(await askYesNo('Delete?', input, output)).toBe(isYes);
  });

  it('reports Ctrl-C, which is no yes', async () => {
    const { input, output } = terminal('y\u0003');
    let interrupted = 0;
    const count = () => {
      interrupted += 1;
    };
    expect(await askYesNo('Delete?', input, output, count)).toBe(false);
    expect(interrupted).toBe(1);
  });
});
