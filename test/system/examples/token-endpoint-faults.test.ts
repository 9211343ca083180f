import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../run-program.ts';

/** The examples print a line, not a stack trace, when the token URL is wrong or the token endpoint fails. */

const PROGRAMS = [
  ['bash', 'examples/curl.sh'],
  [process.execPath, 'examples/node.mjs'],
  ['python3', 'examples/gatepass.py'],
] as const;

interface Answer {
  readonly answer: string;
  readonly status: number;
  readonly body: string;
  /** The Content-Length. If it exceeds the body, the connection breaks before the end of the body. */
  readonly length?: number;
  readonly message: RegExp;
}

const NONE = /answers without one|does not answer with JSON/;
const ANSWERS: readonly Answer[] = [
  { answer: 'an HTML page', status: 200, body: '<html></html>', message: NONE },
  { answer: 'JSON without a token', status: 200, body: '{"token_type":"Bearer"}', message: NONE },
  {
    answer: 'half a body',
    status: 200,
    body: '{"acc',
    length: 500,
    message: /no answer|does not answer with JSON/,
  },
  { answer: 'a refusal in another form', status: 400, body: '["no"]', message: /^token: 400 / },
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

it.concurrent.each(cases)(
  '$name reports that the token endpoint answered with $answer',
  async ({ program, at, message }) => {
    const env = {
      GATEPASS_URL: `${url}/service`,
      GATEPASS_TOKEN_URL: `${url}/${at}`,
      GATEPASS_CLIENT_ID: 'acme',
      GATEPASS_CLIENT_SECRET: 'acme-secret',
    };
    const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
    const ran = await runProgram([...program, 'ethereum', 'sepolia', wallet], env);
    expect(ran).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/(^|\n)token: /) });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.trim().split('\n').length).toBeLessThan(3);
  },
);
