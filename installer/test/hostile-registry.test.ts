/**
 * A registry, or a proxy before it, that lies: each lie ends the install with one line and its exit status, the token goes
 * to no other host, and nothing of it stays.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { install } from '../index.ts';
import type { Output } from '../output/output.ts';
import { silent } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { readRetryAfter } from '../pull/faults.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
/** Another server: it must never see the token. */
const foreignRequests: IncomingMessage[] = [];
const otherServer = createServer((request, response) => {
  foreignRequests.push(request);
  if (request.url === '/back') response.writeHead(302, { location: `${vendor.registryUrl}${core}/-/x.tgz` }).end();
  else response.end(vendor.packages.get(core)?.tarball);
});
await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
const otherUrl = `http://127.0.0.1:${(otherServer.address() as AddressInfo).port}`;
t.teardown(async () => {
  otherServer.closeAllConnections();
  otherServer.close();
  await vendor.close();
});
t.beforeEach(() => {
  vendor.intercept = undefined;
  foreignRequests.length = 0;
});

type Lie = (request: IncomingMessage, response: ServerResponse) => void;
const ofTarball = (lie: Lie) => (path: string, request: IncomingMessage, response: ServerResponse) => {
  if (!path.startsWith(`/${core}/-/`)) return false;
  lie(request, response);
  return true;
};
const ofPackument = (lie: Lie) => (path: string, request: IncomingMessage, response: ServerResponse) => {
  if (path !== `/${core}`) return false;
  lie(request, response);
  return true;
};
const page: Lie = (_, response) => response.setHeader('content-type', 'text/html').end('<html>Log in</html>');
const redirect =
  (location: string): Lie =>
  (_, response) =>
    response.writeHead(302, { location }).end();
const tarball = () => vendor.packages.get(core)?.tarball as Buffer;
/** Sends bytes until the client has enough. */
const endless =
  (chunk: Buffer, headers: Record<string, string> = {}): Lie =>
  (_, response) => {
    response.writeHead(200, headers);
    const more = () => {
      while (!response.destroyed && response.write(chunk)) {}
    };
    response.on('drain', more);
    more();
  };
const described = (change: (entry: Record<string, Record<string, unknown>>) => void): Lie => {
  return (_, response) => {
    const { manifest, integrity, unpackedSize } = vendor.packages.get(core) as ReturnType<typeof makePackage>;
    const dist = { tarball: `${vendor.registryUrl}${core}/-/core-0.1.0.tgz`, integrity, unpackedSize };
    const entry = { ...manifest, dist };
    change(entry as never);
    response.end(JSON.stringify({ name: core, versions: { '0.1.0': entry } }));
  };
};

/** Packed once: on a busy machine it takes longer than the registry may be silent. */
const zipped = gzipSync(Buffer.alloc(64_000_000, 32));

