import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { fetchKeys } from '../../src/auth/fetch-keys.ts';
import type { Config, TokenRules } from '../../src/config/config.ts';
import { answerOf, causeOf, objectIn } from './answer.ts';
import { check, type Finding, ok, type Verdict, wrong } from './check.ts';

/** What an issuer is held against: of the partners, or of the operator where that is another. */
interface Issuer {
  readonly name: string;
  readonly rules: Pick<TokenRules, 'issuer' | 'jwksUrl' | 'algorithms'>;
  readonly variables: { readonly issuer: string; readonly keys: string };
  /** Where partners fetch tokens, where the configuration says so. */
  readonly tokenUrl?: string | undefined;
}

export function issuerFindings({ tokens, tokenUrl, admin }: Config): Promise<Finding[]> {
  const issuers: Issuer[] = [
    {
      name: 'issuer',
      rules: tokens,
      variables: { issuer: 'TOKEN_ISSUER', keys: 'JWKS_URL' },
      tokenUrl,
    },
  ];
  if (admin && (admin.issuer !== tokens.issuer || admin.jwksUrl !== tokens.jwksUrl)) {
    const variables = { issuer: 'ADMIN_ISSUER', keys: 'ADMIN_JWKS_URL' };
    issuers.push({ name: "operator's issuer", rules: admin, variables });
  }
  return Promise.all(
    issuers.flatMap((issuer) => [
      check(issuer.name, () => metadataVerdict(issuer)),
      check(`keys of the ${issuer.name}`, () => keysVerdict(issuer)),
    ]),
  );
}

const TIMEOUT_MS = 5_000;

/** OpenID Connect Discovery 1.0 §4, then RFC 8414 §3.1: behind the path of the issuer, and in front of it. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

async function metadataVerdict({ rules, variables, tokenUrl }: Issuer): Promise<Verdict> {
  const answers = await Promise.all(metadataUrls(rules.issuer).map(fetchMetadata));
  const metadata = answers.find((answer) => typeof answer === 'object');
  if (metadata === undefined) {
    return wrong(
      `${rules.issuer} publishes no metadata (${answers[0]})`,
      `see that ${variables.issuer} is, to the letter, the "iss" of its tokens, and that it can be reached`,
    );
  }
  const { issuer, jwks_uri: keys, token_endpoint: endpoint } = metadata;
  // RFC 8414 §3.3: identical, the slash at the end included.
  if (issuer !== rules.issuer) return differs(variables.issuer, 'issuer', issuer);
  if (keys !== rules.jwksUrl) return differs(variables.keys, 'jwks_uri', keys);
  if (tokenUrl !== undefined && endpoint !== tokenUrl) return differs('TOKEN_URL', 'token_endpoint', endpoint);
  return ok(`${rules.issuer} says the same of itself`);
}

/** What it says is told: whoever configures it has to compare the two. */
function differs(variable: string, member: string, says: unknown): Verdict {
  const said = typeof says === 'string' ? says.slice(0, 200).replace(/[^!-~]+/g, ' ') : 'nothing';
  return wrong(`${variable} is not the "${member}" of the issuer, which says ${said}`, `set ${variable} to that`);
}

/** The document, or why there is none. */
async function fetchMetadata(url: string): Promise<Readonly<Record<string, unknown>> | string> {
  const answer = await answerOf(url, TIMEOUT_MS);
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200) return `HTTP ${answer.status}`;
  const metadata = objectIn(answer);
  return 'issuer' in metadata ? metadata : 'it names no issuer';
}

async function keysVerdict({ rules, variables }: Issuer): Promise<Verdict> {
  let set: JSONWebKeySet;
  try {
    set = await fetchKeys(rules.jwksUrl);
  } catch (error) {
    return wrong(
      `${rules.jwksUrl} gives no keys (${causeOf(error)})`,
      `set ${variables.keys} to the "jwks_uri" of the issuer: it is fetched within two seconds, and redirects are not followed`,
    );
  }
  const usable = await usableIn(set, rules.algorithms);
  if (usable.length === 0) {
    return wrong(
      `none of its ${set.keys.length} keys has a "kid" and an algorithm of TOKEN_ALGORITHMS`,
      'name the algorithm that the issuer signs access tokens with in TOKEN_ALGORITHMS',
    );
  }
  return ok(`${usable.length} of ${set.keys.length} can be used`);
}

/** Ids of the keys that the Worker finds for a token: by the library that it asks. */
async function usableIn(set: JSONWebKeySet, algorithms: readonly string[]): Promise<string[]> {
  const find = createLocalJWKSet(set);
  const ids = [...new Set(set.keys.flatMap(({ kid }) => (kid ? [kid] : [])))];
  const found = await Promise.all(
    ids.map(async (kid) => {
      const keys = await Promise.allSettled(algorithms.map((alg) => find({ alg, kid })));
      return keys.some(({ status }) => status === 'fulfilled');
    }),
  );
  return ids.filter((_, index) => found[index]);
}
