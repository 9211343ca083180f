import { type AdminRules, type Config, PARTNER_SCOPES, type TokenScope } from '../../config/config.ts';
import { ADMIN_SCOPES } from '../../config/token-rules.ts';
import { METADATA_PATH } from '../protocol/url.ts';

type AdminScope = keyof AdminRules['scopes'];

/** The readers of the two documents. */
export type Reader = 'partners' | 'operators';

interface OpenApiDocument {
  servers: { url: string }[];
  paths: Record<string, Record<string, { security?: object[] }>>;
  components: { securitySchemes: { oauth2?: object } };
}

/** Returns the committed document of a reader with the addresses and scope names of this deployment. */
export function deploymentDocument(template: string, reader: Reader, config: Config, origin: string): string {
  const { basePath, tokens, admin } = config;
  const document: OpenApiDocument = JSON.parse(template);
  const tokenUrl = tokenUrlFor(reader, config);
  if (tokenUrl === undefined) removeFlow(document);
  for (const server of document.servers) server.url = origin + basePath;
  const values = new Map([
    // The server of the well-known path has no base path: well-known paths belong to a host.
    ['https://api.example.com', origin],
    [METADATA_PATH, METADATA_PATH + basePath],
    ['https://issuer.example.com/oauth/token', tokenUrl],
    ...Object.entries(PARTNER_SCOPES).map(([scope, name]) => [name, tokens.scopes[scope as TokenScope]] as const),
    ...Object.entries(ADMIN_SCOPES).map(([right, [, name]]) => [name, admin?.scopes[right as AdminScope]] as const),
  ]);
  return JSON.stringify(document).replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const value = values.get(text.slice(1, -1));
    return value === undefined ? text : JSON.stringify(value);
  });
}

/** Returns the URL where the reader gets tokens, if the configuration has it. */
function tokenUrlFor(reader: Reader, { tokenUrl, tokens, admin }: Config): string | undefined {
  if (reader === 'partners') return tokenUrl;
  return admin?.tokenUrl ?? (admin?.issuer === tokens.issuer ? tokenUrl : undefined);
}

/** Removes the OAuth 2.0 flow, so that the bearer scheme remains. */
function removeFlow({ paths, components }: OpenApiDocument): void {
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    operation.security &&= operation.security.filter((scheme) => !('oauth2' in scheme));
  }
  delete components.securitySchemes.oauth2;
}
