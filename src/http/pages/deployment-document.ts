import type { Config } from '../../config/config.ts';
import { METADATA_PATH } from '../protocol/url.ts';

/** The operator's scopes as the committed document names them. */
const ADMIN_SCOPES = [
  ['admin', 'admin'],
  ['read', 'admin:read'],
  ['act', 'admin:act'],
  ['partners', 'admin:partners'],
  ['metrics', 'metrics:read'],
] as const;

interface OpenApiDocument {
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, { security?: object[] }>>;
  components: { securitySchemes: { oauth2?: { flows: { clientCredentials: { scopes: Record<string, string> } } } } };
}

/** Returns the committed document with the addresses and scope names of this deployment, without the parts that it lacks. */
export function deploymentDocument(template: string, config: Config, origin: string): string {
  const { basePath, tokenUrl = '', tokens, admin } = config;
  const document: OpenApiDocument = JSON.parse(template);
  removeUnavailable(document, config);
  for (const server of document.servers) server.url = origin + basePath;
  const values = new Map([
    // The server of the well-known path has no base path: well-known paths belong to a host.
    ['https://api.example.com', origin],
    [METADATA_PATH, METADATA_PATH + basePath],
    ['https://issuer.example.com/oauth/token', tokenUrl],
    ['search:pass', tokens.scopes.search],
    ['issue:pass', tokens.scopes.issue],
    ['update:pass', tokens.scopes.update],
    ['webhook:manage', tokens.scopes.webhook],
    ...ADMIN_SCOPES.map(([right, scope]) => [scope, admin?.scopes[right] ?? ''] as const),
  ]);
  return JSON.stringify(document).replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const value = values.get(text.slice(1, -1));
    return value === undefined ? text : JSON.stringify(value);
  });
}

/** Removes the operator's routes if they do not exist, and the OAuth 2.0 flow from operations that refuse its tokens. */
function removeUnavailable(document: OpenApiDocument, { tokenUrl, tokens, admin }: Config): void {
  const { paths, components } = document;
  const partnersHaveFlow = tokenUrl !== undefined;
  const operatorHasFlow = partnersHaveFlow && admin?.issuer === tokens.issuer;
  for (const [path, item] of Object.entries(paths)) {
    const isOperators = path.startsWith('/admin/');
    if (isOperators && admin === undefined) delete paths[path];
    if (isOperators ? operatorHasFlow : partnersHaveFlow) continue;
    for (const operation of Object.values(item)) {
      operation.security &&= operation.security.filter((scheme) => !('oauth2' in scheme));
    }
  }
  if (admin === undefined) document.tags = document.tags.filter(({ name }) => name !== 'Operator');
  if (!operatorHasFlow) {
    const scopes = components.securitySchemes.oauth2?.flows.clientCredentials.scopes ?? {};
    for (const [, scope] of ADMIN_SCOPES) delete scopes[scope];
  }
  if (!partnersHaveFlow) delete components.securitySchemes.oauth2;
}
