import { type AdminRules, PARTNER_SCOPES, type TokenScope } from '../../src/config/config.ts';
import { ADMIN_SCOPES } from '../../src/config/token-rules.ts';
import { PROBLEMS, type ProblemCode } from '../../src/http/protocol/problem.ts';

/** Texts about the service as a whole, for each of its two documents. */

export const TAGS = {
  passes: { name: 'Passes', description: 'Issue, find and change passes, with a token of a partner.' },
  subjects: {
    name: 'Subjects',
    description: 'Change all passes of a person, and the rules for them, with a token of a partner.',
  },
  events: { name: 'Events', description: 'Read every change of your passes in order, with a token of a partner.' },
  audit: { name: 'Audit', description: 'Read who changed what, when and why, with a token of a partner.' },
  webhooks: { name: 'Webhooks', description: 'Get the events delivered to a URL, with a token of a partner.' },
  sandbox: {
    name: 'Sandbox',
    description: 'Move the clock of a sandbox, and cause events, with a token of one of its clients.',
  },
  service: { name: 'Service', description: 'Public information that needs no token.' },
  operator: {
    name: 'Operator',
    description:
      'Operations for the operator of the service, who has a token that no partner has. A deployment may lack them.',
  },
} as const;

/** The default name of each scope and the operations that it allows, by its name in the code. */
export const SCOPES = {
  search: {
    name: PARTNER_SCOPES.search,
    description: 'Search and fetch passes, and read the event feed, the usage and the audit trail.',
  },
  issue: { name: PARTNER_SCOPES.issue, description: 'Issue passes.' },
  update: {
    name: PARTNER_SCOPES.update,
    description: 'Freeze, unfreeze, revoke and sync passes, and change their expiry.',
  },
  webhook: { name: PARTNER_SCOPES.webhook, description: 'Manage the webhooks of the gatekeeper network.' },
  rules: { name: PARTNER_SCOPES.rules, description: 'Change the rules of the gatekeeper network.' },
  admin: {
    name: ADMIN_SCOPES.admin[1],
    description: 'Operate the service, with every right. No client of a partner has this scope.',
  },
  read: {
    name: ADMIN_SCOPES.read[1],
    description: 'Read what the operator may see. No client of a partner has this scope.',
  },
  act: {
    name: ADMIN_SCOPES.act[1],
    description:
      'Retry and end waiting work, revoke passes, decide approvals, and disable webhooks. No client of a partner has this scope.',
  },
  partners: {
    name: ADMIN_SCOPES.partners[1],
    description: 'Manage the partners. No client of a partner has this scope.',
  },
  metrics: { name: ADMIN_SCOPES.metrics[1], description: 'Read the metrics. No client of a partner has this scope.' },
} as const satisfies Readonly<Record<TokenScope | keyof AdminRules['scopes'], object>>;

/** Escapes plain text for Markdown, because a viewer would drop text that looks like a tag. */
export const escapeMarkdown = (text: string) => text.replaceAll('<', '\\<');

const ACCESS = `Fetch a token from the authorization server (OAuth 2.0 client credentials) and send it as \`Authorization: Bearer …\`.`;

const FORMS = `**Bodies** are JSON of at most 16 KiB, or 320 KiB with items, with \`Content-Type: application/json\`. They must not be compressed. Unknown fields,
duplicate fields and more than 16 levels of objects and lists are refused.

**New fields and values.** Later releases may add fields to responses, and values to lists (\`x-extensible-enum\`: states, events,
codes). Ignore fields and tolerate values that you do not know.

**HEAD** is accepted wherever GET is. Every response has \`X-Request-Id\`.`;

const problemsOf = (
  codes: readonly ProblemCode[],
) => `**Problems** are documents of RFC 9457 with a \`code\`. Codes may be added, but never change.

| status | code | detail |
|---|---|---|
${codes.map((code) => `| ${PROBLEMS[code].status} | \`${code}\` | ${escapeMarkdown(PROBLEMS[code].detail)} |`).join('\n')}

If a path exists only with other methods, the response is 405 with \`Allow\`.`;

/** The title and the texts of each document, and the scope of its example. A description lists the problem codes that its reader may get. */
export const INFO = {
  partners: {
    title: 'Gatepass',
    summary: 'Issues, finds and changes on-chain passes.',
    scope: 'issue',
    description: (
      codes: readonly ProblemCode[],
    ) => `Gatepass issues, finds and changes passes. A pass is the record that a wallet holds, or should hold, a gateway
token of a gatekeeper network on one network. Any dApp can check the token on chain.

**Access.** ${ACCESS}
One OAuth client is one partner. Each partner has a gatekeeper network, and sees only passes of that network.

**Transactions follow the response.** The service stores an issuance or a change at once, and sends its transactions afterwards.
\`state\` is the state that you want, \`onChainState\` is the state that the chain is known to hold, and \`events\` is the history. Send
\`Prefer: wait=20\` to get the response once the pass is settled.

**Times** are Unix seconds. Only \`timestamp\` of an event in the feed is in ISO 8601.

${FORMS}

**Rate limits.** The defaults per location of the platform and 10 seconds are 5,000 reads, 1,000 writes and 20 requests with items per
client, and 10,000 requests per IP address. Beyond them, the response is 429 with \`Retry-After\`.

${problemsOf(codes)}`,
  },
  operators: {
    title: 'Gatepass Admin API',
    summary: 'Operates the service.',
    scope: 'read',
    description: (
      codes: readonly ProblemCode[],
    ) => `The operations for the operator of Gatepass, who runs the service. Partners have another document, \`/openapi.json\`, and cannot call
these operations.

**Access.** ${ACCESS}
The token has the scope of a right, or the scope of all rights. Its issuer or its audience is one that no token of a partner has.

**Times** are Unix seconds. **Amounts** are decimal strings in wei or lamports.

**Reason.** Each body that changes something takes an optional \`reason\`, which the audit trail keeps with the name of the client or person.

${FORMS}
Unknown parameters of a query are refused too.

**Rate limits.** The default per location of the platform and 10 seconds is 1,000 requests per client or person. Beyond it, the response is 429
with \`Retry-After\`.

${problemsOf(codes)}`,
  },
} as const;
