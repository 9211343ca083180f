import {
  type KmsCredentials,
  type KmsKey,
  type KmsReference,
  parseKmsCredentials,
  withCredentials,
} from '../../src/config/kms.ts';
import { ConfigError } from '../../src/config/variable.ts';
import { Failure } from '../../terminal/failure.ts';

/** Returns the credentials among these variables. Throws Failure if they are invalid. */
export function credentialsIn(variables: Readonly<Record<string, unknown>> | undefined): KmsCredentials {
  try {
    return parseKmsCredentials(variables ?? {});
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(error.message, 2);
    throw error;
  }
}

/** Adds the credentials to a reference. Throws Failure if there are none of its vendor. */
export function demandCredentials(reference: KmsReference, credentials: KmsCredentials): KmsKey {
  const key = withCredentials(reference, credentials);
  if (key !== undefined) return key;
  throw new Failure(
    `KMS_CREDENTIALS has no credentials for ${reference.vendor}: set them in the environment, or name a file with --secrets`,
    2,
  );
}