const lies: Record<string, [lie: NonNullable<typeof vendor.intercept>, exitCode: number, message: RegExp]> = {
  'a web page in place of a description': [ofPackument(page), 6, /answered with text\/html that is not JSON/],
  'a web page in place of a tarball': [ofTarball(page), 7, /served a web page in place of @carton\/core 0\.1\.0/],
  'a description without end': [ofPackument(endless(Buffer.alloc(1_000_000, 32))), 7, /more than 32000000 bytes/],
  'a description that unpacks without end': [
    ofPackument((_, response) => {
      response.setHeader('content-encoding', 'gzip').end(zipped);
    }),
    7,
    /more than 32000000 bytes/,
  ],
  'a tarball without end': [ofTarball(endless(Buffer.alloc(100_000))), 7, /sends more than 100\d{4} bytes/],
  'a tarball without end, with the length of the right one': [
    ofTarball((_, response) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n${'x'.repeat(5_000_000)}`),
    ),
    7,
    /core 0\.1\.0 failed its integrity check twice/,
  ],
  'a tarball that is shorter than announced': [
    ofTarball((_, response) => {
      response.writeHead(200, { 'content-length': tarball().length + 1 });
      response.write(tarball(), () => response.destroy());
    }),
    6,
    /the registry at .* is unreachable/,
  ],
  'a tarball of other bytes': [
    ofTarball((_, response) => response.end('other')),
    7,
    /failed its integrity check twice/,
  ],
  'a tarball that stalls': [
    ofTarball((_, response) => void response.write(tarball().subarray(0, 40))),
    6,
    /it sent nothing of @carton\/core 0\.1\.0, or next to nothing, for 0\.2 s/,
  ],
  'no answer at all': [
    ofPackument(() => {}),
    6,
    /it sent nothing of @carton\/core 0\.1\.0, or next to nothing, for 0\.2 s/,
  ],
  'redirects without end': [
    ofTarball((request, response) => redirect(request.url ?? '')(request, response)),
    6,
    /redirects more than 5 times/,
  ],
  'a redirect to a file': [ofTarball(redirect('file:///etc/passwd')), 6, /redirects to an invalid address/],
  'a tarball from a file': [
    ofPackument(described(({ dist }) => Object.assign(dist as object, { tarball: 'file:///etc/passwd' }))),
    6,
    /says something invalid about @carton\/core 0\.1\.0 \(dist\.tarball\)/,
  ],
  'a size that is none': [
    ofPackument(described(({ dist }) => Object.assign(dist as object, { unpackedSize: -1 }))),
    6,
    /\(dist\.unpackedSize\)/,
  ],
  'a size beyond any package': [
    ofPackument(described(({ dist }) => Object.assign(dist as object, { unpackedSize: 1e15 }))),
    6,
    /\(dist\.unpackedSize\)/,
  ],
  'another package': [
    ofPackument(described((entry) => Object.assign(entry, { name: `${scope}/other` }))),
    6,
    /\(name\)/,
  ],
  'dependencies that are none': [
    ofPackument(described((entry) => Object.assign(entry, { dependencies: { a: 1 }, os: [1] }))),
    6,
    /\(dependencies, os\)/,
  ],
  'a wait of an hour': [
    ofTarball((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end('{"error":"too many requests"}')),
    6,
    /did not serve @carton\/core 0\.1\.0: too many requests/,
  ],
};

/** In these the registry falls silent. */
const silences = new Set(['a tarball that stalls', 'no answer at all']);

for (const [name, [intercept, exitCode, message]] of Object.entries(lies)) {
  t.test(name, async (t) => {
    const { dir, port, folder } = await makeBox(t, vendor);
    vendor.intercept = intercept;
    const options = { dir, port, licenseKey: key, controlPlaneUrl: vendor.controlPlaneUrl, packageKeys: [] };
    await t.rejects(
      install({ ...options, patience: { idle: silences.has(name) ? 0.2 : 20, firstPause: 0.01 } }, silent),
      {
        exitCode,
        message,
        advice: /\w/,
      },
    );
    t.same(
      (await list(dir)).filter((name) => name !== 'releases'),
      ['.installation-id'],
      'no box is installed',
    );
    // Intact packages stay for another attempt.
    for (const partial of await list(folder.releases)) {
      t.same(await list(join(folder.releases, partial, 'node_modules', scope)), ['runtime']);
    }
  });
}

t.test('the token goes to no other origin, not even to another port of the registry’s host', async (t) => {
  const elsewhere = {
    'a redirect of a tarball': ofTarball(redirect(`${otherUrl}/core.tgz`)),
    'a redirect with two slashes': ofTarball(redirect(otherUrl.slice('http:'.length))),
  };
  for (const [name, intercept] of Object.entries(elsewhere)) {
    const box = await makeBox(t, vendor);
    vendor.intercept = intercept;
    t.match(await box.install(['--no-start']), { exitCode: 0 }, `${name}: the digest decides`);
  }
  t.strictSame(
    foreignRequests.map(({ headers }) => headers.authorization),
    [undefined, undefined],
  );
});

t.test('a host that the registry names for its tarballs is not asked', async (t) => {
  const hostAsPath = `http://h.invalid//127.0.0.1:${new URL(otherUrl).port}/core-0.1.0.tgz`;
  for (const url of [`${otherUrl}/${core}/-/core-0.1.0.tgz`, hostAsPath]) {
    const box = await makeBox(t, vendor);
    vendor.requests.length = 0;
    vendor.intercept = ofPackument(described(({ dist }) => Object.assign(dist as object, { tarball: url })));
    await box.install(['--no-start']);
    const asked = vendor.requests.filter((line) => line.endsWith('core-0.1.0.tgz'));
    t.strictSame(asked, [`GET ${new URL(url).pathname}`], 'the registry is asked in its place');
  }
  t.same(foreignRequests, []);
});

t.test('a redirect away and back does not get the token again', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.intercept = ofTarball((request, response) => {
    if (request.url?.endsWith('/x.tgz')) response.end(request.headers.authorization ? 'with the token' : tarball());
    else redirect(`${otherUrl}/back`)(request, response);
  });
  t.match(await box.install(['--no-start']), { exitCode: 0 });
});

