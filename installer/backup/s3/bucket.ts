/**
 * Backups in a bucket of Amazon S3 or a compatible service, through Amazon's client.
 *
 *   <prefix>/<name>                  a backup; it exists once all its parts are there
 *   <prefix>/<name>.verified.json    what is known of it since it was read back: retention removes no backup without
 */

import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { writeAtomically } from '../../box/files.ts';
import { Failure } from '../../failure.ts';
import type { BackupPlace, CatalogueEntry } from '../place.ts';
import { type BucketAddress, formatBucketAddress } from './address.ts';
import { explainFault, hasResponse, isMissing, isUnreachable } from './faults.ts';
import { partBytesFor, partsOf } from './parts.ts';
import type { BucketSettings } from './settings.ts';

/** Milliseconds until a connection, and without any byte on it. */
const connectionTimeout = 10_000;
const socketTimeout = 60_000;
/** How often a request is tried. All of them can be repeated; the client waits longer each time. */
const maxAttempts = 5;
/** How often in a row a download goes on without having got a byte. */
const maxResumptions = 5;
const recordEnding = '.verified.json';

/** An upload in progress, as the journal has it. */
interface Upload {
  bucket: string;
  key: string;
  id: string;
}

/** Opens a bucket, which is asked nothing yet. */
export function openBucketPlace(
  address: BucketAddress,
  settings: BucketSettings,
  { journal, signal }: { journal?: string | undefined; signal?: AbortSignal | undefined },
): BackupPlace {
  const { bucket, prefix } = address;
  const { endpoint, region, credentials } = settings;
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Other services do not know the checksums that Amazon's client adds by default. Parts have their MD5 digest instead,
    // and each backup is read back.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout, socketTimeout },
    maxAttempts,
  });
  const place = formatBucketAddress(address);
  const keyOf = (name: string) => (prefix ? `${prefix}/${name}` : name);
  const object = (name: string) => ({ Bucket: bucket, Key: keyOf(name) });
  const fail = (error: unknown): never => {
    throw explainFault(error, { place, endpoint, credentials, signal });
  };
  const abortSignal = signal && { abortSignal: signal };

  const removeUpload = async ({ bucket: Bucket, key: Key, id: UploadId }: Upload) => {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  };
  const closeJournal = async () => {
    if (journal) await rm(journal, { force: true });
  };
  /** Without the journal, the parts of a killed upload would stay, unseen and paid for. */
  const begin = async (name: string): Promise<Upload> => {
    const command = new CreateMultipartUploadCommand({ ...object(name), ContentType: 'application/octet-stream' });
    const { UploadId: id = '' } = await client.send(command, abortSignal);
    const upload = { bucket, key: keyOf(name), id };
    if (journal) {
      await mkdir(dirname(journal), { recursive: true, mode: 0o700 });
      await writeAtomically(journal, `${JSON.stringify(upload)}\n`, 0o600);
    }
    return upload;
  };
  const sendPart = async ({ bucket: Bucket, key: Key, id: UploadId }: Upload, PartNumber: number, Body: Buffer) => {
    const ContentMD5 = createHash('md5').update(Body).digest('base64');
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ContentMD5 });
    const { ETag } = await client.send(command, abortSignal);
    return { PartNumber, ETag };
  };
  const complete = async ({ bucket: Bucket, key: Key, id: UploadId }: Upload, Parts: object[], bytes: number) => {
    const command = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    try {
      await client.send(command, abortSignal);
    } catch (error) {
      // The response to an earlier try may have been lost: then the upload is gone, and the backup there.
      const there = isMissing(error)
        ? await client.send(new HeadObjectCommand({ Bucket, Key })).catch(() => null)
        : null;
      if (there?.ContentLength !== bytes) throw error;
    }
  };
  const readEntry = async (name: string): Promise<CatalogueEntry | undefined> => {
    const { Body } = await client.send(new GetObjectCommand(object(name)), abortSignal);
    try {
      return JSON.parse(
        await readText(Body as unknown as AsyncIterable<Buffer> & NodeJS.ReadableStream),
      ) as CatalogueEntry;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined; // its backup counts as not verified
      throw error;
    }
  };
  /** Sizes by name of all objects directly below the prefix. */
  const list = async () => {
    const sizes = new Map<string, number>();
    const start = prefix ? `${prefix}/` : '';
    for (let ContinuationToken: string | undefined, first = true; first || ContinuationToken; first = false) {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: start,
        ...(ContinuationToken && { ContinuationToken }),
      });
      const { Contents = [], NextContinuationToken } = await client.send(command, abortSignal);
      for (const { Key = '', Size = 0 } of Contents) {
        const name = Key.slice(start.length);
        if (name !== '' && !name.includes('/')) sizes.set(name, Size);
      }
      ContinuationToken = NextContinuationToken;
    }
    return sizes;
  };

  return {
    address: place,
    addressOf: (name) => `${place}/${name}`,
    has: (name) =>
      client.send(new HeadObjectCommand(object(name)), abortSignal).then(
        () => true,
        (error) => (isMissing(error) ? false : fail(error)),
      ),
    async prepare() {
      const text = journal && (await readFile(journal, 'utf8').catch(() => undefined));
      if (!text) return;
      const upload = JSON.parse(text) as Upload;
      await removeUpload(upload).catch((error) => {
        // The upload may be one of another service or another access: it must not prevent backups for ever.
        if (isUnreachable(error)) fail(error);
      });
      await closeJournal();
    },
    async write(name, source, bytes) {
      const upload = await begin(name).catch(fail);
      try {
        const parts: object[] = [];
        let sending: Promise<unknown> = Promise.resolve();
        let number = 0;
        let total = 0;
        // One part is filled while another is sent: that bounds the memory.
        for await (const part of partsOf(source, partBytesFor(bytes))) {
          await sending;
          number += 1;
          total += part.length;
          sending = sendPart(upload, number, part).then((sent) => parts.push(sent));
          sending.catch(() => undefined); // awaited before the next one
        }
        await sending;
        await complete(upload, parts, total);
        await closeJournal();
      } catch (error) {
        // A part that is still on its way may be stored after its upload has ended: the next backup removes it. So it does
        // with all parts if the service is away now.
        await removeUpload(upload)
          .then(() => (hasResponse(error) ? closeJournal() : undefined))
          .catch(() => undefined);
        return fail(error);
      }
    },
    async read(name) {
      const first = await client.send(new GetObjectCommand(object(name)), abortSignal).catch((error) => {
        if (!isMissing(error) || error.name === 'NoSuchBucket') return fail(error);
        throw new Failure('usage', `there is no ${place}/${name}`, 'Specify the address of a backup');
      });
      return resumed(first, (position) =>
        client.send(
          new GetObjectCommand({
            ...object(name),
            Range: `bytes=${position}-`,
            ...(first.ETag && { IfMatch: first.ETag }),
          }),
          abortSignal,
        ),
      );
    },
    async remove(name) {
      // Its record first: what is being removed is not offered for a restore.
      for (const each of [`${name}${recordEnding}`, name]) {
        await client.send(new DeleteObjectCommand(object(each)), abortSignal).catch(fail);
      }
    },
    async entries() {
      try {
        const sizes = await list();
        const names = [...sizes.keys()].filter((name) => name.endsWith(recordEnding));
        const entries = await Promise.all(names.map(async (name) => ({ name, entry: await readEntry(name) })));
        return entries
          .flatMap(({ name, entry }) => (entry && `${entry.file}${recordEnding}` === name ? [entry] : []))
          .filter(({ file, bytes }) => sizes.get(file) === bytes)
          .toSorted((one, other) => one.time.localeCompare(other.time));
      } catch (error) {
        return fail(error);
      }
    },
    async record(entry) {
      const Body = `${JSON.stringify(entry, null, 2)}\n`;
      const put = { ...object(`${entry.file}${recordEnding}`), Body, ContentType: 'application/json' };
      await client.send(new PutObjectCommand(put), abortSignal).catch(fail);
    },
  };

  type Response = { Body?: unknown; ContentLength?: number | undefined };
  /** Yields the content of an object, and goes on after a lost connection where it was. */
  async function* resumed(first: Response, goOn: (position: number) => Promise<Response>): AsyncGenerator<Buffer> {
    const total = first.ContentLength ?? 0;
    let position = 0;
    let response: Response | undefined = first;
    for (let tries = 0; position < total; tries++) {
      try {
        response ??= await goOn(position);
        for await (const part of response.Body as AsyncIterable<Buffer>) {
          position += part.length;
          tries = 0;
          yield part;
        }
        if (position < total) throw new Error('the connection was lost');
      } catch (error) {
        if (signal?.aborted || tries >= maxResumptions) fail(error);
        response = undefined;
        await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** tries));
      }
    }
  }
}
