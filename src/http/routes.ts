import type { Route } from './route.ts';
import { abandon } from './routes/admin/abandon.ts';
import { showDeadLetters } from './routes/admin/dead-letters.ts';
import { showMetrics } from './routes/admin/metrics.ts';
import { rebuild } from './routes/admin/rebuild.ts';
import { acceptReconciliation, showReconciliation } from './routes/admin/reconciliation.ts';
import { redrive } from './routes/admin/redrive.ts';
import { showSigners } from './routes/admin/signers.ts';
import { showStuck } from './routes/admin/stuck.ts';
import { showUsage } from './routes/admin/usage.ts';
import { disableWebhook, showWebhooks } from './routes/admin/webhooks.ts';
import { withdraw } from './routes/admin/withdraw.ts';
import { consoleFile, consolePage } from './routes/console.ts';
import { docsFile, docsPage } from './routes/docs.ts';
import { listEvents } from './routes/get-events.ts';
import { getPass } from './routes/get-pass.ts';
import { getUsage } from './routes/get-usage.ts';
import { health } from './routes/health.ts';
import { home } from './routes/home.ts';
import { issuePass } from './routes/issue-pass.ts';
import { issuePasses } from './routes/issue-passes.ts';
import { openapiDocument } from './routes/openapi-document.ts';
import { protectedResource } from './routes/protected-resource.ts';
import { revokePass } from './routes/revoke-pass.ts';
import { searchForPasses } from './routes/search-passes.ts';
import { syncPass } from './routes/sync-pass.ts';
import { updatePass } from './routes/update-pass.ts';
import { updatePasses } from './routes/update-passes.ts';
import { verifyPass } from './routes/verify-pass.ts';
import { postWebhook } from './routes/webhooks/create-webhook.ts';
import { deleteWebhook } from './routes/webhooks/delete-webhook.ts';
import { getWebhook } from './routes/webhooks/get-webhook.ts';
import { listDeliveries } from './routes/webhooks/list-deliveries.ts';
import { showOwnWebhooks } from './routes/webhooks/list-webhooks.ts';
import { replayWebhook } from './routes/webhooks/replay-webhook.ts';
import { rotateWebhookSecret } from './routes/webhooks/rotate-webhook-secret.ts';
import { testWebhook } from './routes/webhooks/test-webhook.ts';
import { updateWebhook } from './routes/webhooks/update-webhook.ts';

/** All routes of the service. */
export const ROUTES: readonly Route[] = [
  health,
  protectedResource,
  searchForPasses,
  issuePass,
  getPass,
  updatePass,
  revokePass,
  syncPass,
  issuePasses,
  updatePasses,
  listEvents,
  getUsage,
  verifyPass,
  postWebhook,
  showOwnWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  replayWebhook,
  listDeliveries,
  showSigners,
  showMetrics,
  showStuck,
  redrive,
  abandon,
  withdraw,
  showDeadLetters,
  showReconciliation,
  rebuild,
  acceptReconciliation,
  showWebhooks,
  disableWebhook,
  showUsage,
  home,
  docsPage,
  docsFile,
  consolePage,
  consoleFile,
  openapiDocument,
];
