import { isShardName } from '../../src/config/bindings.ts';
import { hasField, hasOneSubjectChange, hasRule, isTime, RULE_FIELDS } from '../../src/http/schemas/managing.ts';
import {
  areFeedTypes,
  expiresLater,
  givesReasonOfLoss,
  hasChange,
  hasOneStart,
  hasOneWallet,
  hasReferenceAlone,
  hasReferenceLength,
  hasSubjectAlone,
  isChainId,
  isContract,
  isDigits,
  isSortedById,
  isSubjectNamable,
  revokesWithoutExpiry,
  UNNAMABLE_SUBJECTS,
} from '../../src/http/schemas/requests.ts';
import { isVisibleText } from '../../src/lib/characters.ts';
import { isGatekeeperNetwork } from '../../src/network/slot.ts';
import {
  areWhole,
  changesPartner,
  fitsSandbox,
  hasContent,
  isClientCursor,
  isNamable,
  noSpaceAtEnds,
  PARTNER_CHANGES,
  UNNAMABLE_CLIENTS,
} from '../../src/operator/partner-requests.ts';
import {
  hasClientOrNetwork,
  hasOneChoice,
  hasOneDecision,
  hasOneSelection,
  hasOneSwitch,
  hasTimesWithClient,
  isCursor,
  pagesOnlyWithAll,
  REDRIVE_CHOICES,
  REVOCATION_CHOICES,
} from '../../src/operator/requests.ts';
import { FEED_TYPES } from '../../src/pass/vocabulary.ts';
import { type Keywords, PATTERN } from './fields.ts';

const someOf = (...names: readonly string[]) => names.map((name) => ({ required: [name] }));
const notTogether = (properties: Keywords) => ({ not: { properties, required: Object.keys(properties) } });
const WITH_OWN_ORDER = ['walletPrefix', 'validity', 'expiresBefore'].map((name) => notTogether({ [name]: {} }).not);

/**
 * JSON Schema keywords of each check that a request schema makes with a function of this project. The generator throws for a
 * check without an entry, so the document omits no rule, and for an entry without a check.
 */
const CHECKS: ReadonlyMap<unknown, Keywords> = new Map<unknown, Keywords>([
  [hasChange, { minProperties: 1 }],
  [revokesWithoutExpiry, {}],
  // A reason alone needs a state.
  [
    givesReasonOfLoss,
    {
      not: {
        anyOf: [
          notTogether({ state: { const: 'REVOKED' }, expiryTimestamp: {} }).not,
          notTogether({ state: { const: 'ACTIVE' }, reason: {} }).not,
        ],
      },
      dependentRequired: { reason: ['state'] },
    },
  ],
  // A schema has one `not`, so an entry has the rules of its neighbors too.
  [
    hasOneStart,
    {
      not: {
        anyOf: [
          notTogether({ skip: {}, after: {} }).not,
          notTogether({ order: {}, filter: { anyOf: WITH_OWN_ORDER } }).not,
        ],
      },
    },
  ],
  [isSortedById, {}],
  // The value of a query parameter is text. The document shows it as a number.
  [isDigits, { type: 'integer' }],
  [isChainId, { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }],
  [isContract, { pattern: '^0x[0-9a-fA-F]{40}$', not: { pattern: PATTERN.zeroAddress } }],
  [hasField, { minProperties: 1 }],
  // The description says that it has no space at its ends.
  [hasReferenceLength, { minLength: 1, maxLength: 128 }],
  [
    hasReferenceAlone,
    {
      not: {
        anyOf: [
          { ...notTogether({ reference: {} }).not, minProperties: 2 },
          { ...notTogether({ subject: {} }).not, minProperties: 2 },
          notTogether({ walletPrefix: {}, walletAddress: {} }).not,
          notTogether({ validity: { const: 'expired' }, expiresBefore: {} }).not,
        ],
      },
    },
  ],
  [hasSubjectAlone, {}],
  [hasOneWallet, {}],
  [isSubjectNamable, { not: { enum: UNNAMABLE_SUBJECTS } }],
  [hasOneSubjectChange, { oneOf: someOf('state', 'expiryTimestamp') }],
  [hasRule, { anyOf: someOf(...Object.keys(RULE_FIELDS)) }],
  [expiresLater, {}],
  [hasOneSwitch, { oneOf: someOf('disable', 'enable') }],
  [isVisibleText, { pattern: PATTERN.visibleText }],
  // The document shows the list as an array, whose values the query separates by commas.
  [areFeedTypes, { type: 'array', items: { type: 'string', enum: FEED_TYPES }, minItems: 1 }],
  [isGatekeeperNetwork, { pattern: PATTERN.base58Key }],
  // Its pattern says all but the days of each month.
  [isTime, {}],
  [isCursor, { pattern: PATTERN.cursor }],
  [hasClientOrNetwork, { anyOf: someOf('client', 'gatekeeperNetwork') }],
  [hasOneChoice, { oneOf: someOf(...REDRIVE_CHOICES) }],
  [hasContent, { minLength: 1 }],
  [isClientCursor, { pattern: '^c\\.[A-Za-z0-9_-]{1,1400}$' }],
  [isNamable, { not: { enum: UNNAMABLE_CLIENTS } }],
  [isShardName, { pattern: '^DB(_[1-9][0-9]*)?$' }],
  [changesPartner, { anyOf: PARTNER_CHANGES.map((field) => ({ required: [field] })) }],
  // The description of the field says the rest.
  [noSpaceAtEnds, {}],
  [areWhole, {}],
  [fitsSandbox, { anyOf: someOf('gatekeeperNetwork', 'sandbox') }],
  [hasOneSelection, { oneOf: someOf(...REVOCATION_CHOICES) }],
  [hasTimesWithClient, { dependentRequired: { client: ['from', 'to'], from: ['client'], to: ['client'] } }],
  [hasOneDecision, { minProperties: 1, maxProperties: 1 }],
  [pagesOnlyWithAll, { dependentRequired: { olderThan: ['all'], after: ['all'] } }],
]);

const used = new Set<unknown>();

/** Returns the JSON Schema keywords of a check; undefined for a check without an entry, which the conversion then refuses. */
export function findCheckKeywords(check: object): Keywords | undefined {
  const requirement = 'requirement' in check ? check.requirement : undefined;
  used.add(requirement);
  return CHECKS.get(requirement);
}

/** Throws if no schema that was converted so far makes one of the checks. */
export function assertAllUsed(checks: Iterable<unknown> = CHECKS.keys()): void {
  const unused = [...checks].filter((check) => !used.has(check));
  if (unused.length > 0) throw new Error(`remove the unused entries in CHECKS: ${unused.join(', ')}`);
}
