// Serves tarballs, which Verdaccio only sends whole and without an entity tag: with ranges and conditions (RFC 9110,
// sections 13 and 14), so that a pull that was interrupted resumes.
//
// A customer's download is complete, and reported, with the response that contains the last byte of the file: a 200, or
// a 206 whose range ends there. Responses with earlier ranges are not reported.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DownloadReporter } from './downloads.ts';
import { type Caller, requireStored } from './gate.ts';
import type { Log } from './log.ts';
import type { Catalogue } from './packages/packuments.ts';
import { versionNotFound } from './refusal.ts';
import { watchBody } from './response-body.ts';
import type { ByteRange, Storage } from './storage/storage.ts';

export type TarballServer = {
  /**
   * Responds to a GET or HEAD that the gate has authorised. The report of a download is on disk before its body starts.
   * @throws Refusal 404, or 503 if the report cannot be stored
   */
  serve(request: IncomingMessage, response: ServerResponse, tarball: Tarball, caller: Caller): Promise<void>;
};

export type Tarball = { packageName: string; version: string };

export type TarballServerOptions = {
  storage: Storage;
  catalogue: Catalogue;
  downloads: DownloadReporter;
  log: Log;
  /** Is called with the bytes of each body, when it has ended. */
  onServed?: (bytes: number) => void;
};

export function createTarballServer(options: TarballServerOptions): TarballServer {
  const { storage, catalogue, downloads, log, onServed = () => {} } = options;

  async function serve(request: IncomingMessage, response: ServerResponse, tarball: Tarball, caller: Caller) {
    const { packageName, version } = tarball;
    const published = (await catalogue.find(packageName))?.versions.get(version);
    const file = published && (await storage.open(published.key));
    if (file === undefined) throw versionNotFound(packageName, version);
    try {
      const { size } = file;
      const { status, headers, range } = answerTo(request, size, published?.digest);
      const content = range && (await file.read(range));
      // Nobody may listen to it yet when it fails: the response then ends early.
      content?.on('error', () => {});
      if (caller.kind === 'customer' && range?.last === size - 1) {
        const stored = requireStored(downloads.startAllowed(caller.licence, packageName, version, response), log);
        await stored.catch((error: unknown) => {
          content?.destroy();
          throw error;
        });
      }
      if (response.destroyed) return void content?.destroy();
      response.statusCode = status;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (content === null) return void response.end();
      await send(content, response);
    } finally {
      await file.close();
    }
  }

  async function send(content: Readable, response: ServerResponse): Promise<void> {
    const bytesOut = watchBody(response);
    let hasLeft = false;
    // One listener: with those of the pipeline, another would be the eleventh, of which Node.js warns.
    response.once('close', () => {
      // A client that goes away is no fault; then the response ends before its content.
      hasLeft = content.errored === null;
      onServed(bytesOut());
    });
    try {
      await pipeline(content, response);
    } catch (error) {
      // The response has been destroyed.
      if (!hasLeft && content.errored === error) log('error', 'a tarball could not be read', { reason: String(error) });
    }
  }

  return { serve };
}

/** Status and headers of the response to a request, and the bytes of its body; null if it has none. */
function answerTo(request: IncomingMessage, size: number, digest: string | undefined) {
  const { method, headers: asked } = request;
  const tag = digest === undefined ? undefined : `"${digest}"`;
  const headers: Record<string, string | number> = {
    'Accept-Ranges': 'bytes',
    ...(tag !== undefined && { ETag: tag }),
  };
  if (tag !== undefined && isListed(tag, asked['if-none-match'])) return { status: 304, headers, range: null };
  // Ranges are defined for GET alone. If-Range compares strongly, and no response has a Last-Modified.
  const isRanged = method === 'GET' && (asked['if-range'] === undefined || asked['if-range'] === tag);
  const range = isRanged ? selectRange(asked.range, size) : wholeOf(size);
  if (range === null) {
    headers['Content-Range'] = `bytes */${size}`;
    headers['Content-Length'] = 0;
    return { status: 416, headers, range };
  }
  const { first, last } = range;
  const length = last - first + 1;
  headers['Content-Type'] = 'application/octet-stream';
  headers['Content-Length'] = length;
  if (length < size) headers['Content-Range'] = `bytes ${first}-${last}/${size}`;
  return { status: length < size ? 206 : 200, headers, range: method === 'GET' ? range : null };
}

const wholeOf = (size: number): ByteRange => ({ first: 0, last: size - 1 });

/**
 * Selects the bytes that a Range header asks for. Several ranges, other units and malformed ones are ignored, as RFC
 * 9110, section 14.2 allows: then it is the whole file. Returns null for a range that cannot be satisfied.
 * @param size of the file in bytes, more than 0
 */
export function selectRange(header: string | undefined, size: number): ByteRange | null {
  const [, from, to = '', suffix] = /^bytes=[\t ]*(?:(\d+)-(\d*)|-(\d+))[\t ]*$/i.exec(header ?? '') ?? [];
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? null : { first: size - length, last: size - 1 };
  }
  if (from === undefined) return wholeOf(size);
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return wholeOf(size);
  return first >= size ? null : { first, last };
}

/** Whether an If-None-Match header lists the tag: a weak comparison (RFC 9110, section 13.1.2). */
function isListed(tag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const listed = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return listed.includes(tag) || listed.includes('*');
}
