/**
 * What a bucket refuses, in words that say what to do. No message has a secret, whatever the service answers.
 */
import { asFailure, Failure, interrupted } from '../../failure.ts';

interface Where {
  place: string;
  endpoint: string | undefined;
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  signal: AbortSignal | undefined;
}

interface ServiceError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

const access = 'Check BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY, and what they may do with the bucket';

/** By the names of errors of S3. */
const advices: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  NoSuchBucket: ['the bucket does not exist', 'Create it, or correct the address and BACKUP_S3_ENDPOINT'],
  AccessDenied: ['access was refused', access],
  Forbidden: ['access was refused', access],
  InvalidAccessKeyId: ['the access key is unknown', access],
  SignatureDoesNotMatch: ['the secret of the access key is wrong', access],
  ExpiredToken: ['the credentials have expired', access],
  CredentialsProviderError: ['there are no credentials', access],
  RequestTimeTooSkewed: ['the clock of this machine is wrong', 'Set it, by NTP if possible'],
  PermanentRedirect: ['the bucket is in another region', 'Set BACKUP_S3_REGION'],
  AuthorizationHeaderMalformed: ['the bucket is in another region', 'Set BACKUP_S3_REGION'],
  EntityTooLarge: ['the backup is too large for the service', 'Use a service with larger objects'],
};

/** Whether an object, a bucket or an upload does not exist. */
export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as ServiceError;
  return ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(name) || $metadata?.httpStatusCode === 404;
}

/** Whether there was no response, or one that says that the service has a problem. */
export function isUnreachable(error: unknown): boolean {
  const { httpStatusCode: status } = (error as ServiceError).$metadata ?? {};
  return status === undefined || status === 429 || (status >= 500 && status !== 501);
}

/** Whether the service has answered the request: otherwise it may still carry it out. */
export function hasResponse(error: unknown): boolean {
  return (error as ServiceError).$metadata?.httpStatusCode !== undefined;
}

/** Returns the failure for an error of a request. */
export function explainFault(error: unknown, { place, endpoint, credentials, signal }: Where): Failure {
  if (error instanceof Failure) return error;
  if (signal?.aborted)
    return interrupted('Run the command again: it removes what the service may still have of this backup');
  const { name, message, code, $metadata: { httpStatusCode: status } = {} } = error as ServiceError;
  const known = advices[name] ?? (status === 403 ? advices.Forbidden : undefined);
  if (known) return new Failure('storage_unavailable', `${place}: ${known[0]}`, known[1]);
  // Errors of this machine, such as a full disk, come through the same stream.
  if (status === undefined && ['ENOSPC', 'EDQUOT', 'EACCES', 'EIO', 'ENOENT', 'EMFILE'].includes(code ?? '')) {
    return asFailure(error);
  }
  let text = (message || code || name || 'no response').split('\n')[0]?.slice(0, 200) ?? '';
  for (const secret of [credentials?.secretAccessKey, credentials?.accessKeyId]) {
    if (secret) text = text.replaceAll(secret, '…');
  }
  const at = endpoint ? ` at ${new URL(endpoint).origin}` : '';
  const what = status === undefined ? text : `status ${status}, ${text}`;
  return new Failure(
    'storage_unavailable',
    `${place}${at} failed: ${what}`,
    'Run the command again once the service responds',
  );
}
