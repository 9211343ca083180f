import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { type Person, personOf } from './people.ts';

/** The path of the page, followed by the id of the sign-in. */
export const SIGN_IN_PATH = '/sign-in/';

/** Shows the offered accounts, and signs a person in to the one that the person chooses. There are no passwords. */
export async function answerSignIn(
  provider: Provider,
  offered: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(signInPage(params.client_id, offered));
      return;
    }
    const person = personOf(new URLSearchParams(await text(request)).get('account') ?? '');
    if (person === undefined) throw new Error('there is no such account');
    const consent = { grantId: await grantTo(provider, person, params) };
    const result = { login: { accountId: person.account, remember: false }, consent };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  } catch (error) {
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`The sign-in failed: ${String(error)}`);
  }
}

/** Grants the requested scopes that the person has, and refuses the others. Returns the id of the grant. */
function grantTo(
  provider: Provider,
  { account, scopes }: Person,
  {
    client_id,
    resource,
    scope = '',
  }: { readonly client_id: string; readonly resource?: string; readonly scope?: string },
): Promise<string> {
  const grant = new provider.Grant({ accountId: account, clientId: client_id });
  const requested = scope.split(' ');
  // The name of the person alone is no right.
  const allowed = requested.some((each) => scopes.includes(each)) ? ['openid', ...scopes] : scopes;
  const granted = requested.filter((each) => allowed.includes(each));
  const refused = requested.filter((each) => !allowed.includes(each));
  // The library knows the scopes twice: as its own, and as those of the API.
  if (granted.length > 0) grant.addOIDCScope(granted.join(' '));
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '));
  if (resource !== undefined && granted.length > 0) grant.addResourceScope(resource, granted.join(' '));
  if (resource !== undefined && refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '));
  return grant.save();
}

function signInPage(client: string, offered: readonly Person[]): string {
  const buttons = offered.map(
    ({ account, name }) => `<p><button name="account" value="${account}">${name}</button></p>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sign in</title>
  </head>
  <body>
    <h1>Sign in to ${client}</h1>
    <form method="post">${buttons.join('')}</form>
    <p>This authorization server is for development. Its accounts have no password.</p>
  </body>
</html>
`;
}
