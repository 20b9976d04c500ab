/**
 * A bucket of Amazon S3 or a compatible service.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type ByteRange, type Chunks, unavailable } from '@carton/runtime';

import { type MediaStorage, MissingFile, type S3Settings } from './storage.ts';

/** Milliseconds. */
const connectionTimeout = 3000;
/** Files that are deleted at a time. */
const pageSize = 100;
/** Milliseconds without any byte. */
const requestTimeout = 30_000;

export function openBucket({ bucket, region, endpoint, credentials }: S3Settings): Required<MediaStorage> {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Other services do not know the checksums that Amazon's client adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout, requestTimeout },
  });

  async function* read(key: string, range?: ByteRange): Chunks {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...part });
    const { Body } = await client.send(command).catch(rejectUnlessMissing);
    yield* Body as unknown as AsyncIterable<Uint8Array>;
  }

  return {
    async put(key, path, mediaType) {
      const object = { Bucket: bucket, Key: key, ContentType: mediaType, ContentLength: (await stat(path)).size };
      await client.send(new PutObjectCommand({ ...object, Body: createReadStream(path) })).catch(rejectUnavailable);
    },
    read,
    async remove(key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })).catch(rejectUnavailable);
    },
    async removeFolder(folder) {
      const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: `${folder}/`, MaxKeys: pageSize });
      const { Contents = [] } = await client.send(list).catch(rejectUnavailable);
      await Promise.all(Contents.map(({ Key }) => this.remove(Key as string)));
      return Contents.length > 0;
    },
    async signUpload(key, size, seconds) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, ContentLength: size });
      // With its length signed, the service refuses a file of another size.
      return getSignedUrl(client, command, {
        expiresIn: seconds,
        unhoistableHeaders: new Set(['content-length']),
        signableHeaders: new Set(['content-length', 'host']),
      });
    },
  };
}

/** @throws MissingFile, unavailable (503) */
function rejectUnlessMissing(error: Error): never {
  if (error.name === 'NoSuchKey' || error.name === 'NotFound') throw new MissingFile();
  rejectUnavailable(error);
}

/** @throws unavailable (503) */
function rejectUnavailable(cause: Error): never {
  const problem = unavailable('The storage of media files does not respond.', { headers: { 'Retry-After': '10' } });
  throw Object.assign(problem, { cause });
}
