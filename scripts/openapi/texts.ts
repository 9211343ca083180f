import { PROBLEMS } from '../../src/http/protocol/problem.ts';

/** What the document says of the service as a whole. */

export const TAGS = {
  passes: { name: 'Passes', description: 'Issuing, finding and changing passes: with a token of a partner.' },
  service: { name: 'Service', description: 'What anybody may ask, without a token.' },
  operator: {
    name: 'Operator',
    description: 'What whoever runs the service asks, with a token that no partner has. Not there in every deployment.',
  },
} as const;

/** By the name that the code has for them: what they are called by default, and what they allow. */
export const SCOPES = {
  search: { name: 'search:pass', description: 'Search and fetch passes.' },
  issue: { name: 'issue:pass', description: 'Issue passes.' },
  update: {
    name: 'update:pass',
    description: 'Freeze, unfreeze, revoke and sync passes, and change when they expire.',
  },
  admin: { name: 'admin', description: 'For whoever runs the service: no client of a partner has it.' },
} as const;

/** Escapes plain text for Markdown, where a viewer would drop text that looks like a tag. */
export const escapeMarkdown = (text: string) => text.replaceAll('<', '\\<');

const problems = Object.entries(PROBLEMS).map(
  ([code, { status, detail }]) => `| ${status} | \`${code}\` | ${escapeMarkdown(detail)} |`,
);

export const DESCRIPTION = `Gatepass issues, finds and manages passes: a pass binds a wallet to a chain, a network and a gatekeeper network,
and lives on chain as a gateway token that any dApp can check.

**Access.** Fetch a token from the authorization server (OAuth 2.0, client credentials) and send it as \`Authorization: Bearer …\`.
A partner is one OAuth client; its gatekeeper network is the one its passes belong to, and it sees no others.

**Asynchronous.** Issuing and changing are stored at once and end in real transactions behind the answer. \`state\` is what the
pass should be, \`onChainState\` what the chain holds, and \`events\` tell the way. Send \`Prefer: wait=20\` to be answered when
the pass has settled.

**Times** are Unix seconds. **Bodies** are JSON of at most 16 KiB, as \`application/json\`, not compressed, no field twice in an object;
fields that a request does not have are refused.

**Tolerate what you do not know.** Answers may get new fields, and lists of words (\`x-extensible-enum\`: states, events, codes) new words.

**HEAD** is answered wherever GET is. Every answer carries \`X-Request-Id\`.

**Limits**, unless this service has others: per client, location and 10 seconds 5,000 reads and 1,000 writes, and 10,000 requests by
address; then 429 with \`Retry-After\`.

**Problems** are documents of RFC 9457 with a \`code\`; codes are added, never changed:

| status | code | |
|---|---|---|
${problems.join('\n')}

A path that is there with other methods answers 405 with \`Allow\`.`;
