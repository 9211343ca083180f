import type { Config, TokenRules } from '../../src/config/config.ts';
import { answerOf, objectIn, shown } from './answer.ts';
import { check, type Finding, ok, told, unchecked, type Verdict, wrong } from './check.ts';
import { comparedKeys, type KeysFound, keysAt, keysVerdict } from './issuer-keys.ts';

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
    issuers.flatMap((issuer) => {
      const { name, rules, variables } = issuer;
      const keys = keysAt(rules.jwksUrl, rules.algorithms);
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

async function metadataVerdict(issuer: Issuer, keys: Promise<KeysFound>): Promise<Verdict> {
  const { rules, variables, tokenUrl } = issuer;
  const answers = await Promise.all(metadataUrls(rules.issuer).map(fetchMetadata));
  const metadata = answers.find((answer) => typeof answer === 'object');
  if (metadata === undefined) return withoutMetadata(issuer, answers, await keys);
  const { issuer: says, jwks_uri: theirs, token_endpoint: endpoint } = metadata;
  // RFC 8414 §3.3: identical, the slash at the end included.
  if (says !== rules.issuer) return differs(variables.issuer, 'issuer', says);
  if (tokenUrl !== undefined && endpoint !== tokenUrl) return differs('TOKEN_URL', 'token_endpoint', endpoint);
  if (theirs !== rules.jwksUrl) return otherKeysVerdict(issuer, theirs, await keys);
  return ok(`${rules.issuer} says the same of itself`);
}

/** The Worker needs none: whether the issuer's name is right then only a token tells. */
function withoutMetadata({ rules, variables }: Issuer, answers: readonly unknown[], { usable }: KeysFound): Verdict {
  if (usable.length > 0 && answers.every((answer) => answer === 'HTTP 404')) {
    return unchecked(`it publishes no metadata: compare ${variables.issuer} with the "iss" of a token`);
  }
  return wrong(
    `${rules.issuer} publishes no metadata (${answers[0]})`,
    `see that ${variables.issuer} is, to the letter, the "iss" of its tokens, and that it can be reached`,
  );
}

/** Keys may come from a mirror, and must not be those of somebody else: whoever has these makes tokens that are taken. */
async function otherKeysVerdict({ rules, variables }: Issuer, theirs: unknown, ours: KeysFound): Promise<Verdict> {
  const { keys: variable } = variables;
  // That they are of no use has a line of its own.
  if (ours.usable.length === 0) return differs(variable, 'jwks_uri', theirs);
  if (typeof theirs !== 'string') {
    return unchecked(`the issuer names no "jwks_uri": see that the keys at ${variable} are its own`);
  }
  const elsewhere = `${variable} is not the "jwks_uri" of the issuer, which says ${shown(theirs)}`;
  const published = await keysAt(theirs, rules.algorithms);
  if (published.usable.length === 0) {
    const why = published.fault ?? 'none can be used';
    return unchecked(
      `${elsewhere} and has no keys there to compare (${why}): see that those at ${variable} are its own`,
    );
  }
  const { shared, missing, more } = await comparedKeys(ours.usable, published.usable);
  if (shared === 0)
    return wrong(`${elsewhere}, and none of the keys there is at ${variable}`, `set ${variable} to that`);
  const unlike = [
    missing > 0 ? `it lacks ${missing} of the ${shared + missing} keys there: tokens signed with such are refused` : [],
    more > 0 ? `it has ${more} beside those there: tokens signed with such are taken as well` : [],
  ].flat();
  return told(
    `${elsewhere}; ${unlike.join('; ') || 'it has the same keys, and must follow when the issuer changes them'}`,
  );
}

/** What it says is told: whoever configures it has to compare the two. */
function differs(variable: string, member: string, says: unknown): Verdict {
  return wrong(
    `${variable} is not the "${member}" of the issuer, which says ${shown(says)}`,
    `set ${variable} to that`,
  );
}

/** The document, or why there is none. */
async function fetchMetadata(url: string): Promise<Readonly<Record<string, unknown>> | string> {
  const answer = await answerOf(url, TIMEOUT_MS);
  if (typeof answer === 'string') return answer;
  if (answer.status !== 200) return `HTTP ${answer.status}`;
  const metadata = objectIn(answer);
  return 'issuer' in metadata ? metadata : 'it names no issuer';
}
