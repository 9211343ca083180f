import { IncomingMessage } from 'node:http';

/**
 * A token request as OAuth defines it (a form with `resource`), made from the JSON body with `audience` that Auth0
 * takes. A body that is no JSON object becomes an empty form, which the authorization server refuses by itself.
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
  // An incomplete message would take its connection with it when it has been read.
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