t.test('the control plane’s redirect is not followed: it would carry the licence key away', async (t) => {
  const box = await makeBox(t, undefined);
  const redirecting = createServer((_, response) => response.writeHead(307, { location: `${otherUrl}/` }).end());
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  t.teardown(() => redirecting.close());
  const { port } = redirecting.address() as AddressInfo;
  const failed = await box.install(['--control-plane', `http://127.0.0.1:${port}`]);
  t.match(failed, {
    exitCode: 5,
    end: { error: { message: `it redirects to ${otherUrl}`, advice: /--control-plane/ } },
  });
  t.same(foreignRequests, []);
  t.same(await list(box.dir), []);
});

t.test('the registry’s wait is honoured, and a fault of many requests is one warning for each attempt', async (t) => {
  const { dir, port } = await makeBox(t, vendor);
  const began = new Map<string, number>();
  vendor.intercept = (path, _, response) => {
    if (path === '/-/ping' || (began.get(path) ?? 0) > 1) return false;
    began.set(path, (began.get(path) ?? 0) + 1);
    response.writeHead(429, { 'retry-after': '1' }).end('{"error":"too many requests"}');
    return true;
  };
  const warnings: string[] = [];
  const output: Output = { ...silent, warn: (text) => void warnings.push(text) };
  const controlPlaneUrl = vendor.controlPlaneUrl;
  await install({ dir, port, licenseKey: key, controlPlaneUrl, packageKeys: [], start: false }, output);
  t.match(
    warnings.filter((text) => !text.includes('root')),
    exactly(['the registry: too many requests; trying again', 'the registry: too many requests; trying again']),
  );
});

t.test('what the registry says moves no cursor and looks like no line of this command', async (t) => {
  const hostile = 'gone\u001b[2J\u001b]52;c;ZXZpbA==\u0007\r\nThe box is installed\u009b1A\u202ex\u0085y';
  const box = await makeBox(t, vendor);
  vendor.intercept = ofTarball((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ error: hostile }));
  });
  const words = ['install', '--no-start', '--port', String(box.port), '--control-plane', vendor.controlPlaneUrl];
  const { stdout, stderr, exitCode } = await box.run(words);
  t.equal(exitCode, 6);
  t.match(
    stderr,
    /^carton: the registry did not serve @carton\/core 0\.1\.0: gone\ufffd\[2J\ufffd\]52;c;ZXZpbA==\ufffd/,
  );
  t.equal(stderr.split('\n').length, 2, 'one line');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  t.notMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  const json = await box.run([...words, '--json']);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  t.notMatch(json.stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  t.match(json.end.error?.message, '\u001b[2J', 'a program that reads the JSON gets the text as it was');
});

t.test('an indented continuation is kept, an endless text is not', (t) => {
  t.equal(
    printable('shop.example.com is wrong\n    add a record\nThe box'),
    'shop.example.com is wrong\n    add a record\ufffdThe box',
  );
  t.equal(printable('x'.repeat(100_000)).length, 4001);
  t.end();
});

t.test('Retry-After is seconds or a date', async (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  t.equal(readRetryAfter('7', now), 7);
  t.equal(readRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now), 30);
  t.equal(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
  t.equal(readRetryAfter('soon', now), undefined);
  t.equal(readRetryAfter(null, now), undefined);
});
