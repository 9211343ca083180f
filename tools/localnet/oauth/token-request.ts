import { IncomingMessage } from 'node:http';

/**
 * Returns an OAuth token request (a form with `resource`) for a JSON body with `audience`, as Auth0 accepts it. A body that is not a
 * JSON object becomes an empty form, which the authorization server refuses.
 */
export async function formOf(request: IncomingMessage): Promise<IncomingMessage> {
  const { audience, ...fields } = await jsonOf(request);
  const strings = Object.entries({ resource: audience, ...fields }).filter((field) => typeof field[1] === 'string');
  const form = new URLSearchParams(strings as [string, string][]).toString();

  const formed = new IncomingMessage(request.socket);
  formed.method = request.method;
  formed.url = request.url;
  formed.headers = {
    ...request.headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  };
  // An incomplete message would close its connection after reading.
  formed.complete = true;
  formed.push(form);
  formed.push(null);
  return formed;
}

async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
