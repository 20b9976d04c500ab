/**
 * An S3-compatible service with a bucket, and a proxy before it that breaks requests: a real service with a bad network.
 */
import { readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { s3Account, s3ObjectSuffix, startS3Service, temporaryFolder } from '@carton/runtime/testing';
import type { Test } from 'tap';

/** What happens to a request: it fails with a status, its connection is cut after so many bytes, or nothing. */
export type Fault = { status: number } | { cutResponseAfter: number } | { cutRequest: true } | undefined;

export interface Bucket {
  /** The bucket's `s3://` address. */
  address: string;
  /** What a box needs to use it. */
  variables: Record<string, string>;
  /** Objects and parts of uploads, by path in the service's folder. */
  files(): Promise<string[]>;
  /** Names of objects. */
  objects(): Promise<string[]>;
  /** Decides on each request from now on; the count starts with 1. */
  breakRequests(decide: (request: { method: string; url: string; number: number }) => Fault): void;
  /** Ends the service and starts it again with the same files: it may fail if an upload that it receives is removed. */
  restart(): Promise<void>;
  /** Requests since the last call of `breakRequests`. */
  requests(): string[];
}

export const secret = s3Account.secretAccessKey;
const bucket = 'backups';

/** Starts both; they stop with the test. */
export async function startBucket(t: Test): Promise<Bucket> {
  const folder = await temporaryFolder('bucket-');
  const service = await startS3Service(folder, bucket, { hasConditions: false });

  let decide: Parameters<Bucket['breakRequests']>[0] = () => undefined;
  let seen: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    seen.push(`${method} ${url}`);
    const fault = decide({ method, url, number: seen.length });
    const [, id] = /[?&]uploadId=(\w+)/.exec(url) ?? [];
    if (method !== 'DELETE' || id === undefined || fault) return forward(service.port, incoming, outgoing, fault);
    // The service lacks this one operation: it ends an upload, and removes its parts.
    void uploadOf(id)
      .then((path) => (path ? rm(path, { recursive: true }) : undefined))
      .then(() => outgoing.writeHead(204).end());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port: proxyPort } = proxy.address() as { port: number };
  t.teardown(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const uploadOf = async (id: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found = entries.find(({ name }) => name === id);
    return found && join(found.parentPath, id);
  };
  const files = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  return {
    address: `s3://${bucket}`,
    variables: {
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${proxyPort}`,
      BACKUP_S3_ACCESS_KEY_ID: s3Account.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: secret,
    },
    files,
    async objects() {
      const paths = (await files()).filter((path) => path.endsWith(s3ObjectSuffix));
      return paths.map((path) => path.slice(bucket.length + 1, -s3ObjectSuffix.length));
    },
    breakRequests(next) {
      decide = next;
      seen = [];
    },
    async restart() {
      await service.kill();
      await service.start();
    },
    requests: () => seen,
  };
}

function forward(port: number, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault): void {
  if (fault && 'status' in fault) {
    incoming.resume().once('end', () => outgoing.writeHead(fault.status).end());
    return;
  }
  if (fault && 'cutRequest' in fault) {
    incoming.once('data', () => incoming.socket.destroy());
    return;
  }
  const { method, url, headers } = incoming;
  // The host is signed, so it stays.
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    if (!fault) return void response.pipe(outgoing);
    let left = fault.cutResponseAfter;
    response.on('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) outgoing.socket?.destroy();
    });
  });
  passed.on('error', () => outgoing.destroy());
  incoming.on('error', () => passed.destroy());
  incoming.pipe(passed);
}
