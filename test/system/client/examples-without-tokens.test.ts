import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../run-program.ts';

/** What the examples say when the token URL is not that of a token endpoint, or it is in trouble: a line, not a stack. */

const PROGRAMS = [
  ['bash', 'examples/curl.sh'],
  [process.execPath, 'examples/node.mjs'],
  ['python3', 'examples/python.py'],
] as const;

interface Answer {
  readonly what: string;
  readonly status: number;
  readonly body: string;
  /** More than there is: the connection breaks in the middle. */
  readonly length?: number;
  readonly told: RegExp;
}

const NONE = /answers without one|does not answer with JSON/;
const ANSWERS: readonly Answer[] = [
  { what: 'a page', status: 200, body: '<html></html>', told: NONE },
  { what: 'JSON without a token', status: 200, body: '{"token_type":"Bearer"}', told: NONE },
  { what: 'half of an answer', status: 200, body: '{"acc', length: 500, told: /no answer|does not answer with JSON/ },
  { what: 'a refusal of another form', status: 400, body: '["no"]', told: /^token: 400 / },
];

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body, length = body.length } = (ANSWERS[Number(request.url?.slice(1))] ?? ANSWERS[0]) as Answer;
    response.writeHead(status, { 'content-length': length }).write(body, () => {
      if (length > body.length) response.destroy();
    });
    if (length === body.length) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const cases = PROGRAMS.flatMap((program) =>
  ANSWERS.map((answer, at) => ({ ...answer, program, name: program[1], at })),
);

it.concurrent.each(cases)('$name says that it was given $what', async ({ program, at, told }) => {
  const env = {
    GATEPASS_URL: `${url}/service`,
    GATEPASS_TOKEN_URL: `${url}/${at}`,
    GATEPASS_CLIENT_ID: 'acme',
    GATEPASS_CLIENT_SECRET: 'acme-secret',
  };
  const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
  const ran = await runProgram([...program, 'ethereum', 'sepolia', wallet], env);
  expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/(^|\n)token: /) });
  expect(ran.stderr).toMatch(told);
  expect(ran.stderr.trim().split('\n').length).toBeLessThan(3);
});
