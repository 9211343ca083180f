import { signersOn } from '../../config/signers.ts';
import { CACHE_ONE_MINUTE, fetchAsset, hasSlashAtEnd, pageHeaders, replyAsset } from '../pages/static-asset.ts';
import { type Refusal, refuse, refuseUnavailable } from '../protocol/problem.ts';
import type { Reply } from '../protocol/reply.ts';
import type { PublicContext, PublicRoute } from '../route.ts';

/** The page for a partner's staff and for the operator. It calls only the public API and the routes under `/admin`. */
const consolePage: PublicRoute = {
  operationId: 'getConsolePage',
  method: 'GET',
  path: '/console',
  scope: 'public',
  async handle(context) {
    const { config, request } = context;
    if (hasSlashAtEnd(request)) return { status: 302, body: null, headers: { location: `${config.basePath}/console` } };
    return isConfigured(context)
      ? replyConsole(context)
      : replyAsset('/console/unconfigured.html', context, pageHeaders());
  },
};

/** The page to which the authorization server returns, or a file that the console loads. */
const consoleFile: PublicRoute = {
  operationId: 'getConsoleFile',
  method: 'GET',
  path: '/console/:file',
  scope: 'public',
  async handle(context) {
    if (!isConfigured(context)) return refuse('not_found');
    const { file = '' } = context.params;
    if (file === 'callback' && hasSlashAtEnd(context.request)) return toCallback(context);
    if (file === 'callback') return replyAsset('/console/callback.html', context, headersOf(context));
    // The build names the files, so only the platform knows them. The pages need settings and headers.
    const reply = FILE.test(file) && (await replyAsset(`/console/${file}`, context, {}, true));
    return !reply || ('status' in reply && reply.status === 404) ? refuse('not_found') : reply;
  },
};

const FILE = /^[\w-]+\.(js|css|svg|txt)$/;

/** The links of the page are relative to its path without a slash. The sign-in continues there with the same parameters. */
function toCallback({ config, request }: PublicContext): Reply {
  const { search } = new URL(request.url);
  return { status: 302, body: null, headers: { location: `${config.basePath}/console/callback${search}` } };
}

const isConfigured = ({ config: { console } }: PublicContext) =>
  console.staff !== undefined || console.operator !== undefined;

/** The page signs people in at these origins. */
function headersOf({ config: { tokens, tokenUrl, admin } }: PublicContext): Record<string, string> {
  return {
    ...pageHeaders([tokens.issuer, tokenUrl, admin?.issuer, admin?.tokenUrl]),
    // The window in which a person signs in again must reach this page.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  };
}

/** Returns the page with the settings of this deployment. None of them is secret. */
async function replyConsole(context: PublicContext): Promise<Reply | Refusal> {
  const page = await fetchAsset('/console/index.html', context.assets);
  if (page === undefined) return refuseUnavailable();
  const content = JSON.stringify(settingsOf(context));
  const { body } = new HTMLRewriter()
    .on('meta[name="gatepass"]', { element: (element) => void element.setAttribute('content', content) })
    .transform(page);
  return {
    status: 200,
    body,
    headers: { 'content-type': 'text/html; charset=utf-8', ...CACHE_ONE_MINUTE, ...headersOf(context) },
  };
}

function settingsOf({ config }: PublicContext): object {
  const { console: clients, tokens, admin } = config;
  const { staff, operator } = clients;
  // The page changes no rules and shows no metrics, so it needs no scope for them.
  const { rules: _rules, ...ofStaff } = tokens.scopes;
  const { metrics: _metrics, ...ofOperator } = admin?.scopes ?? { metrics: '' };
  const signed = config.networks.filter((network) => signersOn(config, network).length > 0);
  // Without a signer, all partners are in sandboxes, where each network is simulated.
  const enabled = signed.length > 0 ? signed : config.networks;
  return {
    networks: enabled.map(({ network }) => network),
    ends: Object.fromEntries(enabled.map(({ network, endsOn }) => [network, endsOn])),
    staff: staff && {
      clientId: staff.clientId,
      issuer: tokens.issuer,
      audience: tokens.audience,
      scopes: ofStaff,
      partnerClaim: staff.partnerClaim,
    },
    operator: operator && {
      clientId: operator.clientId,
      issuer: admin?.issuer,
      audience: admin?.audience,
      scopes: ofOperator,
    },
  };
}

export const consoleRoutes = [consolePage, consoleFile];
