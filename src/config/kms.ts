import * as v from 'valibot';
import { type Secret, secret } from '../lib/secret.ts';
import { HttpUrl, Json, parseVariable } from './variable.ts';

/** A key of AWS KMS. */
interface AwsKey {
  readonly vendor: 'aws-kms';
  /** ARN of the key. */
  readonly name: string;
  readonly region: string;
}

/** A key of Cloud KMS. */
interface GcpKey {
  readonly vendor: 'gcp-kms';
  /** Resource name of the version of the key. */
  readonly name: string;
}

/** Names a key that a KMS holds. */
export type KmsReference = AwsKey | GcpKey;

/** Lets the Worker use the keys of AWS KMS. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Replaces the URL of AWS KMS. Without a slash at its end. */
  readonly endpoint?: string | undefined;
}

/** The used fields of the file of a service account. */
export interface GcpCredentials {
  readonly client_email: string;
  /** PEM (PKCS #8). */
  readonly private_key: string;
  readonly private_key_id: string;
  /** Replaces the URL of Cloud KMS. Without a slash at its end. */
  readonly endpoint?: string | undefined;
}

export interface KmsCredentials {
  readonly aws?: Secret<AwsCredentials> | undefined;
  readonly gcp?: Secret<GcpCredentials> | undefined;
}

/** A reference with the credentials of its vendor. */
export type KmsKey =
  | (AwsKey & { readonly credentials: Secret<AwsCredentials> })
  | (GcpKey & { readonly credentials: Secret<GcpCredentials> });

/** Returns a required text that has that form. */
const field = (name: string, form: RegExp) => {
  const rule = `must have "${name}", as the vendor writes it`;
  return v.pipe(v.string(rule), v.regex(form, rule));
};

const Endpoint = v.optional(
  v.pipe(
    HttpUrl,
    v.regex(/^[^?#]+$/, 'must have endpoints without a query or a fragment'),
    v.transform((url) => url.replace(/\/$/, '')),
  ),
);

const Credentials = v.pipe(
  Json,
  v.strictObject(
    {
      aws: v.optional(
        v.strictObject(
          {
            accessKeyId: field('accessKeyId', /^\w{8,128}$/),
            secretAccessKey: field('secretAccessKey', /^\S+$/),
            sessionToken: v.optional(field('sessionToken', /^\S+$/)),
            endpoint: Endpoint,
          },
          'must have "aws" with accessKeyId, secretAccessKey and, if they are needed, sessionToken and endpoint',
        ),
      ),
      gcp: v.optional(
        v.object(
          {
            client_email: field('client_email', /^\S+@\S+$/),
            private_key: field('private_key', /-----BEGIN PRIVATE KEY-----/),
            private_key_id: field('private_key_id', /^\S+$/),
            endpoint: Endpoint,
          },
          'must have "gcp" with the fields of the file of a service account',
        ),
      ),
    },
    'must be JSON like {"aws": {…}, "gcp": {…}}',
  ),
);

/** Returns the credentials in `KMS_CREDENTIALS`. Unset or empty: none. */
export function parseKmsCredentials(env: Readonly<Record<string, unknown>>): KmsCredentials {
  const { aws, gcp } = parseVariable(env, 'KMS_CREDENTIALS', Credentials);
  return { aws: aws && secret(aws), gcp: gcp && secret(gcp) };
}

/** Whether the text is meant as a reference, also as a malformed one. */
export const isKmsText = (text: string): boolean => /^(aws|gcp)-?kms\b/i.test(text);

/** ARN of a key, with its region. An alias is no name of a key: it may point to another one tomorrow. */
const AWS = /^aws-kms:(arn:aws(?:-us-gov)?:kms:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:key\/[A-Za-z0-9-]{1,64})$/;
const GCP =
  /^gcp-kms:(projects\/[\w:-][\w.:-]*\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/\d{1,9})$/;

/** Splits a reference into the name of the key and its address; undefined if the name is malformed. */
export function parseKmsText(text: string): { readonly key: KmsReference; readonly address: string } | undefined {
  const [reference = '', address = ''] = text.split(/#(.*)/s);
  const [, arn, region] = AWS.exec(reference) ?? [];
  if (arn && region) return { key: { vendor: 'aws-kms', name: arn, region }, address };
  const [, name] = GCP.exec(reference) ?? [];
  return name ? { key: { vendor: 'gcp-kms', name }, address } : undefined;
}

/** Returns the text of a reference with its address. */
export function formatKmsText({ vendor, name }: KmsReference, address: string): string {
  return `${vendor}:${name}#${address}`;
}

/** Adds the credentials of the vendor; undefined if there are none. */
export function withCredentials(reference: KmsReference, { aws, gcp }: KmsCredentials): KmsKey | undefined {
  if (reference.vendor === 'aws-kms') return aws && { ...reference, credentials: aws };
  return gcp && { ...reference, credentials: gcp };
}
