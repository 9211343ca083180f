import type { CursorExpired } from '../store/feed.ts';
import type { WebhookView } from './webhook.ts';

/** The result of a test delivery. */
export type TestResult =
  | { readonly type: 'too_soon' }
  | {
      readonly type: 'tested';
      readonly delivered: boolean;
      /** HTTP status; undefined: there was no response. */
      readonly status?: number | undefined;
      readonly durationMs: number;
      readonly error?: string | undefined;
    };

/** The result of a replay. */
export type ReplayResult =
  | { readonly type: 'too_soon' }
  | { readonly type: 'replaying'; readonly webhook: WebhookView }
  | { readonly type: 'beyond_newest'; readonly newest: number }
  /** The replay counts as more events than the gatekeeper network has left today. */
  | { readonly type: 'quota_reached'; readonly events: number; readonly left: number; readonly retryAfter: number }
  /** The count of replayed events does not answer. */
  | { readonly type: 'unavailable' }
  | CursorExpired;
