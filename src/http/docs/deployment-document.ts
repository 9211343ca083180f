import type { Config } from '../../config/config.ts';

/** The parts of an OpenAPI 3.1 document that say something else in each deployment. */
export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components & { readonly securitySchemes: SecuritySchemes };
}

type PathItem = Readonly<Record<string, object>>;
type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Requirement[];
}

/** Names of scopes, by scheme. */
type Requirement = Readonly<Record<string, readonly string[]>>;

type SecuritySchemes = Readonly<Record<string, SecurityScheme>>;

interface SecurityScheme {
  readonly flows?: { readonly clientCredentials: ClientCredentials };
}

interface ClientCredentials {
  readonly tokenUrl: string;
  readonly scopes: Readonly<Record<string, string>>;
}

/** The tag and the scope of the operator's routes. */
const OPERATOR = 'Operator';
const ADMIN = 'admin';

/**
 * The document as it holds here: with this server, the token endpoint and what its issuer calls the scopes, and without the
 * operator's routes where there are none.
 * @param origin Scheme, host and port that the caller used.
 */
export function deploymentDocument(document: OpenApiDocument, config: Config, origin: string): OpenApiDocument {
  const { basePath, admin } = config;
  const serversAt = (url: string) => document.servers.map((server) => ({ ...server, url }));
  const paths = each(document.paths, (path, item) => {
    const kept = itemOf(item, config);
    if (!Object.values(kept).some(isOperation)) return [];
    // Well-known places are those of a host, and the base path comes behind them.
    return 'servers' in kept ? [[path + basePath, { ...kept, servers: serversAt(origin) }]] : [[path, kept]];
  });
  const { securitySchemes, ...components } = document.components;
  return {
    ...document,
    servers: serversAt(origin + basePath),
    tags: document.tags.filter(({ name }) => name !== OPERATOR || admin !== undefined),
    paths,
    components: { ...usedIn(paths, components), securitySchemes: schemesOf(securitySchemes, config) },
  };
}

type Named<T> = Readonly<Record<string, T>>;

/** With what each entry becomes: none, itself, or another. */
function each<T>(all: Named<T>, become: (name: string, value: T) => [name: string, value: T][]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => become(name, value)));
}

const isOperation = (field: object): field is Operation => 'operationId' in field;

/** Without the operator's operations where there are none, and with the ways in that there are. */
function itemOf(item: PathItem, config: Config): PathItem {
  return each(item, (name, field) => {
    if (!isOperation(field)) return [[name, field]];
    if (field.tags.includes(OPERATOR) && config.admin === undefined) return [];
    const isThere = ({ oauth2 = [] }: Requirement) => oauth2.every((scope) => isGiven(scope, config));
    const rename = (way: Requirement) =>
      each(way, (scheme, scopes) => [[scheme, scopes.map((scope) => nameOf(scope, config))]]);
    return [[name, { ...field, security: field.security.filter(isThere).map(rename) }]];
  });
}

/** What the issuer calls a scope of the document. */
function nameOf(scope: string, { tokens: { scopes }, admin }: Config): string {
  if (scope === ADMIN) return admin?.scope ?? ADMIN;
  const [action] = scope.split(':');
  return scopes[action as keyof typeof scopes];
}

/** Whether the token endpoint gives out tokens with that scope: partners' it does, the operator's where the issuer is theirs. */
function isGiven(scope: string, { tokenUrl, tokens, admin }: Config): boolean {
  return tokenUrl !== undefined && (scope !== ADMIN || admin?.issuer === tokens.issuer);
}

function schemesOf({ oauth2, ...others }: SecuritySchemes, config: Config): SecuritySchemes {
  const { tokenUrl } = config;
  if (oauth2?.flows === undefined || tokenUrl === undefined) return others;
  const scopes = each(oauth2.flows.clientCredentials.scopes, (scope, description) =>
    isGiven(scope, config) ? [[nameOf(scope, config), description]] : [],
  );
  return { oauth2: { ...oauth2, flows: { clientCredentials: { tokenUrl, scopes } } }, ...others };
}

/** Those that something in the paths refers to, or that these refer to. */
function usedIn(paths: object, components: Components): Components {
  const used = new Set<string>();
  const read = (part: unknown) => {
    for (const [, ref = '', kind = '', name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/((\w+)\/([^"]+))"/g,
    )) {
      if (used.has(ref)) continue;
      used.add(ref);
      read(components[kind]?.[name] ?? {});
    }
  };
  read(paths);
  return each(components, (kind, parts) => [
    [kind, each(parts, (name, part) => (used.has(`${kind}/${name}`) ? [[name, part]] : []))],
  ]);
}
