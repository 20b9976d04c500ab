/**
 * An S3-compatible service as a process: `node --openssl-legacy-provider s3-server.ts '{"folder":…,"port":…,"bucket":…}'`.
 * It is s3rver, with the conditions of writes that s3rver does not have (RFC 9110, as Amazon S3 has them since 2024), and
 * with objects that are read and written as a whole: s3rver answers a write before the file has been written, so that on a
 * busy machine the next read may find an empty file. It prints one line when it serves. Its files stay in the folder, so
 * another process can serve them again. It stops when its standard input ends, so that it does not outlive its parent.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';

const { folder, port, bucket, hasConditions } = JSON.parse(process.argv[2] as string) as {
  folder: string;
  port: number;
  bucket: string;
  /** False for a service that ignores conditions of writes, as older ones do. */
  hasConditions: boolean;
};

type Context = { method: string; path: string; req: IncomingMessage; res: ServerResponse } & {
  status: number;
  type: string;
  body: string;
};
type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>;
type Range = { start?: number; end?: number };
type StoredObject = { bucket: string; key: string; content: Readable; metadata: object };
type Store = {
  getResourcePath(bucket: string, key: string, resource: 'object'): string;
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
  putObject(object: StoredObject): Promise<{ size: number; md5: string }>;
  getMetadata(bucket: string, key: string): Promise<{ etag: string }>;
  getObject(bucket: string, key: string, range: Range): Promise<unknown>;
};

const configureBuckets = [{ name: bucket, configs: [] }];
const server = new S3rver({ port, address: '127.0.0.1', silent: true, directory: folder, configureBuckets });
const { middleware, store } = server as unknown as { middleware: Middleware[]; store: Store };

// s3rver takes the last byte 0 for none.
const { getObject } = store;
store.getObject = (name, key, range) =>
  getObject.call(store, name, key, range?.end === 0 ? { ...range, end: Object(0) } : range);

store.putObject = async ({ bucket: name, key, content, metadata }) => {
  const whole = await buffer(content);
  const path = store.getResourcePath(name, key, 'object');
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, whole);
  await rename(draft, path);
  const md5 = createHash('md5').update(whole).digest('hex');
  await store.putMetadata(name, key, metadata, md5);
  return { size: whole.length, md5 };
};

/** The requests in progress for an object: one that changes it, or any number of readers. */
const inProgress = new Map<string, { isChange: boolean; ended: Promise<unknown> }[]>();

async function waitForTurn({ method, path, res }: Context): Promise<void> {
  const isChange = method !== 'GET' && method !== 'HEAD';
  const before = inProgress.get(path) ?? [];
  const ended = once(res, 'close').finally(() => {
    const left = (inProgress.get(path) ?? []).filter((each) => each !== mine);
    if (left.length > 0) inProgress.set(path, left);
    else inProgress.delete(path);
  });
  const mine = { isChange, ended };
  inProgress.set(path, [...before, mine]);
  await Promise.all(before.filter((each) => isChange || each.isChange).map((each) => each.ended));
}

/** The status and code of a write whose condition is not met; undefined if it is, or if there is none. */
async function unmetCondition({ req, path }: Context): Promise<[status: number, code: string] | undefined> {
  const { 'if-match': tag, 'if-none-match': none } = req.headers;
  if (tag === undefined && none === undefined) return undefined;
  const key = decodeURIComponent(path.slice(`/${bucket}/`.length));
  const current = await store.getMetadata(bucket, key).then(
    ({ etag }) => etag,
    () => undefined,
  );
  if (tag !== undefined && current === undefined) return [404, 'NoSuchKey'];
  const isMet = tag === undefined ? current === undefined : current === tag;
  return isMet ? undefined : [412, 'PreconditionFailed'];
}

if (hasConditions) {
  middleware.unshift(async (context, next) => {
    await waitForTurn(context);
    const unmet = context.method === 'PUT' ? await unmetCondition(context) : undefined;
    if (unmet === undefined) return next();
    context.req.resume();
    [context.status] = unmet;
    context.type = 'application/xml';
    context.body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${unmet[1]}</Code></Error>`;
  });
}
await server.run();
process.stdout.write('serving\n');
process.stdin.once('end', () => process.exit(0)).resume();
