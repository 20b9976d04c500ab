// The storage in a bucket of Amazon S3 or a compatible service, of any number of registries. The tag of an object is its
// entity tag; conditions are those of S3's conditional writes, which the service checks (bucket-check.ts).

import { createHash } from 'node:crypto';
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Log } from '../log.ts';
import { type BucketFault, explain, statusOf } from './bucket-faults.ts';
import { createFailures, type StorageFailure, type StorageOperation } from './failure.ts';
import type { BucketSettings } from './location.ts';
import { type Storage, unchanged } from './storage.ts';

export type BucketOptions = {
  log: Log;
  /** Is called with each request: how long it took, and what was wrong. */
  onRequest?: (operation: StorageOperation, seconds: number, fault: BucketFault | undefined) => void;
};

/** Milliseconds. */
const connectionTimeout = 3000;
/** Milliseconds until a response begins, or a whole document has arrived. */
const requestTimeout = 15_000;
/** Milliseconds without any byte of a file that is waited for. */
const silenceTimeout = 30_000;
/** Bytes in a millisecond below which a write is given up. */
const slowestWrite = 50;
/** Milliseconds after which changed credentials are used. */
const credentialsAge = 60_000;

export function openBucket(settings: BucketSettings, { log, onRequest = () => {} }: BucketOptions): Storage {
  const { bucket: Bucket, prefix, credentials } = settings;
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const client = new S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    ...(credentials && {
      credentials: async () => ({ ...credentials(), expiration: new Date(Date.now() + credentialsAge) }),
    }),
    // Other services do not know the checksums that Amazon's client adds by default; writes have an MD5 instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Clients that read slowly must not keep others waiting for a socket. A body may pause for as long as its reader.
    requestHandler: {
      connectionTimeout,
      requestTimeout,
      throwOnRequestTimeout: true,
      socketTimeout: 0,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
  });
  const failureOf = createFailures(log);

  function failure(error: unknown): { fault: BucketFault; refusal: StorageFailure } {
    const explained = explain(error, settings);
    return { fault: explained.fault, refusal: failureOf(explained, error) };
  }

  /**
   * Does a request. Returns the status of one that is answered with an expected status which is no success.
   * @throws StorageFailure
   */
  async function request<Result>(
    operation: StorageOperation,
    work: () => Promise<Result>,
    expected: readonly number[] = [],
  ): Promise<Result | number> {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    try {
      const result = await work();
      onRequest(operation, seconds(), undefined);
      return result;
    } catch (error) {
      const status = statusOf(error);
      // A bucket that does not exist is no missing object.
      if (status !== undefined && expected.includes(status) && (error as Error).name !== 'NoSuchBucket') {
        onRequest(operation, seconds(), undefined);
        return status;
      }
      const { fault, refusal } = failure(error);
      onRequest(operation, seconds(), fault);
      throw refusal;
    }
  }

  return {
    async read(key, knownTag) {
      const condition = knownTag !== undefined && { IfNoneMatch: knownTag };
      const read = async () => {
        const abortSignal = AbortSignal.timeout(requestTimeout);
        const command = new GetObjectCommand({ Bucket, Key: prefix + key, ...condition });
        const { Body, ETag } = await client.send(command, { abortSignal });
        return { content: Buffer.from((await Body?.transformToByteArray()) ?? []), tag: String(ETag) };
      };
      const stored = await request('read', read, [304, 404]);
      if (stored === 304) return unchanged;
      return typeof stored === 'number' ? undefined : stored;
    },
    async write(key, content, condition) {
      const conditions =
        condition === 'always' ? {} : condition === 'new' ? { IfNoneMatch: '*' } : { IfMatch: condition.tag };
      const command = new PutObjectCommand({
        Bucket,
        Key: prefix + key,
        Body: content,
        ContentLength: content.length,
        ContentMD5: createHash('md5').update(content).digest('base64'),
        ContentType: key.endsWith('.json') ? 'application/json' : 'application/octet-stream',
        ...conditions,
      });
      const timeout = requestTimeout + content.length / slowestWrite;
      // 409 is another write at the same moment, and 404 an object to be replaced that is gone.
      const unmet = condition === 'always' ? [] : condition === 'new' ? [412, 409] : [412, 409, 404];
      const written = await request('write', () => client.send(command, { requestTimeout: timeout }), unmet);
      return typeof written === 'number' ? undefined : String(written.ETag);
    },
    async open(key) {
      const Key = prefix + key;
      const head = await request('open', () => client.send(new HeadObjectCommand({ Bucket, Key })), [404]);
      if (typeof head === 'number') return undefined;
      const { ContentLength: size = 0, ETag } = head;
      return {
        size,
        async read({ first, last }) {
          const read = async () => {
            const part = { Range: `bytes=${first}-${last}`, IfMatch: ETag };
            const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key, ...part }));
            const content = Body as Readable as IncomingMessage;
            if (ContentLength === last - first + 1) return content;
            content.destroy();
            throw Object.assign(new Error('it ignores Range'), { $metadata: { httpStatusCode: 200 } });
          };
          const content = (await request('open', read)) as IncomingMessage;
          onLoss(content, (error) => onRequest('open', 0, failure(error).fault));
          endWhenSilent(content);
          return content;
        },
        async close() {},
      };
    },
    async remove(key) {
      await request('remove', () => client.send(new DeleteObjectCommand({ Bucket, Key: prefix + key })), [404]);
    },
    async *list(start) {
      let next: string | undefined;
      do {
        const command = new ListObjectsV2Command({ Bucket, Prefix: prefix + start, ContinuationToken: next });
        const page = await request('list', () => client.send(command));
        if (typeof page === 'number') return;
        for (const { Key } of page.Contents ?? []) yield String(Key).slice(prefix.length);
        next = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (next !== undefined);
    },
    async close() {
      client.destroy();
    },
  };
}

/** Calls `report` when the service ends a body early, and not when its reader does: `pipeline` then aborts the request. */
function onLoss(content: IncomingMessage, report: (error: Error) => void): void {
  const { req } = content as IncomingMessage & { req: { aborted: boolean } };
  content.once('error', (error) => {
    if (!req.aborted) report(error);
  });
}

/** Ends a body of which no byte has come for a while, although all that came has been read. */
function endWhenSilent(content: IncomingMessage): void {
  let before = -1;
  const look = () => {
    const received = content.socket.bytesRead;
    if (content.readableLength === 0 && received === before) {
      content.destroy(Object.assign(new Error('no bytes have come'), { code: 'ETIMEDOUT' }));
    }
    before = received;
  };
  const timer = setInterval(look, silenceTimeout).unref();
  content.once('close', () => clearInterval(timer));
}
