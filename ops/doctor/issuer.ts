import type { Config, TokenRules } from '../../src/config/config.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';
import { fetchAnswer, parseObject, printable } from './fetch-answer.ts';
import { compareKeys, fetchIssuerKeys, type IssuerKeys, keysVerdict } from './issuer-keys.ts';

/** What an issuer is held against: of the partners, or of the operator where that is another. */
interface Issuer {
  readonly name: string;
  readonly rules: Pick<TokenRules, 'issuer' | 'jwksUrl' | 'algorithms'>;
  readonly variables: { readonly issuer: string; readonly keys: string };
  /** Where partners fetch tokens, where the configuration says so. */
  readonly tokenUrl?: string | undefined;
}

export function checkIssuers({ tokens, tokenUrl, admin }: Config): Promise<Finding[]> {
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
    issuers.flatMap((issuer) => {
      const { name, rules, variables } = issuer;
      const keys = fetchIssuerKeys(rules.jwksUrl, rules.algorithms);
      return [
        check(name, () => metadataVerdict(issuer, keys)),
        check(`keys of the ${name}`, async () => keysVerdict(await keys, rules.jwksUrl, variables.keys)),
      ];
    }),
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

async function metadataVerdict(issuer: Issuer, keys: Promise<IssuerKeys>): Promise<Verdict> {
  const { rules, variables, tokenUrl } = issuer;
  const answers = await Promise.all(metadataUrls(rules.issuer).map(fetchMetadata));
  const metadata = answers.find((answer) => typeof answer === 'object');
  if (metadata === undefined) return missingMetadataVerdict(issuer, answers, await keys);
  const { issuer: says, jwks_uri: theirs, token_endpoint: endpoint } = metadata;
  // RFC 8414 §3.3: identical, the slash at the end included.
  if (says !== rules.issuer) return differenceVerdict(variables.issuer, 'issuer', says);
  if (tokenUrl !== undefined && endpoint !== tokenUrl)
    return differenceVerdict('TOKEN_URL', 'token_endpoint', endpoint);
  if (theirs !== rules.jwksUrl) return otherKeysVerdict(issuer, theirs, await keys);
  return ok(`${rules.issuer} says the same of itself`);
}

/** The Worker needs none: whether the issuer's name is right then only a token tells. */
function missingMetadataVerdict(
  { rules, variables }: Issuer,
  answers: readonly unknown[],
  { usable }: IssuerKeys,
): Verdict {
  if (usable.length > 0 && answers.every((answer) => answer === 'HTTP 404')) {
    return skip(`it publishes no metadata: compare ${variables.issuer} with the "iss" of a token`);
  }
  return fail(
    `${rules.issuer} publishes no metadata (${answers[0]})`,
    `see that ${variables.issuer} is, to the letter, the "iss" of its tokens, and that it can be reached`,
  );
}

/** Keys may come from a mirror, and must not be those of somebody else: whoever has these makes tokens that are taken. */
async function otherKeysVerdict({ rules, variables }: Issuer, theirs: unknown, ours: IssuerKeys): Promise<Verdict> {
  const { keys: variable } = variables;
  // That they are of no use has a line of its own.
  if (ours.usable.length === 0) return differenceVerdict(variable, 'jwks_uri', theirs);
  if (typeof theirs !== 'string') {
    return skip(`the issuer names no "jwks_uri": see that the keys at ${variable} are its own`);
  }
  const elsewhere = `${variable} is not the "jwks_uri" of the issuer, which says ${printable(theirs)}`;
  const published = await fetchIssuerKeys(theirs, rules.algorithms);
  if (published.usable.length === 0) {
    const why = published.fault ?? 'none can be used';
    return skip(`${elsewhere} and has no keys there to compare (${why}): see that those at ${variable} are its own`);
  }
  const { shared, missing, more } = await compareKeys(ours.usable, published.usable);
  if (shared === 0)
    return fail(`${elsewhere}, and none of the keys there is at ${variable}`, `set ${variable} to that`);
  const unlike = [
    missing > 0 ? `it lacks ${missing} of the ${shared + missing} keys there: tokens signed with such are refused` : [],
    more > 0 ? `it has ${more} beside those there: tokens signed with such are taken as well` : [],
  ].flat();
  return notice(
    `${elsewhere}; ${unlike.join('; ') || 'it has the same keys, and must follow when the issuer changes them'}`,
  );
}

/** Shows the issuer's value, so that the operator can compare it with the configured one. */
function differenceVerdict(variable: string, member: string, says: unknown): Verdict {
  return fail(
    `${variable} is not the "${member}" of the issuer, which says ${printable(says)}`,
    `set ${variable} to that`,
  );
}

/** The document, or why there is none. */
async function fetchMetadata(url: string): Promise<Readonly<Record<string, unknown>> | string> {
  const answer = await fetchAnswer(url, TIMEOUT_MS);
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200) return `HTTP ${answer.status}`;
  const metadata = parseObject(answer);
  return 'issuer' in metadata ? metadata : 'it names no issuer';
}
