// What is wrong when a bucket refuses a request or does not respond, and what to do about it.

import { type BucketSettings, describeLocation } from './location.ts';

/** The values of a metric's label. */
export type BucketFault = 'denied' | 'missing' | 'region' | 'credentials' | 'unreachable' | 'other';

/** The members of an error of Amazon's client. */
type ClientError = Error & { code?: string; $metadata?: { httpStatusCode?: number } };

const rights = 's3:GetObject, s3:PutObject and s3:DeleteObject for its objects, s3:ListBucket for itself';

/** The status of the response that an error is about; undefined if there was none. */
export const statusOf = (error: unknown) => (error as ClientError).$metadata?.httpStatusCode;

/** Returns the kind of a fault, and a sentence that names the setting to look at. */
export function explain(error: unknown, settings: BucketSettings): { fault: BucketFault; advice: string } {
  const { name, code, message } = error as ClientError;
  const status = statusOf(error);
  const bucket = `the bucket ${settings.bucket}`;
  const service = settings.endpoint ?? "Amazon's service";
  if (name === 'CredentialsProviderError') {
    return {
      fault: 'credentials',
      advice: `there are no credentials for ${bucket}: set REGISTRY_S3_ACCESS_KEY_ID and REGISTRY_S3_SECRET_ACCESS_KEY`,
    };
  }
  if (name === 'NoSuchBucket') {
    return {
      fault: 'missing',
      advice: `REGISTRY_STORAGE: ${service} has no ${bucket.slice('the '.length)}: create it, or correct its name`,
    };
  }
  if (status === 301 || name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed') {
    return { fault: 'region', advice: `REGISTRY_S3_REGION is not the region of ${bucket}: ${message}` };
  }
  if (status === 401 || status === 403) {
    return {
      fault: 'denied',
      advice:
        `${service} refuses the credentials for ${bucket} (${name}): check REGISTRY_S3_ACCESS_KEY_ID and ` +
        `REGISTRY_S3_SECRET_ACCESS_KEY, the clock of this machine, and the rights to the bucket (${rights})`,
    };
  }
  if (status === undefined) {
    return {
      fault: 'unreachable',
      advice: `${service} does not respond for ${describeLocation(settings)} (${code ?? name}): check REGISTRY_S3_ENDPOINT and the network`,
    };
  }
  return { fault: 'other', advice: `${service} answers with ${status} for ${bucket} (${name}: ${message})` };
}
