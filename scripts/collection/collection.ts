import { v5 as uuidOf } from 'uuid';
import { convertToCollection, type Document } from './convert.ts';
import { PARTNER_EVENTS } from './partner-scripts.ts';
import type { Auth, Collection, Folder, Item, Request, Variable } from './postman-collection.ts';

const INTRODUCTION = `Set the variables \`baseUrl\`, \`tokenUrl\`, \`clientId\` and \`clientSecret\` (as current values, which are not shared).
Set \`audience\` and \`scope\` if your authorization server requires them. The requests fetch a token and keep it until it expires. \`chain\`,
\`chainNetwork\` and \`wallet\` name the pass of the requests. The operator puts a token of its own into \`operatorToken\`.`;

const variableOf = (key: string, value: string, description: string): Variable => ({ key, value, description });

/** Client credentials, also for Postman's own token button. Requests use the token that the script has fetched. */
const PARTNER: Auth = {
  type: 'oauth2',
  oauth2: Object.entries({
    grant_type: 'client_credentials',
    accessTokenUrl: '{{tokenUrl}}',
    clientId: '{{clientId}}',
    clientSecret: '{{clientSecret}}',
    scope: '{{scope}}',
    client_authentication: 'body',
    accessToken: '{{accessToken}}',
    addTokenTo: 'header',
    headerPrefix: 'Bearer',
  }).map(([key, value]): Variable => ({ key, value, type: 'string' })),
};

const OPERATOR: Auth = { type: 'bearer', bearer: [{ key: 'token', value: '{{operatorToken}}', type: 'string' }] };

/** The variable that fills a parameter of the path or a field of a body. */
const VARIABLE_BY_FIELD: Readonly<Record<string, string>> = {
  chain: 'chain',
  chainNetwork: 'chainNetwork',
  network: 'chainNetwork',
  wallet: 'wallet',
  walletAddress: 'wallet',
};

/** Returns the Postman collection of the OpenAPI document. The same document always gives the same collection. */
export async function collectionOf(document: Document): Promise<Collection> {
  const { info, item, variable } = await convertToCollection(document);
  const { tokenUrl, examples } = factsOf(document, item);
  return {
    info: {
      ...info,
      _postman_id: idOf('collection'),
      description: { content: `${INTRODUCTION}\n\n${document.info.description}`, type: 'text/markdown' },
    },
    item: item.map(completeFolder),
    auth: PARTNER,
    variable: [
      ...variable.filter(({ key }) => key === 'baseUrl'),
      variableOf('tokenUrl', tokenUrl, 'The token endpoint of the authorization server.'),
      variableOf('clientId', '', 'The id of your OAuth client.'),
      { ...variableOf('clientSecret', '', 'The secret of your OAuth client.'), type: 'secret' },
      variableOf('audience', '', 'Only if the authorization server requires it.'),
      variableOf('scope', '', 'Only if the authorization server requires it.'),
      ...examples.map(([key, value]) => variableOf(key, value, 'Names the pass of the requests.')),
      variableOf('bookmark', '', 'The newest `Gatepass-Bookmark`. The responses set it.'),
      { ...variableOf('accessToken', '', 'The access token. The requests fetch it.'), type: 'secret' },
      { ...variableOf('operatorToken', '', 'The access token for the folder Operator.'), type: 'secret' },
    ],
  };
}

/** Moves the search to the end: a run of the whole folder then ends with the changed pass. */
function completeFolder(folder: Folder): Folder {
  const isSearch = ({ request }: Item) => Number(request.url.path.join('/') === 'pass');
  // A well-known path belongs to the host, so it does not exist under the base path that `baseUrl` may have.
  const isBehind = ({ request }: Item) => request.url.path[0] !== '.well-known';
  const item = folder.item
    .filter(isBehind)
    .toSorted((one, other) => isSearch(one) - isSearch(other))
    .map(completeItem);
  if (folder.name === 'Service') return { ...folder, item, auth: { type: 'noauth' } };
  if (folder.name === 'Operator') return { ...folder, item, auth: OPERATOR };
  return { ...folder, item, event: PARTNER_EVENTS };
}

/** Keeps only the responses of successes, because the description of the collection lists the problems. */
function completeItem(item: Item): Item {
  const id = idOf(`${item.request.method} ${item.request.url.path.join('/')}`);
  const response = item.response
    .filter(({ code }) => code < 300)
    .map((each) => ({ ...each, id: uuidOf(`${each.code}`, id), originalRequest: fillRequest(each.originalRequest) }));
  return { ...item, id, request: fillRequest(item.request), response };
}

function fillRequest(request: Request): Request {
  // A request whose response has no content has no headers.
  const { url, header = [], body } = request;
  const variable = url.variable.map((each) => ({ ...each, value: fillValue(each.key, each.value) }));
  return {
    ...request,
    url: { ...url, variable },
    header: header.map((each) => enableHeader(each)),
    ...(body && { body: body.raw === undefined ? body : { ...body, raw: fillBody(body.raw) } }),
  };
}

const fillBody = (raw: string) => JSON.stringify(JSON.parse(raw, fillValue), undefined, 2);

function fillValue<T>(key: string, value: T): T | string {
  const variable = Object.hasOwn(VARIABLE_BY_FIELD, key) ? VARIABLE_BY_FIELD[key] : undefined;
  return typeof value === 'string' && variable !== undefined ? `{{${variable}}}` : value;
}

function enableHeader(header: Request['header'][number]): Request['header'][number] {
  if (header.key === 'Prefer') return { ...header, disabled: false };
  return header.key === 'Gatepass-Bookmark' ? { ...header, value: '{{bookmark}}', disabled: false } : header;
}

/** Returns values from the document's examples: the token URL, and the pass of the paths. */
function factsOf(document: Document, folders: readonly Folder[]) {
  const requests = folders.flatMap(({ item }) => item.map(({ request }) => request));
  const example = requests.find(({ url }) => url.variable.some(({ key }) => key === 'wallet'));
  const flow = document.components.securitySchemes.oauth2.flows.clientCredentials;
  return {
    tokenUrl: flow.tokenUrl,
    examples: (example?.url.variable ?? []).map(({ key, value }): [string, string] => [key, value]),
  };
}

const idOf = (name: string) => uuidOf(`gatepass:${name}`, uuidOf.URL);
