import { idOf, itemOf } from './items.ts';
import { type Document, exampleOf, parametersOf } from './openapi-document.ts';
import { PARTNER_EVENTS } from './partner-scripts.ts';
import type { Auth, Collection, Folder, Item, Variable } from './postman-collection.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const INTRODUCTION = `Set the variables \`baseUrl\`, \`tokenUrl\`, \`clientId\` and \`clientSecret\` (as current values, which are not shared).
Set \`audience\` and \`scope\` if your authorization server requires them. The requests fetch a token and keep it until it expires. \`chain\`,
\`chainNetwork\` and \`wallet\` name the pass of the requests.`;

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

/** Returns the Postman collection of the OpenAPI document. The same document always gives the same collection. */
export function collectionOf(document: Document): Collection {
  const { info, servers, tags, components } = document;
  return {
    info: {
      _postman_id: idOf('collection'),
      name: info.title,
      schema: SCHEMA,
      description: { content: `${INTRODUCTION}\n\n${info.description}`, type: 'text/markdown' },
    },
    item: tags.map((tag) => folderOf(document, tag)),
    auth: PARTNER,
    variable: [
      variableOf('baseUrl', servers[0]?.url ?? '', 'The service.'),
      variableOf(
        'tokenUrl',
        components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl,
        'The token endpoint of the authorization server.',
      ),
      variableOf('clientId', '', 'The id of your OAuth client.'),
      { ...variableOf('clientSecret', '', 'The secret of your OAuth client.'), type: 'secret' },
      variableOf('audience', '', 'Only if the authorization server requires it.'),
      variableOf('scope', '', 'Only if the authorization server requires it.'),
      ...passOf(document).map(([key, value]) => variableOf(key, value, 'Names the pass of the requests.')),
      variableOf('bookmark', '', 'The newest `Gatepass-Bookmark`. The responses set it.'),
      { ...variableOf('accessToken', '', 'The access token. The requests fetch it.'), type: 'secret' },
    ],
  };
}

/** Returns the folder of a tag. The search is last: a run of the whole folder then ends with the changed pass. */
function folderOf(document: Document, tag: Document['tags'][number]): Folder {
  const isSearch = ({ request }: Item) => Number(request.url.path.join('/') === 'pass');
  const item = Object.entries(document.paths)
    // A well-known path belongs to the host, so it does not exist under the base path that `baseUrl` may have.
    .filter(([path]) => !path.startsWith('/.well-known/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags?.[0] === tag.name)
        .map(([method, operation]) => itemOf(document, path, method, operation)),
    )
    .toSorted((one, other) => isSearch(one) - isSearch(other));
  const folder = { name: tag.name, description: tag.description, item };
  if (tag.name === 'Service') return { ...folder, auth: { type: 'noauth' } };
  return { ...folder, event: PARTNER_EVENTS };
}

/** Returns the pass of the document's examples, as the parameters of its path. */
function passOf(document: Document): [string, string][] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const all = operations.map((operation) => (operation.tags ? parametersOf(document, operation) : []));
  const parameters = all.find((each) => each.some(({ name }) => name === 'wallet')) ?? [];
  return parameters.filter((each) => each.in === 'path').map((each) => [each.name, exampleOf(each)]);
}
