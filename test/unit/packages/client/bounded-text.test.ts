import { expect, it } from 'vitest';
import { isParsable, readText } from '../../../../packages/client/src/bounded-text.ts';
import { AnswerTooLarge } from '../../../../packages/client/src/errors.ts';
import { sendWith } from '../../../../packages/client/src/send.ts';
import { growthOf, LINEAR } from '../../../growth.ts';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

it.each`
  what                                  | json                                              | expected
  ${'the deepest that is read'}         | ${nested(64)}                                     | ${true}
  ${'one level more'}                   | ${nested(65)}                                     | ${false}
  ${'one level more, with objects'}     | ${`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`}      | ${false}
  ${'one level more, with members'}     | ${`${'[1,'.repeat(65)}1${']'.repeat(65)}`}        | ${false}
  ${'brackets without an end'}          | ${'['.repeat(65)}                                 | ${false}
  ${'brackets in a text'}               | ${JSON.stringify({ a: '[{'.repeat(1_000) })}      | ${true}
  ${'a quote in a text'}                | ${JSON.stringify({ a: `"${'['.repeat(1_000)}` })} | ${true}
  ${'a backslash at the end of a text'} | ${`["\\\\",${nested(64)}]`}                       | ${false}
  ${'lists beside each other'}          | ${JSON.stringify(Array(100_000).fill([]))}        | ${true}
  ${'too many lists'}                   | ${`[${'[],'.repeat(1_000_000)}1]`}                | ${false}
  ${'too many members'}                 | ${`{${'"":1,'.repeat(1_000_001)}"a":1}`}          | ${false}
  ${'a long text'}                      | ${JSON.stringify(' ,'.repeat(3_000_000))}         | ${true}
  ${'no JSON'}                          | ${'<html>'}                                       | ${true}
  ${'nothing'}                          | ${''}                                             | ${true}
`('a parser may read $what: $expected', ({ json, expected }) => {
  expect(isParsable(json)).toBe(expected);
});

it.each([
  ['quotes without an end', '"\\"'],
  ['brackets', '[]'],
  ['spaces', ' '],
])('looks once at each character of %s', (_, part) => {
  expect(growthOf((size) => isParsable(part.repeat(size)), 50_000)).toBeLessThan(LINEAR);
});

it('an answer that no parser may read is empty for every caller', async () => {
  const send = sendWith(async () => new Response(nested(65), { status: 200 }));
  const answer = await send({ url: 'https://a.example/', method: 'GET', headers: {}, body: null });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

it('reads a text in parts of any size, and no more bytes than the limit', async () => {
  const bytes = new TextEncoder().encode('Zürich 👩‍👧');
  const inParts = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
          controller.close();
        },
      }),
    );
  expect(await readText(inParts(), 'https://a.example/', bytes.length)).toBe('Zürich 👩‍👧');
  await expect(readText(inParts(), 'https://a.example/', bytes.length - 1)).rejects.toThrow(AnswerTooLarge);
  expect(await readText(new Response(null), 'https://a.example/')).toBe('');
});
