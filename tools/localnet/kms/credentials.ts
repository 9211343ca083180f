export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** The file of a service account, as Google Cloud creates it. */
export interface ServiceAccount {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
}

/** The content of the Worker's secret `KMS_CREDENTIALS`. */
export interface KmsCredentials {
  readonly aws: AwsCredentials & { readonly endpoint: string };
  readonly gcp: ServiceAccount & { readonly endpoint: string };
}

/** The knowledge of a client of the KMS. */
export interface KmsFacts {
  readonly url: string;
  readonly credentials: KmsCredentials;
}
