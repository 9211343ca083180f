import type { Config, TokenRules } from '../../src/config/config.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';
import { fetchAnswer, parseObject, printable } from './fetch-answer.ts';
import { compareKeys, fetchIssuerKeys, type IssuerKeys, keysVerdict } from './issuer-keys.ts';

/** An issuer with its configuration: the partners' issuer, or the operator's if it is another one. */
interface Issuer {
  readonly name: string;
  readonly rules: Pick<TokenRules, 'issuer' | 'jwksUrl' | 'algorithms'>;
  readonly variables: { readonly issuer: string; readonly keys: string };
  /** Where partners fetch tokens, if configured. */
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

/**
 * Returns the URLs of the metadata: OpenID Connect Discovery 1.0 §4 appends the well-known path to the issuer, RFC 8414 §3.1
 * inserts it before the issuer's path.
 */
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
  const metadata = answers.find((answer) => 'metadata' in answer)?.metadata;
  if (metadata === undefined) return missingMetadataVerdict(issuer, answers, await keys);
  const { issuer: says, jwks_uri: theirs, token_endpoint: endpoint } = metadata;
  // RFC 8414 §3.3: the two must be identical, including a slash at the end.
  if (says !== rules.issuer) return differenceVerdict(variables.issuer, 'issuer', says);
  if (tokenUrl !== undefined && endpoint !== tokenUrl)
    return differenceVerdict('TOKEN_URL', 'token_endpoint', endpoint);
  if (theirs !== rules.jwksUrl) return otherKeysVerdict(issuer, theirs, await keys);
  return ok(`the metadata of ${rules.issuer} matches`);
}

/** The Worker needs no metadata. Without it, only a token can show whether the issuer's name is right. */
function missingMetadataVerdict(
  { rules, variables }: Issuer,
  answers: readonly { readonly fault?: string; readonly status?: number }[],
  { usable }: IssuerKeys,
): Verdict {
  if (usable.length > 0 && answers.every(({ status }) => status === 404)) {
    return skip(`it publishes no metadata: compare ${variables.issuer} with the "iss" of a token`);
  }
  return fail(
    `${rules.issuer} publishes no metadata (${answers[0]?.fault})`,
    `check that ${variables.issuer} is exactly the "iss" of its tokens, and that this machine reaches it`,
  );
}

/**
 * Compares the configured keys with the issuer's. The configured URL may be a mirror, but its keys must be the issuer's: the
 * Worker accepts every token that is signed with one of them.
 */
async function otherKeysVerdict({ rules, variables }: Issuer, theirs: unknown, ours: IssuerKeys): Promise<Verdict> {
  const { keys: variable } = variables;
  // Another check reports that the keys are unusable.
  if (ours.usable.length === 0) return differenceVerdict(variable, 'jwks_uri', theirs);
  if (typeof theirs !== 'string') {
    return skip(`the issuer's metadata has no "jwks_uri": check that the keys at ${variable} are the issuer's own`);
  }
  const elsewhere = `${variable} is not the "jwks_uri" of the issuer, ${printable(theirs)}`;
  const published = await fetchIssuerKeys(theirs, rules.algorithms);
  if (published.usable.length === 0) {
    const why = published.fault ?? 'none is usable';
    return skip(
      `${elsewhere}, which serves no keys to compare (${why}): check that the keys at ${variable} are the issuer's`,
    );
  }
  const { shared, missing, more } = await compareKeys(ours.usable, published.usable);
  if (shared === 0)
    return fail(`${elsewhere}, and the two have no key in common`, `set ${variable} to the issuer's "jwks_uri"`);
  const unlike = [
    missing > 0
      ? `${variable} lacks ${missing} of the issuer's ${shared + missing} keys: the Worker refuses tokens signed with them`
      : [],
    more > 0
      ? `${variable} has ${more} keys that the issuer lacks: the Worker also accepts tokens signed with them`
      : [],
  ].flat();
  return notice(
    `${elsewhere}; ${unlike.join('; ') || `${variable} has the same keys, and must change when the issuer changes its keys`}`,
  );
}

/** Shows the issuer's value, so that the operator can compare it with the configured one. */
function differenceVerdict(variable: string, member: string, says: unknown): Verdict {
  return fail(
    `${variable} is not the "${member}" of the issuer, ${printable(says)}`,
    `set ${variable} to the issuer's "${member}"`,
  );
}

/** Returns the metadata, or the reason why there is none. */
async function fetchMetadata(url: string) {
  const answer = await fetchAnswer(url, TIMEOUT_MS);
  if (typeof answer === 'string') return { fault: answer };
  const { status } = answer;
  if (status !== 200) return { fault: `HTTP ${status}`, status };
  const metadata = parseObject(answer);
  return 'issuer' in metadata ? { metadata } : { fault: 'the document has no "issuer"' };
}
