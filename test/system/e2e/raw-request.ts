import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends header lines that no HTTP client would send. Resolves to the status and the body. */
export async function sendRawRequest(baseUrl: string, lines: readonly string[], body = ''): Promise<[number, string]> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  socket.write([...lines, `Host: ${hostname}`, ...length, 'Connection: close', '', body].join('\r\n'));
  const answer = await text(socket);
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  return [Number(head.split(' ')[1]), rest.join('\r\n\r\n')];
}
