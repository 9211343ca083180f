import { KMSClient } from '@aws-sdk/client-kms';
import { KeyManagementServiceClient } from '@google-cloud/kms';
import type { KmsCredentials } from '../../../../../tools/localnet/kms/credentials.ts';
import { AWS_REGION } from '../../../../../tools/localnet/kms/key-names.ts';

/** The vendors' own clients. Neither tries again. */

export function awsClient(
  { endpoint, ...credentials }: KmsCredentials['aws'],
  options: { readonly systemClockOffset?: number; readonly region?: string } = {},
): KMSClient {
  return new KMSClient({ endpoint, region: AWS_REGION, credentials, maxAttempts: 1, ...options });
}

export function gcpClient({ endpoint, ...account }: KmsCredentials['gcp']): KeyManagementServiceClient {
  const { hostname, port } = new URL(endpoint);
  return new KeyManagementServiceClient({
    fallback: true,
    protocol: 'http',
    apiEndpoint: hostname,
    port: Number(port),
    projectId: account.project_id,
    credentials: account,
    clientConfig: { interfaces: { 'google.cloud.kms.v1.KeyManagementService': NO_RETRIES } },
  });
}

const TIMEOUT_MS = 20_000;

/** The client's own settings repeat a call that had no answer. */
const NO_RETRIES = {
  retry_codes: { never: [] },
  retry_params: {
    default: {
      initial_retry_delay_millis: 100,
      retry_delay_multiplier: 1,
      max_retry_delay_millis: 100,
      initial_rpc_timeout_millis: TIMEOUT_MS,
      rpc_timeout_multiplier: 1,
      max_rpc_timeout_millis: TIMEOUT_MS,
      total_timeout_millis: TIMEOUT_MS,
    },
  },
  methods: Object.fromEntries(
    ['AsymmetricSign', 'GetPublicKey'].map((method) => [
      method,
      { timeout_millis: TIMEOUT_MS, retry_codes_name: 'never', retry_params_name: 'default' },
    ]),
  ),
};
