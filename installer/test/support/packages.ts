/**
 * Packages for tests: real npm tarballs, and a small program with `/health` in place of the engine.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Header, Pax } from 'tar';
import { runtimePackage, vendor } from '../../vendor.ts';

/** One entry of a tarball. `type` is tar's name for it; File by default. */
export interface Entry {
  path: string;
  content?: string | Buffer;
  mode?: number;
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO' | 'SparseFile';
  linkpath?: string;
}

export interface TestPackage {
  manifest: Record<string, unknown> & { name: string; version: string };
  tarball: Buffer;
  integrity: string;
  unpackedSize: number;
  /** File names of its migrations, which the release lists. */
  migrations: string[];
}

/** Packs a package, with its package.json first as npm does. `entries` are paths below `package/`. */
export function makePackage(
  manifest: { name: string; version?: string } & Record<string, unknown>,
  entries: Entry[] = [],
): TestPackage {
  const complete = { version: '0.1.0', ...manifest };
  const all = [{ path: 'package.json', content: JSON.stringify(complete) }, ...entries];
  const tarball = packRaw(all.map((entry) => ({ ...entry, path: `package/${entry.path}` })));
  return {
    manifest: complete,
    tarball,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    unpackedSize: all.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), 0),
    migrations: all.flatMap(({ path }) => /^migrations\/(.+\.js)$/.exec(path)?.[1] ?? []),
  };
}

/** Packs a gzipped tarball with exactly these entries, including hostile ones that packing tools do not write. */
export function packRaw(entries: Entry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.map(packEntry), Buffer.alloc(1024)]));
}

/** Returns the blocks of one entry of a tar archive; those of a long name have a header of their own (pax). */
export function packEntry({ path, content = '', mode = 0o644, type = 'File', linkpath }: Entry): Buffer {
  const body = Buffer.from(content);
  const block = Buffer.alloc(512);
  const header = { path, mode, size: body.length, type, linkpath, uid: 0, gid: 0, mtime: new Date(0) };
  const needsPax = new Header(header).encode(block, 0);
  const pax = needsPax ? new Pax({ path }).encode() : Buffer.alloc(0);
  return Buffer.concat([pax, block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** How a test engine behaves. */
export type Behaviour =
  | 'healthy'
  | 'never healthy'
  | 'never loads'
  | 'exits immediately'
  | 'ignores SIGTERM'
  | 'drains'
  | 'breaks its products'
  | 'breaks its document'
  | 'needs space'
  | 'hangs'
  | 'unready in private';

/** The part of a manifest by which a release says that it listens on the socket of its supervisor. */
export const handsOver = { [vendor]: { handover: 1 } };
/** And that several of its processes can be one box. */
export const hasWorkers = { [vendor]: { handover: 1, workers: 1 } };

/**
 * Packs the engine's package with a small program: it listens on HOST and PORT, responds to every request with its
 * version, environment and arguments, except to `/held`, which it does not complete, and exits on SIGTERM; one that drains,
 * on the second. One that never loads handles no signal. One that hangs does so while the file `logs/hang` exists. With
 * `handsOver` in `more`, it listens on the socket of its supervisor as the engine does (runtime/start-service/supervisor.ts); one
 * that is unready in private responds with 503 where its supervisor asks, as if that had not asked yet.
 */
export function makeRuntime(
  version = '0.1.0',
  behaviour: Behaviour = 'healthy',
  more: Record<string, unknown> = {},
  entries: Entry[] = [],
): TestPackage {
  const program = `
import { existsSync } from 'node:fs';
import { Server } from 'node:net';
import { version } from './version.js';
// To import it evaluates all of its exports, which takes as long as everything else of this program.
const { createServer } = process.getBuiltinModule('node:http');
await Promise.resolve(); // top-level await, as the real engine has
const behaviour = ${JSON.stringify(behaviour)};
if (behaviour === 'never loads') await new Promise(() => setInterval(() => {}, 1000));
if (behaviour === 'exits immediately') {
  console.error('migration 20260101000000_broken.js failed: relation exists');
  process.exit(1);
}
if (behaviour === 'needs space' && existsSync(process.env.BOX_HOME + '/logs/full')) {
  console.error('the box cannot start: ENOSPC: no space left on device, write');
  process.exit(1);
}
const respond = (request, response) => {
  if (behaviour === 'hangs' && existsSync(process.env.BOX_HOME + '/logs/hang')) return;
  if (request.url === '/held') {
    response.write('held');
    return;
  }
  if (retiring) response.setHeader('connection', 'close');
  if (request.url === '/docs/json') {
    const paths = { '/health': { get: {} }, '/products': { get: {} }, '/admin/tenants': { get: {} } };
    response.end(behaviour === 'breaks its document' ? '<html>' : JSON.stringify({ openapi: '3.1.0', paths }));
    return;
  }
  if (request.url === '/admin/tenants') {
    const isOperator = request.headers.authorization === 'Bearer ' + process.env.OPERATOR_SECRET;
    response.statusCode = isOperator ? 200 : 401;
    response.end(JSON.stringify({ items: [{ slug: 'first' }, { slug: 'second' }] }));
    return;
  }
  if (request.url === '/products') {
    const isBroken = behaviour === 'breaks its products' && request.headers['x-tenant-slug'] === 'second';
    response.statusCode = isBroken ? 500 : 200;
    response.end(JSON.stringify({ items: [] }));
    return;
  }
  response.statusCode = behaviour === 'never healthy' ? 503 : 200;
  response.end(JSON.stringify({ version, environment: process.env, arguments: process.argv }));
};
let retiring = false;
const server = createServer(respond);
server.on('error', (error) => {
  console.error(error.code === 'EADDRINUSE' ? 'port ' + process.env.PORT + ' is already in use' : error.message);
  process.exit(1);
});
const listening = () => console.log('listening as ' + version);
const respondInPrivate = (request, response) => {
  if (behaviour !== 'unready in private') return respond(request, response);
  response.statusCode = 503;
  response.end();
};
const privatePath = process.env.SUPERVISOR_PRIVATE_PATH;
if (privatePath) {
  const checked = createServer(respondInPrivate).listen(privatePath);
  process.on('message', (message) => {
    if (message === 'serve') server.listen({ fd: 3 }, () => process.send('serving', listening));
    if (message !== 'retire') return;
    retiring = true;
    Server.prototype.close.call(server, () => process.exit(0));
    process.send('retiring');
  });
  process.on('disconnect', () => process.argv[2] !== 'worker' && server.listening || process.exit(1));
} else server.listen(Number(process.env.PORT), process.env.HOST, listening);
let signals = 0;
process.on('exit', () => console.log('exited as ' + version));
process.on('SIGTERM', () => {
  signals += 1;
  console.log('signal ' + signals);
  if (behaviour === 'ignores SIGTERM' || (behaviour === 'drains' && signals === 1)) return;
  if (!server.listening) process.exit(0);
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
`;
  return makePackage({ name: runtimePackage, version, type: 'module', ...more }, [
    { path: 'dist/main.js', content: program },
    { path: 'dist/version.js', content: `export const version = '${version}';\n` },
    ...entries,
  ]);
}
